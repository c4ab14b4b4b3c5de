#include "vnnlib/objective.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "base/error.h"
#include "vnnlib/inequality.h"

namespace plumb::vnnlib {
namespace {

constexpr const char* kObjectiveExample = "example: Y_0 - 2*Y_1 + 0.5*X_3";

bool is_figure(char c) { return c >= '0' && c <= '9'; }
bool begins_number(char c) { return is_figure(c) || c == '.'; }
bool is_in_name(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }

class ObjectiveParser {
 public:
  ObjectiveParser(std::string_view text, std::int64_t input_count, std::int64_t output_count)
      : text_(text), input_count_(input_count), output_count_(output_count) {}

  LinearForm parse() {
    for (bool first = true; first || at_ < text_.size(); first = false) {
      if (!first && text_[at_] != '+' && text_[at_] != '-') expected("+, - or *");
      const bool negative = take_signs();
      add(product(), negative);
      skip_blanks();
    }
    LinearForm form;
    for (auto& [variable, coefficient] : coefficients_) {
      if (!coefficient.is_zero()) form.terms.push_back({variable, std::move(coefficient)});
    }
    form.constant = std::move(constant_);
    return form;
  }

 private:
  struct Factor {
    Decimal number{1};
    std::optional<Variable> variable;
  };

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  // Takes the signs before a term: none, one, or several, as in "1 - -2*Y_0". Returns whether the term is subtracted.
  bool take_signs() {
    bool negative = false;
    for (skip_blanks(); at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-'); skip_blanks()) {
      negative = negative != (text_[at_] == '-');
      ++at_;
    }
    return negative;
  }

  Factor product() {
    Factor result = factor();
    for (skip_blanks(); at_ < text_.size() && text_[at_] == '*'; skip_blanks()) {
      ++at_;
      skip_blanks();
      const std::size_t begin = at_;
      Factor next = factor();
      if (result.variable && next.variable) fail_at(begin, "a product of two variables is not linear");
      if (next.variable) result.variable = next.variable;
      result.number = within_limits(result.number * next.number, begin);
    }
    return result;
  }

  Factor factor() {
    skip_blanks();
    if (at_ < text_.size() && begins_number(text_[at_])) return {number(), std::nullopt};
    if (at_ < text_.size() && is_in_name(text_[at_])) return {Decimal(1), variable()};
    expected("a number, Y_k or X_i");
  }

  Decimal number() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && begins_number(text_[at_])) ++at_;
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
      while (at_ < text_.size() && is_figure(text_[at_])) ++at_;
    }
    const std::string_view text = text_.substr(begin, at_ - begin);
    if (auto decimal = Decimal::parse(text)) return *decimal;
    fail_at(begin, fmt::format("expected a number of at most {} digits, found '{}'", Decimal::kMaxDigits,
                               text.substr(0, kLongestShown)));
  }

  Variable variable() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_in_name(text_[at_]) || is_figure(text_[at_]))) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    const bool output = name.starts_with("Y_"), input = name.starts_with("X_");
    std::int64_t index = -1;
    const char* const end = name.data() + name.size();
    const auto parsed =
        output || input ? std::from_chars(name.data() + 2, end, index) : std::from_chars_result{end, std::errc()};
    const bool is_number = parsed.ptr == end && name.size() > 2 && is_figure(name[2]);
    if (!(output || input) || !is_number) {
      fail_at(begin, fmt::format("expected Y_k or X_i, found '{}'", name.substr(0, kLongestShown)));
    }
    const std::int64_t count = output ? output_count_ : input_count_;
    if (parsed.ec != std::errc() || index >= count) {
      fail_at(begin, fmt::format("the network has no {}: its {} {}", name.substr(0, kLongestShown),
                                 output ? "outputs are" : "inputs are", range_text(output ? 'Y' : 'X', count)));
    }
    return {output, index};
  }

  static std::string range_text(char letter, std::int64_t count) {
    return count == 1 ? fmt::format("{}_0", letter) : fmt::format("{0}_0 to {0}_{1}", letter, count - 1);
  }

  void add(const Factor& term, bool negative) {
    Decimal& sum = term.variable ? coefficients_[*term.variable] : constant_;
    sum = within_limits(negative ? sum - term.number : sum + term.number, at_);
  }

  Decimal within_limits(Decimal number, std::size_t at) const {
    if (!number.is_within_limits()) fail_at(at, fmt::format("a number needs more than {} digits", Decimal::kMaxDigits));
    return number;
  }

  [[noreturn]] void expected(const char* what) const {
    const std::string found = at_ == text_.size() ? "the end" : fmt::format("'{}'", text_.substr(at_, 1));
    fail_at(at_, fmt::format("expected {}, found {}", what, found));
  }

  [[noreturn]] static void fail_at(std::size_t offset, const std::string& problem) {
    throw ArgumentError("objective", fmt::format("column {}: {}", offset + 1, problem), kObjectiveExample);
  }

  static constexpr std::size_t kLongestShown = 40;

  std::string_view text_;
  std::int64_t input_count_, output_count_;
  std::size_t at_ = 0;
  std::map<Variable, Decimal> coefficients_;
  Decimal constant_;
};

Objective zero_objective(std::int64_t input_count, std::int64_t output_count) {
  Objective objective;
  objective.outputs.assign(static_cast<std::size_t>(output_count), 0.0);
  objective.inputs.assign(static_cast<std::size_t>(input_count), 0.0);
  return objective;
}

}  // namespace

Objective parse_objective(std::string_view text, std::int64_t input_count, std::int64_t output_count) {
  Comparison comparison;
  comparison.form = ObjectiveParser(text, input_count, output_count).parse();
  const auto exact = exact_inequality(comparison);
  if (!exact) {
    throw ArgumentError("objective", "the coefficients are not doubles, and no power of ten makes them so together",
                        "write coefficients with at most 15 digits between the first of the largest and the last of "
                        "the smallest");
  }
  Objective objective = zero_objective(input_count, output_count);
  for (const auto& [variable, coefficient] : exact->terms) {
    (variable.output ? objective.outputs : objective.inputs)[static_cast<std::size_t>(variable.index)] = coefficient;
  }
  objective.constant = -exact->bound;
  objective.power = exact->power;
  if (!std::isfinite(objective.constant.nearest())) {
    throw ArgumentError("objective", "the constant is too large for a double", kObjectiveExample);
  }
  return objective;
}

Objective output_objective(std::int64_t k, std::int64_t input_count, std::int64_t output_count) {
  if (k < 0 || k >= output_count) {
    throw ArgumentError("output", fmt::format("{} is not one of the network's {} outputs", k, output_count),
                        "outputs are counted from 0");
  }
  Objective objective = zero_objective(input_count, output_count);
  objective.outputs[static_cast<std::size_t>(k)] = 1;
  return objective;
}

Objective negated(Objective objective) {
  std::ranges::transform(objective.outputs, objective.outputs.begin(), std::negate<>());
  std::ranges::transform(objective.inputs, objective.inputs.begin(), std::negate<>());
  objective.constant = -objective.constant;
  return objective;
}

}  // namespace plumb::vnnlib
