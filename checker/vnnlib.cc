// vnnlib.cc: from a text to a formula.
#include "vnnlib.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "error.h"
#include "exact_number.h"

namespace checker {
namespace {

constexpr std::size_t kMostNesting = 1000;
constexpr std::size_t kMostBits = 16'000;  // of a number that products make

// A word, or a list in brackets. "Y[0,1]" and "[1, 5]" are words.
struct Expression {
  std::string_view word;  // empty for a list
  std::vector<Expression> items;
  std::size_t at = 0;
};

class Parser {
 public:
  Parser(std::string_view text, const std::string& name, const Network& network)
      : text_(text), name_(name), network_(network) {}

  Formula property() {
    if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);  // the byte order mark of some editors
    for (const Expression& statement : expressions().items) read(statement);
    if (property_.parts.empty()) throw BadFile(name_ + ": nothing is asserted");
    return std::move(property_);
  }

 private:
  struct Tensor {
    bool is_output;
    std::int64_t first;
    std::vector<std::int64_t> shape;
  };

  [[noreturn]] void fail(std::size_t at, const std::string& problem) const {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    throw BadFile(name_ + ": line " + std::to_string(line) + ": " + problem);
  }
  static std::string shown(std::string_view word) { return "'" + std::string(word.substr(0, 40)) + "'"; }

  // The whole text, as a list of its statements.
  Expression expressions() const {
    std::vector<Expression> open(1);
    for (std::size_t at = 0; at < text_.size();) {
      const char c = text_[at];
      if (c == ';') {
        at = std::min(text_.find('\n', at), text_.size());
      } else if (is_blank(c)) {
        ++at;
      } else if (c == '(') {
        if (open.size() > kMostNesting) fail(at, "brackets nest more than 1,000 deep");
        open.push_back({{}, {}, at++});
      } else if (c == ')') {
        if (open.size() == 1) fail(at, "this ')' closes nothing");
        if (open.back().items.empty()) open.back().word = "()";
        ++at;
        Expression closed = std::move(open.back());
        open.pop_back();
        open.back().items.push_back(std::move(closed));
      } else {
        const std::size_t end = end_of_word(at);
        open.back().items.push_back({text_.substr(at, end - at), {}, at});
        at = end;
      }
    }
    if (open.size() > 1) fail(open.back().at, "this '(' is not closed");
    return std::move(open.front());
  }

  static bool is_blank(char c) { return std::string_view(" \t\r\n\f\v").find(c) != std::string_view::npos; }

  std::size_t end_of_word(std::size_t at) const {
    for (std::size_t end = at; end < text_.size(); ++end) {
      const char c = text_[end];
      if (is_blank(c) || c == '(' || c == ')' || c == ';') return end;
      if (c < ' ' || c > '~') fail(end, "a property is plain text");
      const char closing = c == '[' ? ']' : c == '"' ? '"' : '\0';
      if (closing == '\0') continue;
      end = text_.find(closing, end + 1);
      if (end == std::string_view::npos) fail(at, "this word does not end");
    }
    return text_.size();
  }

  void read(const Expression& statement) {
    const std::string_view keyword = keyword_of(statement);
    const std::vector<Expression>& items = statement.items;
    if (keyword == "assert" && items.size() == 2) {
      property_.parts.push_back(formula(items[1]));
      if (inputs_ != network_.input_size) fail(statement.at, "the property and the network differ in their inputs");
    } else if (keyword == "vnnlib-version" && items.size() == 2) {
      const std::string_view version = items[1].word;
      version_ = version == "<2.0>" || version == "2.0" ? 2 : 1;
      if (version_ == 1 && version != "<1.0>" && version != "1.0") fail(statement.at, "unknown version");
    } else if (keyword == "declare-const" && items.size() == 3 && items[2].word == "Real" && version_ == 1) {
      declare_element(items[1]);
    } else if (keyword == "declare-fun" && items.size() == 4 && items[2].word == "()" && items[3].word == "Real" &&
               version_ == 1) {
      declare_element(items[1]);
    } else if (keyword == "declare-network" && items.size() > 1 && version_ == 2) {
      if (!tensors_.empty()) fail(statement.at, "properties of several networks are not supported");
      for (std::size_t i = 2; i < items.size(); ++i) declare_tensor(items[i]);
    } else {
      fail(statement.at, "this statement is not understood");
    }
  }

  std::string_view keyword_of(const Expression& list) const {
    if (list.items.empty() || list.items[0].word.empty()) fail(list.at, "expected a list that begins with a word");
    return list.items[0].word;
  }

  void declare(const Expression& name, Tensor tensor) {
    if (!tensors_.emplace(name.word, std::move(tensor)).second) fail(name.at, shown(name.word) + " is declared twice");
  }

  // X_i or Y_i.
  void declare_element(const Expression& name) {
    const bool is_output = name.word.starts_with("Y_");
    if (!is_output && !name.word.starts_with("X_")) fail(name.at, "expected X_0, X_1, ... or Y_0, Y_1, ...");
    const std::int64_t element = natural(name.word.substr(2), name.at);
    if (element >= (is_output ? network_.output_size : network_.input_size)) {
      fail(name.at, "the network has no " + shown(name.word));
    }
    declare(name, {is_output, element, {}});
    if (!is_output) ++inputs_;
  }

  // (declare-input NAME TYPE SHAPE) or the same with the name that the network gives to it.
  void declare_tensor(const Expression& part) {
    constexpr std::string_view kTypes = " real Real float16 float32 float64 ";
    const std::string_view keyword = keyword_of(part);
    const bool is_output = keyword == "declare-output";
    if (!is_output && keyword != "declare-input") fail(part.at, shown(keyword) + " is not supported");
    if (part.items.size() < 4 || part.items.size() > 5) fail(part.at, "expected a name, a type and a shape");
    if (kTypes.find(" " + std::string(part.items[2].word) + " ") == std::string_view::npos) {
      fail(part.at, "unsupported type " + shown(part.items[2].word));
    }
    const std::size_t number = is_output ? output_tensors_++ : input_tensors_++;
    if (number >= (is_output ? network_.outputs.size() : network_.inputs.size())) {
      fail(part.at, "the network has no such tensor");
    }
    if (part.items.size() == 5) {
      const std::string& name = is_output ? network_.outputs[number].name : network_.inputs[number].name;
      if (part.items[4].word != '"' + name + '"') fail(part.at, "expected \"" + name + "\": tensors stay in order");
    }
    Tensor tensor{is_output, is_output ? outputs_ : inputs_, numbers_in(part.items[3].word, part.at)};
    std::int64_t there = 1;
    for (const std::int64_t n : network_.inputs[is_output ? 0 : number].shape) there *= n;
    if (is_output) there = network_.nodes[network_.outputs[number].node].size;
    std::int64_t rest = there;
    for (const std::int64_t n : tensor.shape) rest = n > 0 && rest % n == 0 ? rest / n : 0;
    if (rest != 1) fail(part.at, "the network's tensor has another number of elements: " + std::to_string(there));
    (is_output ? outputs_ : inputs_) += there;
    declare(part.items[1], std::move(tensor));
  }

  std::int64_t natural(std::string_view digits, std::size_t at) const {
    std::int64_t value = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || value < 0) {
      fail(at, "expected a natural number, found " + shown(digits));
    }
    return value;
  }

  // "[1, 5]"; "[]" has none.
  std::vector<std::int64_t> numbers_in(std::string_view text, std::size_t at) const {
    if (!text.starts_with('[') || !text.ends_with(']')) fail(at, "expected numbers such as [0,1]");
    std::vector<std::int64_t> numbers;
    std::string list(text.substr(1, text.size() - 2));
    std::erase_if(list, is_blank);
    for (std::size_t begin = 0; begin < list.size() || begin != 0;) {
      const std::size_t end = std::min(list.find(',', begin), list.size());
      numbers.push_back(natural(std::string_view(list).substr(begin, end - begin), at));
      if (end == list.size()) break;
      begin = end + 1;
    }
    return numbers;
  }

  Formula formula(const Expression& from) const {
    const std::string_view keyword = keyword_of(from);
    Formula result;
    if (keyword == "and" || keyword == "or") {
      if (from.items.size() == 1) fail(from.at, "expected a formula");
      result.kind = keyword == "and" ? Formula::Kind::kAnd : Formula::Kind::kOr;
      for (std::size_t i = 1; i < from.items.size(); ++i) result.parts.push_back(formula(from.items[i]));
      return result;
    }
    if (from.items.size() != 3) fail(from.at, "expected and, or, or a comparison of two sides");
    const Form left = form(from.items[1]), right = form(from.items[2]);
    if (keyword == "<=" || keyword == "<") return less(left, right, keyword == "<");
    if (keyword == ">=" || keyword == ">") return less(right, left, keyword == ">");
    if (keyword != "=" && keyword != "==" && keyword != "!=") fail(from.at, "unknown comparison " + shown(keyword));
    const bool differ = keyword == "!=";
    result.kind = differ ? Formula::Kind::kOr : Formula::Kind::kAnd;
    result.parts = {less(left, right, differ), less(right, left, differ)};
    return result;
  }

  static Formula less(Form a, const Form& b, bool strict) {
    add(a, b, -1);
    return {Formula::Kind::kComparison, std::move(a), strict, {}};
  }

  static void add(Form& sum, const Form& form, const mpq_class& factor) {
    for (const auto& [variable, coefficient] : form.terms) {
      mpq_class& there = sum.terms[variable];
      there += factor * coefficient;
      if (there == 0) sum.terms.erase(variable);
    }
    sum.constant += factor * form.constant;
  }

  // A number, a variable, or (+ ...), (- ...), (* ...).
  Form form(const Expression& from) const {
    if (from.items.empty()) return number_or_variable(from);
    const std::string_view keyword = keyword_of(from);
    if (keyword.find_first_not_of("+-*") != std::string_view::npos || keyword.size() != 1 || from.items.size() == 1) {
      fail(from.at, "expected +, - or *, and operands");
    }
    Form result = form(from.items[1]);
    if (keyword == "-" && from.items.size() == 2) return scaled(result, -1, from.at);
    for (std::size_t i = 2; i < from.items.size(); ++i) {
      const Form next = form(from.items[i]);
      if (keyword != "*") {
        add(result, next, keyword == "+" ? 1 : -1);
      } else if (!result.terms.empty() && !next.terms.empty()) {
        fail(from.items[i].at, "a product of two variables is not linear");
      } else {
        result = result.terms.empty() ? scaled(next, result.constant, from.at) : scaled(result, next.constant, from.at);
      }
    }
    return result;
  }

  Form scaled(const Form& form, const mpq_class& factor, std::size_t at) const {
    Form result;
    if (factor != 0) add(result, form, factor);
    const auto bits = [](const mpq_class& number) {
      return mpz_sizeinbase(number.get_num_mpz_t(), 2) + mpz_sizeinbase(number.get_den_mpz_t(), 2);
    };
    std::size_t most = bits(result.constant);
    for (const auto& [variable, coefficient] : result.terms) most = std::max(most, bits(coefficient));
    if (most > kMostBits) fail(at, "a number here has too many digits");
    return result;
  }

  Form number_or_variable(const Expression& from) const {
    if (from.word.find_first_of("0123456789+-.") == 0) {
      const auto number = decimal(from.word);
      if (!number) fail(from.at, "expected a number, found " + shown(from.word));
      return {{}, *number};
    }
    const std::size_t bracket = std::min(from.word.find('['), from.word.size());
    const auto found = tensors_.find(from.word.substr(0, bracket));
    if (found == tensors_.end()) fail(from.at, shown(from.word) + " is neither a number nor declared");
    const Tensor& tensor = found->second;
    std::vector<std::int64_t> indices;
    if (bracket < from.word.size()) indices = numbers_in(from.word.substr(bracket), from.at);
    if (indices.size() != tensor.shape.size()) fail(from.at, shown(from.word) + " has another number of dimensions");
    std::int64_t element = 0;
    for (std::size_t d = 0; d < indices.size(); ++d) {
      if (indices[d] >= tensor.shape[d]) fail(from.at, shown(from.word) + " is outside of the declared shape");
      element = element * tensor.shape[d] + indices[d];
    }
    return {{{{tensor.is_output, tensor.first + element}, 1}}, 0};
  }

  std::string_view text_;
  const std::string& name_;
  const Network& network_;
  int version_ = 1;
  std::map<std::string, Tensor, std::less<>> tensors_;  // those of version 1 are single elements
  std::int64_t inputs_ = 0, outputs_ = 0;               // elements declared so far
  std::size_t input_tensors_ = 0, output_tensors_ = 0;
  Formula property_;
};

}  // namespace

Formula parse_property(std::string_view text, const std::string& name, const Network& network) {
  return Parser(text, name, network).property();
}

// Numbers of the outputs are taken where they make the form largest.
bool satisfies(const Formula& property, const std::vector<mpq_class>& inputs, const std::vector<Interval>& outputs) {
  const auto part_is_satisfied = [&](const Formula& part) { return satisfies(part, inputs, outputs); };
  if (property.kind == Formula::Kind::kAnd) return std::ranges::all_of(property.parts, part_is_satisfied);
  if (property.kind == Formula::Kind::kOr) return std::ranges::any_of(property.parts, part_is_satisfied);
  mpq_class most = property.form.constant;
  for (const auto& [variable, coefficient] : property.form.terms) {
    const auto i = static_cast<std::size_t>(variable.index);
    if (!variable.is_output) {
      most += coefficient * inputs[i];
    } else if (outputs[i].is_finite()) {
      most += coefficient * mpq_class(coefficient > 0 ? outputs[i].high : outputs[i].low());
    } else {
      return false;
    }
  }
  return property.strict ? most < 0 : most <= 0;
}

}  // namespace checker
