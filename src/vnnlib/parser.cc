#include "vnnlib/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "vnnlib/declarations.h"

namespace plumb::vnnlib {
namespace {

constexpr const char* kComparisons = "<=, >=, <, >, == or !=";

LinearForm scaled(LinearForm form, const Decimal& factor) {
  if (factor.is_zero()) return {};
  for (Term& term : form.terms) term.coefficient = term.coefficient * factor;
  form.constant = form.constant * factor;
  return form;
}

LinearForm sum_of(const LinearForm& a, const LinearForm& b) {
  LinearForm sum;
  sum.constant = a.constant + b.constant;
  auto x = a.terms.begin(), y = b.terms.begin();
  while (x != a.terms.end() || y != b.terms.end()) {
    if (y == b.terms.end() || (x != a.terms.end() && x->variable < y->variable)) {
      sum.terms.push_back(*x++);
    } else if (x == a.terms.end() || y->variable < x->variable) {
      sum.terms.push_back(*y++);
    } else {
      Decimal coefficient = x->coefficient + y->coefficient;
      if (!coefficient.is_zero()) sum.terms.push_back({x->variable, std::move(coefficient)});
      ++x;
      ++y;
    }
  }
  return sum;
}

LinearForm difference_of(const LinearForm& a, const LinearForm& b) { return sum_of(a, scaled(b, Decimal(-1))); }

class Parser {
 public:
  Parser(std::string_view text, const std::string& name)
      : lexer_(text, name), name_(name), elements_(name), tensors_(name) {}

  Script script() {
    for (int statement = 0; lexer_.peek().kind != TokenKind::kEnd; ++statement) read_statement(statement == 0);
    if (script_.version == 1) {
      script_.networks.push_back(elements_.network());
      script_.inputs = script_.networks[0].inputs[0].shape[0];
      script_.outputs = script_.networks[0].outputs.empty() ? 0 : script_.networks[0].outputs[0].shape[0];
    } else {
      if (script_.networks.empty()) throw DataError(name_, "no network is declared", "see docs/vnnlib.md");
      script_.inputs = tensors_.inputs();
      script_.outputs = tensors_.outputs();
    }
    if (script_.assertions.parts.empty()) throw DataError(name_, "nothing is asserted", "add (assert ...)");
    return std::move(script_);
  }

 private:
  void read_statement(bool first) {
    open("a statement");
    const Token keyword = word("declare-const, declare-network or assert");
    if (keyword.text == "assert") {
      script_.assertions.parts.push_back(formula(1));
    } else if (keyword.text == "vnnlib-version") {
      read_version(keyword, first);
    } else if (keyword.text == "declare-network" && script_.version == 2) {
      read_network(keyword);
    } else if (keyword.text == "declare-const" && script_.version == 1) {
      elements_.declare(word("a variable"));
      expect_word("Real");
    } else if (keyword.text == "declare-fun" && script_.version == 1) {
      elements_.declare(word("a variable"));
      open("()");
      close();
      expect_word("Real");
    } else if (keyword.text == "declare-network") {
      fail(name_, keyword.at, "declare-network needs version 2.0", "begin with (vnnlib-version <2.0>)");
    } else {
      fail(name_, keyword.at,
           fmt::format("expected {} or assert, found {}", script_.version == 1 ? "declare-const" : "declare-network",
                       shown(keyword)));
    }
    close();
  }

  void read_version(const Token& keyword, bool first) {
    const Token version = word("<2.0>");
    if (!first) fail(name_, keyword.at, "the version must stand before everything else");
    if (version.text == "<2.0>" || version.text == "2.0") {
      script_.version = 2;
    } else if (version.text != "<1.0>" && version.text != "1.0") {
      fail(name_, version.at, fmt::format("version {} is not supported", shown(version)), "use 1.0 or 2.0");
    }
  }

  void read_network(const Token& keyword) {
    if (!script_.assertions.parts.empty()) fail(name_, keyword.at, "networks must be declared before assertions");
    DeclaredNetwork network;
    network.at = keyword.at;
    network.name = word("the network's name").text;
    if (find_network(network.name) != nullptr) {
      fail(name_, keyword.at, fmt::format("the network {} is declared twice", network.name));
    }
    while (lexer_.peek().kind == TokenKind::kOpen) read_network_part(network);
    if (network.inputs.empty()) fail(name_, keyword.at, fmt::format("the network {} has no input", network.name));
    if (network.outputs.empty()) fail(name_, keyword.at, fmt::format("the network {} has no output", network.name));
    tensors_.declare(network);
    script_.networks.push_back(std::move(network));
  }

  void read_network_part(DeclaredNetwork& network) {
    open("declare-input, declare-hidden or declare-output");
    const Token keyword = word("declare-input, declare-hidden or declare-output");
    if (keyword.text == "declare-input") {
      network.inputs.push_back(tensor());
    } else if (keyword.text == "declare-output") {
      network.outputs.push_back(tensor());
    } else if (keyword.text == "declare-hidden") {
      network.hidden.push_back(hidden());
    } else if (keyword.text == "isomorphic-to" || keyword.text == "equal-to") {
      const Token other = word("the name of a network");
      if (find_network(std::string(other.text)) == nullptr) {
        fail(name_, other.at, fmt::format("expected the name of a network declared before, found {}", shown(other)));
      }
      (keyword.text == "equal-to" ? network.equal_to : network.isomorphic_to) = std::string(other.text);
    } else {
      fail(name_, keyword.at,
           fmt::format("expected declare-input, declare-hidden or declare-output, found {}", shown(keyword)));
    }
    close();
  }

  const DeclaredNetwork* find_network(const std::string& name) const {
    const auto found = std::ranges::find(script_.networks, name, &DeclaredNetwork::name);
    return found == script_.networks.end() ? nullptr : &*found;
  }

  // NAME TYPE SHAPE, optionally followed by the name in the ONNX file.
  Tensor tensor() {
    constexpr std::array<std::string_view, 5> kTypes{"real", "Real", "float16", "float32", "float64"};
    Tensor tensor;
    const Token name = word("a name");
    tensor.name = name.text;
    tensor.at = name.at;
    const Token type = word("an element type");
    if (std::ranges::find(kTypes, type.text) == kTypes.end()) {
      fail(name_, type.at, fmt::format("the element type {} is not supported", shown(type)),
           "use real, float16, float32 or float64");
    }
    tensor.type = type.text == "Real" ? "real" : type.text;
    if (lexer_.peek().kind != TokenKind::kLeftBracket) expected("a shape such as [1, 5]");
    for (const Token& dimension : bracketed()) tensor.shape.push_back(natural(dimension, name_, "a dimension"));
    if (lexer_.peek().kind == TokenKind::kString) tensor.onnx_name = lexer_.take().text;
    return tensor;
  }

  // A hidden value is identified by its name in the ONNX file, which is therefore required.
  Tensor hidden() {
    Tensor hidden = tensor();
    if (!hidden.onnx_name) expected("the name of a tensor of the ONNX file, in quotes");
    return hidden;
  }

  // [a, b, ...] or [].
  std::vector<Token> bracketed() {
    lexer_.take();
    std::vector<Token> words;
    while (lexer_.peek().kind != TokenKind::kRightBracket) {
      if (!words.empty()) {
        if (lexer_.peek().kind != TokenKind::kComma) expected("',' or ']'");
        lexer_.take();
      }
      words.push_back(word("a number"));
    }
    lexer_.take();
    return words;
  }

  Formula formula(int depth) {
    open("a formula, as in (<= X_0 1)");
    const Token keyword = word("and, or, or a comparison");
    if (depth > kMaxNesting) fail(name_, keyword.at, fmt::format("formulas nest at most {} deep", kMaxNesting));
    Formula result;
    if (keyword.text == "and" || keyword.text == "or") {
      result.kind = keyword.text == "and" ? Formula::Kind::kAnd : Formula::Kind::kOr;
      do {
        result.parts.push_back(formula(depth + 1));
      } while (lexer_.peek().kind != TokenKind::kClose);
    } else {
      result = comparison(keyword, depth);
    }
    close();
    return result;
  }

  Formula comparison(const Token& keyword, int depth) {
    constexpr std::array<std::string_view, 7> kOperators{"<=", ">=", "<", ">", "==", "!=", "="};
    if (std::ranges::find(kOperators, keyword.text) == kOperators.end()) {
      fail(name_, keyword.at, fmt::format("expected and, or, {}, found {}", kComparisons, shown(keyword)));
    }
    const LinearForm left = form(depth + 1), right = form(depth + 1);
    const auto less = [&](const LinearForm& a, const LinearForm& b, bool strict) {
      Formula result;
      result.kind = Formula::Kind::kComparison;
      result.comparison = {within_limits(difference_of(a, b), keyword.at), strict, keyword.at};
      return result;
    };
    if (keyword.text == "<=" || keyword.text == "<") return less(left, right, keyword.text == "<");
    if (keyword.text == ">=" || keyword.text == ">") return less(right, left, keyword.text == ">");
    const bool different = keyword.text == "!=";
    Formula both;
    both.kind = different ? Formula::Kind::kOr : Formula::Kind::kAnd;
    both.parts.push_back(less(left, right, different));
    both.parts.push_back(less(right, left, different));
    return both;
  }

  // Arithmetic: a number, a variable, or (+ ...), (- ...), (* ...).
  LinearForm form(int depth) {
    if (depth > kMaxNesting) fail(name_, lexer_.peek().at, fmt::format("formulas nest at most {} deep", kMaxNesting));
    if (lexer_.peek().kind != TokenKind::kOpen) return number_or_variable();
    lexer_.take();
    const Token keyword = word("+, - or *");
    if (keyword.text != "+" && keyword.text != "-" && keyword.text != "*") {
      fail(name_, keyword.at, fmt::format("expected +, - or *, found {}", shown(keyword)));
    }
    LinearForm result = form(depth + 1);
    if (keyword.text == "-" && lexer_.peek().kind == TokenKind::kClose) result = scaled(result, Decimal(-1));
    while (lexer_.peek().kind != TokenKind::kClose) {
      const Position at = lexer_.peek().at;
      const LinearForm next = form(depth + 1);
      result = within_limits(keyword.text == "+"   ? sum_of(result, next)
                             : keyword.text == "-" ? difference_of(result, next)
                                                   : product(result, next, at),
                             at);
    }
    close();
    return result;
  }

  LinearForm product(const LinearForm& a, const LinearForm& b, Position at) const {
    if (!a.terms.empty() && !b.terms.empty()) {
      fail(name_, at, "a product of two variables is not linear", "one factor must be a constant");
    }
    return a.terms.empty() ? scaled(b, a.constant) : scaled(a, b.constant);
  }

  LinearForm within_limits(LinearForm form, Position at) const {
    const bool fits = form.constant.is_within_limits() && std::ranges::all_of(form.terms, [](const Term& term) {
                        return term.coefficient.is_within_limits();
                      });
    if (!fits) fail(name_, at, fmt::format("a number here needs more than {} digits", Decimal::kMaxDigits));
    return form;
  }

  LinearForm number_or_variable() {
    const Token token = word("a number, a variable, or arithmetic");
    const char first = token.text[0];
    if ((first >= '0' && first <= '9') || first == '-' || first == '+' || first == '.') return {{}, number(token)};
    LinearForm form;
    form.terms.push_back({variable(token), Decimal(1)});
    return form;
  }

  Decimal number(const Token& token) const {
    const auto number = Decimal::parse(token.text);
    if (!number) {
      fail(name_, token.at, fmt::format("expected a number, found {}", shown(token)),
           fmt::format("for example -0.5 or 1e-3, of at most {} digits", Decimal::kMaxDigits));
    }
    return *number;
  }

  Variable variable(const Token& token) {
    if (script_.version == 1) return elements_.find(token);
    std::vector<Token> indices;
    if (lexer_.peek().kind == TokenKind::kLeftBracket) indices = bracketed();
    return tensors_.find(token, indices);
  }

  void open(const char* what) {
    if (lexer_.peek().kind != TokenKind::kOpen) expected(fmt::format("'(' and {}", what));
    lexer_.take();
  }
  void close() {
    if (lexer_.peek().kind != TokenKind::kClose) expected("')'");
    lexer_.take();
  }
  Token word(const std::string& what) {
    if (lexer_.peek().kind != TokenKind::kWord) expected(what);
    return lexer_.take();
  }
  void expect_word(const std::string& text) {
    if (lexer_.peek().text != text) expected(text);
    lexer_.take();
  }
  [[noreturn]] void expected(const std::string& what) const {
    fail(name_, lexer_.peek().at, fmt::format("expected {}, found {}", what, shown(lexer_.peek())));
  }

  Lexer lexer_;
  const std::string& name_;
  DeclaredElements elements_;
  DeclaredTensors tensors_;
  Script script_;
};

}  // namespace

Script parse(std::string_view text, const std::string& name) { return Parser(text, name).script(); }

}  // namespace plumb::vnnlib
