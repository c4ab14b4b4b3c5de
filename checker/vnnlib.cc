// vnnlib.cc: from a text to a formula.
#include "vnnlib.h"

#include <algorithm>

#include "error.h"
#include "exact_number.h"

namespace checker {
namespace {

constexpr std::size_t kMostNesting = 1000, kMostBits = 16'000;  // of brackets; of a number that products make

// A word, or a list in brackets. "Y[0,1]", "[1, 5]" and "a string" are words.
struct Expression {
  std::string_view word;  // empty for a list
  std::vector<Expression> items;
  std::size_t at = 0;

  std::string_view keyword() const { return items.empty() ? "" : items[0].word; }
};

bool is_blank(char c) { return std::string_view(" \t\r\n\f\v").find(c) != std::string_view::npos; }

std::size_t end_of_word(std::string_view text, std::size_t begin) {
  for (std::size_t at = begin; at < text.size(); ++at) {
    const char c = text[at];
    if (is_blank(c) || c == '(' || c == ')' || c == ';') return at;
    if (c == '[' || c == '"') at = text.find(c == '[' ? ']' : '"', at + 1);
    if (at == std::string_view::npos) throw BadFile("a word does not end");
  }
  return text.size();
}

// The whole text, as a list of its statements.
Expression parse(std::string_view text) {
  std::vector<Expression> open(1);
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == ';') {
      at = std::min(text.find('\n', at), text.size());
    } else if (is_blank(text[at])) {
      ++at;
    } else if (text[at] == '(') {
      if (open.size() > kMostNesting) throw BadFile("brackets nest more than 1,000 deep");
      open.push_back({{}, {}, at++});
    } else if (text[at] == ')') {
      if (open.size() == 1) throw BadFile("a ')' closes nothing");
      Expression closed = std::move(open.back());
      open.pop_back();
      open.back().items.push_back(std::move(closed));
      ++at;
    } else {
      const std::size_t end = end_of_word(text, at);
      open.back().items.push_back({text.substr(at, end - at), {}, at});
      at = end;
    }
  }
  if (open.size() > 1) throw BadFile("a '(' is not closed");
  return std::move(open.front());
}

void add(Form& sum, const Form& form, const mpq_class& factor) {
  for (const auto& [variable, coefficient] : form.terms) {
    mpq_class& there = sum.terms[variable];
    there += factor * coefficient;
    if (there == 0) sum.terms.erase(variable);
  }
  sum.constant += factor * form.constant;
}

Form scaled(const Form& form, const mpq_class& factor) {
  const auto bits = [](const mpq_class& n) {
    return mpz_sizeinbase(n.get_num_mpz_t(), 2) + mpz_sizeinbase(n.get_den_mpz_t(), 2);
  };
  Form result;
  if (factor != 0) add(result, form, factor);
  std::size_t most = bits(result.constant);
  for (const auto& [variable, coefficient] : result.terms) most = std::max(most, bits(coefficient));
  if (most > kMostBits) throw BadFile("a product has too many digits");
  return result;
}

Formula less(Form a, const Form& b, bool strict) {
  add(a, b, -1);
  return {Formula::Kind::kComparison, std::move(a), strict, {}};
}

class ScriptReader {
 public:
  explicit ScriptReader(const Network& network) : network_(network) {}

  void read(const Expression& statement) {
    const std::vector<Expression>& items = statement.items;
    const std::string_view keyword = statement.keyword();
    if (keyword == "assert" && items.size() == 2) {
      if (inputs_ != network_.input_size) throw BadFile("the property and the network differ in their inputs");
      property_.parts.push_back(formula(items[1]));
    } else if (keyword == "vnnlib-version" && items.size() == 2) {
      const std::string_view version = items[1].word;
      if (version != "<1.0>" && version != "<2.0>" && version != "1.0" && version != "2.0")
        throw BadFile("bad version");
    } else if ((keyword == "declare-const" && items.size() == 3) || (keyword == "declare-fun" && items.size() == 4)) {
      declare_element(items[1].word);
    } else if (keyword == "declare-network" && items.size() > 2) {
      if (!tensors_.empty()) throw BadFile("properties of several networks are not supported");
      for (std::size_t i = 2; i < items.size(); ++i) declare_tensor(items[i]);
    } else {
      throw BadFile("the statement is not understood");
    }
  }

  Formula property() && {
    if (property_.parts.empty()) throw BadFile("nothing is asserted");
    return std::move(property_);
  }

 private:
  struct Tensor {
    bool is_output;
    std::int64_t first;
    std::vector<std::int64_t> shape;
  };

  void declare(std::string_view name, Tensor tensor) {
    if (!tensors_.emplace(name, std::move(tensor)).second) throw BadFile(std::string(name) + " is declared twice");
  }

  // X_i or Y_i.
  void declare_element(std::string_view name) {
    const bool is_output = name.starts_with("Y_");
    if (!is_output && !name.starts_with("X_")) throw BadFile("expected X_0, X_1, ... or Y_0, Y_1, ...");
    const std::int64_t element = natural(name.substr(2));
    if (element >= (is_output ? network_.output_size : network_.input_size)) {
      throw BadFile("the network has no " + std::string(name));
    }
    declare(name, {is_output, element, {}});
    if (!is_output) ++inputs_;
  }

  // (declare-input NAME TYPE SHAPE) or the same with the name that the network gives to it. The order is the network's.
  void declare_tensor(const Expression& part) {
    const bool is_output = part.keyword() == "declare-output";
    const std::size_t number = is_output ? output_tensors_++ : input_tensors_++;
    const bool is_known = is_output ? number < network_.outputs.size()
                                    : part.keyword() == "declare-input" && number < network_.inputs.size();
    if (!is_known || part.items.size() < 4) {
      throw BadFile("'" + std::string(part.keyword()) + "' is not supported, or the network has no such tensor");
    }
    const std::string& name = is_output ? network_.outputs[number].name : network_.inputs[number].name;
    if (part.items.size() > 4 && part.items[4].word != '"' + name + '"') throw BadFile("expected \"" + name + "\"");
    std::int64_t& first = is_output ? outputs_ : inputs_;
    Tensor tensor{is_output, first, numbers_in(part.items[3].word)};
    std::int64_t size = 1;
    for (const std::int64_t n : network_.inputs[is_output ? 0 : number].shape) size *= n;
    if (is_output) size = network_.nodes[network_.outputs[number].node].size;
    first += size;
    for (const std::int64_t n : tensor.shape) size = n > 0 && size % n == 0 ? size / n : 0;
    if (size != 1) throw BadFile("the shapes of " + name + " differ");
    declare(part.items[1].word, std::move(tensor));
  }

  // "[1, 5]"; "[]" has none.
  static std::vector<std::int64_t> numbers_in(std::string_view text) {
    std::vector<std::int64_t> numbers;
    if (!text.starts_with('[') || !text.ends_with(']')) throw BadFile("expected numbers such as [0,1]");
    text = text.substr(1, text.size() - 2);
    if (text.find_first_not_of(' ') == std::string_view::npos) return numbers;
    for (const std::string_view number : split(text, ',')) numbers.push_back(natural(number));
    return numbers;
  }

  Formula formula(const Expression& from) const {
    const std::string_view keyword = from.keyword();
    Formula result;
    if ((keyword == "and" || keyword == "or") && from.items.size() > 1) {
      result.kind = keyword == "and" ? Formula::Kind::kAnd : Formula::Kind::kOr;
      for (std::size_t i = 1; i < from.items.size(); ++i) result.parts.push_back(formula(from.items[i]));
      return result;
    }
    if (from.items.size() != 3) throw BadFile("expected and, or, or a comparison of two sides");
    const Form left = form(from.items[1]), right = form(from.items[2]);
    if (keyword == "<=" || keyword == "<") return less(left, right, keyword == "<");
    if (keyword == ">=" || keyword == ">") return less(right, left, keyword == ">");
    const bool differ = keyword == "!=";
    if (keyword != "=" && keyword != "==" && !differ) throw BadFile("expected a comparison such as <=");
    result.kind = differ ? Formula::Kind::kOr : Formula::Kind::kAnd;
    result.parts = {less(left, right, differ), less(right, left, differ)};
    return result;
  }

  // A number, a variable, or (+ ...), (- ...), (* ...).
  Form form(const Expression& from) const {
    if (from.items.empty()) return number_or_variable(from.word);
    const std::string_view keyword = from.keyword();
    if ((keyword != "+" && keyword != "-" && keyword != "*") || from.items.size() == 1) {
      throw BadFile("expected +, - or *, and operands");
    }
    Form result = form(from.items[1]);
    if (keyword == "-" && from.items.size() == 2) return scaled(result, -1);
    for (std::size_t i = 2; i < from.items.size(); ++i) {
      const Form next = form(from.items[i]);
      if (keyword != "*") {
        add(result, next, keyword == "+" ? 1 : -1);
      } else if (!result.terms.empty() && !next.terms.empty()) {
        throw BadFile("a product of two variables is not linear");
      } else {
        result = result.terms.empty() ? scaled(next, result.constant) : scaled(result, next.constant);
      }
    }
    return result;
  }

  Form number_or_variable(std::string_view word) const {
    if (const auto number = decimal(word)) return {{}, *number};
    const std::size_t bracket = std::min(word.find('['), word.size());
    const auto found = tensors_.find(word.substr(0, bracket));
    if (found == tensors_.end()) {
      throw BadFile("'" + std::string(word.substr(0, 40)) + "' is neither a number nor declared");
    }
    const Tensor& tensor = found->second;
    std::vector<std::int64_t> indices;
    if (bracket < word.size()) indices = numbers_in(word.substr(bracket));
    std::int64_t element = 0;
    bool fits = indices.size() == tensor.shape.size();
    for (std::size_t d = 0; fits && d < indices.size(); ++d) {
      fits = indices[d] < tensor.shape[d];
      element = element * tensor.shape[d] + indices[d];
    }
    if (!fits) throw BadFile("'" + std::string(word.substr(0, 40)) + "' does not fit the declared shape");
    return {{{{tensor.is_output, tensor.first + element}, 1}}, 0};
  }

  const Network& network_;
  std::map<std::string, Tensor, std::less<>> tensors_;  // those of version 1 are single elements
  std::int64_t inputs_ = 0, outputs_ = 0;               // elements declared so far
  std::size_t input_tensors_ = 0, output_tensors_ = 0;
  Formula property_;
};

}  // namespace

Formula parse_property(std::string_view text, const std::string& name, const Network& network) {
  std::size_t at = 0;
  try {
    ScriptReader reader(network);
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // the byte order mark of some editors
    for (const Expression& statement : parse(text).items) {
      at = statement.at;
      reader.read(statement);
    }
    return std::move(reader).property();
  } catch (const BadFile& error) {
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    throw BadFile(name + ": in the statement of line " + std::to_string(line) + ": " + error.what());
  }
}

bool satisfies(const Formula& property, const std::vector<mpq_class>& inputs, const std::vector<Interval>& outputs) {
  const auto is_satisfied = [&](const Formula& part) { return satisfies(part, inputs, outputs); };
  if (property.kind == Formula::Kind::kAnd) return std::ranges::all_of(property.parts, is_satisfied);
  if (property.kind == Formula::Kind::kOr) return std::ranges::any_of(property.parts, is_satisfied);
  mpq_class most = property.form.constant;
  for (const auto& [variable, coefficient] : property.form.terms) {
    const auto i = at(variable.index);
    if (variable.is_output && !outputs[i].is_finite()) return false;
    most += coefficient * (!variable.is_output ? inputs[i]
                           : coefficient > 0   ? mpq_class(outputs[i].high)
                                               : mpq_class(outputs[i].low()));
  }
  return property.strict ? most < 0 : most <= 0;
}

}  // namespace checker
