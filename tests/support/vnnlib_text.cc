#include "support/vnnlib_text.h"

#include <algorithm>
#include <stdexcept>

namespace plumb::testing {
namespace {

mpz_class power(int base, std::size_t exponent) {
  mpz_class result;
  mpz_ui_pow_ui(result.get_mpz_t(), static_cast<unsigned long>(base), exponent);
  return result;
}

// The least k for which 10^k times the number is an integer; empty if there is none.
std::optional<std::size_t> decimal_places(const mpq_class& number) {
  mpz_class rest = number.get_den();
  const auto divide_by = [&](int prime) {
    std::size_t times = 0;
    for (; mpz_divisible_ui_p(rest.get_mpz_t(), static_cast<unsigned long>(prime)) != 0; ++times) rest /= prime;
    return times;
  };
  const std::size_t places = std::max(divide_by(2), divide_by(5));
  return rest == 1 ? std::optional(places) : std::nullopt;
}

struct Digits {
  std::string sign, digits;
  std::size_t places;  // number of digits after the decimal point
};

Digits digits_of(const mpq_class& number) {
  const auto places = decimal_places(number);
  if (!places) throw std::logic_error(number.get_str() + " is no decimal");
  const mpz_class whole = number.get_num() * power(10, *places) / number.get_den();
  return {whole < 0 ? "-" : "", mpz_class(abs(whole)).get_str(), *places};
}

std::string with_point(const Digits& number) {
  if (number.places == 0) return number.sign + number.digits;
  std::string digits = number.digits;
  if (digits.size() <= number.places) digits.insert(0, number.places + 1 - digits.size(), '0');
  return number.sign + digits.insert(digits.size() - number.places, ".");
}

bool has_output(const ExactFormula& formula) {
  const auto& comparison = formula.comparison;
  return (comparison && (comparison->left.has_output() || comparison->right.has_output())) ||
         std::ranges::any_of(formula.parts, has_output);
}

class Writer {
 public:
  Writer(Random& random, std::size_t inputs, std::size_t outputs, bool tensors)
      : random_(random), inputs_(inputs), outputs_(outputs), tensors_(tensors) {}

  std::string property(const ExactFormula& formula) {
    std::string text = declarations();
    for (const std::string& assertion : assertions(formula)) {
      if (one_in(12)) text += "; and furthermore\n";
      text += "(assert " + assertion + ")\n";
    }
    return text;
  }

 private:
  struct Item {
    mpq_class coefficient;
    std::string variable;  // empty for a constant
  };
  using Items = std::vector<Item>;

  bool one_in(std::int64_t n) { return uniform(random_, 1, n) == 1; }

  std::string variable(char letter, std::size_t i) const {
    const std::string number = std::to_string(i);
    return tensors_ ? std::string(1, letter) + "[0," + number + "]" : std::string(1, letter) + "_" + number;
  }

  std::string declarations() {
    if (tensors_) {
      return "(vnnlib-version <2.0>)\n(declare-network f (declare-input X " +
             std::string(one_in(2) ? "real" : "float32") + " [1," + std::to_string(inputs_) +
             "]) (declare-output Y real [1," + std::to_string(outputs_) + "]))\n";
    }
    std::string text;
    for (std::size_t i = 0; i < inputs_; ++i) text += "(declare-const " + variable('X', i) + " Real)\n";
    for (std::size_t i = 0; i < outputs_; ++i) text += "(declare-const " + variable('Y', i) + " Real)\n";
    return text;
  }

  // The parts of a conjunction, each in its own assertion or several in one.
  std::vector<std::string> assertions(const ExactFormula& formula) {
    if (formula.kind != ExactFormula::Kind::kAnd || formula.parts.empty() || one_in(10)) return {text_of(formula)};
    std::vector<std::string> result;
    for (const ExactFormula& part : formula.parts) {
      if (!result.empty() && one_in(6)) {
        result.back() = "(and " + result.back() + " " + text_of(part) + ")";
      } else {
        result.push_back(text_of(part));
      }
    }
    return result;
  }

  std::string text_of(const ExactFormula& formula) {
    if (formula.kind == ExactFormula::Kind::kComparison) return text_of(*formula.comparison);
    const bool conjunction = formula.kind == ExactFormula::Kind::kAnd;
    if (formula.parts.empty()) return conjunction ? "(<= 0 1)" : "(< 0 0)";
    std::string text = conjunction ? "(and" : "(or";
    for (const ExactFormula& part : formula.parts) text += " " + text_of(part);
    return text + ")";
  }

  std::string text_of(const ExactFormula::Comparison& comparison) {
    if (one_in(2))
      return "(" + sign(comparison.relation) + " " + sum(comparison.left) + " " + sum(comparison.right) + ")";
    return "(" + sign(mirrored(comparison.relation)) + " " + sum(comparison.right) + " " + sum(comparison.left) + ")";
  }

  static Relation mirrored(Relation relation) {
    switch (relation) {
      case Relation::kLess:
        return Relation::kGreater;
      case Relation::kLessEqual:
        return Relation::kGreaterEqual;
      case Relation::kGreater:
        return Relation::kLess;
      case Relation::kGreaterEqual:
        return Relation::kLessEqual;
      case Relation::kEqual:
      case Relation::kDifferent:
        break;
    }
    return relation;
  }

  std::string sign(Relation relation) {
    switch (relation) {
      case Relation::kLess:
        return "<";
      case Relation::kLessEqual:
        return "<=";
      case Relation::kGreater:
        return ">";
      case Relation::kGreaterEqual:
        return ">=";
      case Relation::kEqual:
        return one_in(2) ? "=" : "==";
      case Relation::kDifferent:
        return "!=";
    }
    return "";
  }

  std::string sum(const LinearSum& sum) {
    Items items;
    for (std::size_t i = 0; i < inputs_; ++i) add(items, sum.inputs[i], variable('X', i));
    for (std::size_t i = 0; i < outputs_; ++i) add(items, sum.outputs[i], variable('Y', i));
    if (sum.constant != 0 || items.empty()) add(items, sum.constant, "");
    if (items.empty()) items.push_back({0, ""});
    return text_of(items);
  }

  // Sometimes splits a term into several. Usually leaves out terms that are zero.
  void add(Items& items, const mpq_class& coefficient, const std::string& variable) {
    if (coefficient == 0) {
      if (one_in(40)) items.push_back({0, variable});
      return;
    }
    if (!one_in(20)) {
      items.push_back({coefficient, variable});
      return;
    }
    const mpq_class piece = coefficient / (one_in(2) ? 2 : -5);
    items.push_back({piece, variable});
    items.push_back({coefficient - piece, variable});
  }

  std::string text_of(const Items& items) {
    if (items.size() == 1) return one_in(30) ? "(+ " + term(items[0]) + ")" : term(items[0]);
    if (one_in(2)) {
      std::string text = "(+";
      for (const Item& item : items) text += " " + term(item);
      return text + ")";
    }
    const auto middle = items.begin() + uniform(random_, 1, static_cast<std::int64_t>(items.size()) - 1);
    const Items first(items.begin(), middle);
    Items rest(middle, items.end());
    const bool subtracted = one_in(2);
    if (subtracted) {
      for (Item& item : rest) item.coefficient = -item.coefficient;
    }
    return (subtracted ? "(- " : "(+ ") + text_of(first) + " " + text_of(rest) + ")";
  }

  std::string term(const Item& item) {
    if (item.variable.empty()) return number(item.coefficient);
    if (item.coefficient == 1 && !one_in(6)) return item.variable;
    if (item.coefficient < 0 && one_in(4)) return "(- " + term({-item.coefficient, item.variable}) + ")";
    if (one_in(12)) return "(* 2 " + item.variable + " " + number(item.coefficient / 2) + ")";
    return one_in(3) ? "(* " + item.variable + " " + number(item.coefficient) + ")"
                     : "(* " + number(item.coefficient) + " " + item.variable + ")";
  }

  std::string number(const mpq_class& value) {
    const Digits digits = digits_of(value);
    if (digits.digits.size() > 40 || digits.places > 40 || one_in(8)) {
      return digits.sign + digits.digits + (one_in(2) ? "e-" : "E-") + std::to_string(digits.places);
    }
    std::string text = with_point(digits);
    if (digits.places > 0 && one_in(10)) text += "00";
    if (digits.places == 0 && one_in(4)) text += ".0";
    if (digits.sign.empty() && one_in(20)) text = "+" + text;
    return text;
  }

  Random& random_;
  std::size_t inputs_, outputs_;
  bool tensors_;
};

}  // namespace

bool is_decimal(const mpq_class& number) { return decimal_places(number).has_value(); }

std::string decimal_text(const mpq_class& number) { return with_point(digits_of(number)); }

mpq_class cut_decimal(const mpq_class& number, int digits) {
  const mpz_class scale = power(10, static_cast<std::size_t>(digits));
  mpq_class result(mpz_class(number.get_num() * scale / number.get_den()), scale);
  result.canonicalize();
  return result;
}

std::string vnnlib_text(Random& random, const ExactFormula& formula, std::size_t inputs, std::size_t outputs) {
  const bool tensors = uniform(random, 1, 4) == 1;
  // Outputs that are not mentioned need not be declared.
  const bool without_outputs = !tensors && !has_output(formula) && uniform(random, 1, 2) == 1;
  return Writer(random, inputs, without_outputs ? 0 : outputs, tensors).property(formula);
}

}  // namespace plumb::testing
