#include "support/random_vnnlib.h"

#include <algorithm>

#include "support/exact_evaluator.h"
#include "support/vnnlib_text.h"

namespace plumb::testing {
namespace {

bool one_in(Random& random, std::int64_t n) { return uniform(random, 1, n) == 1; }

template <class List>
auto one_of(Random& random, const List& list) {
  return list[static_cast<std::size_t>(uniform(random, 0, static_cast<std::int64_t>(std::size(list)) - 1))];
}

mpq_class fraction(std::int64_t numerator, std::int64_t denominator) {
  mpq_class result(static_cast<long>(numerator), static_cast<long>(denominator));
  result.canonicalize();
  return result;
}

class Maker {
 public:
  Maker(Random& random, const network::Network& network)
      : random_(random),
        network_(network),
        inputs_(static_cast<std::size_t>(network.input_size())),
        outputs_(static_cast<std::size_t>(network.output_size())) {}

  ExactFormula formula() {
    const bool of_inputs_only = one_in(random_, 8);
    if (one_in(random_, 4)) return choice_of_boxes(of_inputs_only);
    std::vector<ExactFormula> parts = bounds();
    for (std::int64_t more = uniform(random_, of_inputs_only ? 0 : 1, 3); more > 0; --more) {
      parts.push_back(tree(of_inputs_only, static_cast<int>(uniform(random_, 0, 3))));
    }
    if (one_in(random_, 3)) std::shuffle(parts.begin(), parts.end(), random_);
    return ExactFormula::all_of(std::move(parts));
  }

 private:
  using Point = std::vector<mpq_class>;

  // A disjunction of pairs of a box and a condition, each with its own bounds.
  ExactFormula choice_of_boxes(bool of_inputs_only) {
    std::vector<ExactFormula> choices;
    for (std::int64_t count = uniform(random_, 1, 3); count > 0; --count) {
      std::vector<ExactFormula> parts = bounds();
      if (!one_in(random_, 5)) parts.push_back(tree(of_inputs_only, static_cast<int>(uniform(random_, 0, 2))));
      choices.push_back(ExactFormula::all_of(std::move(parts)));
    }
    std::vector<ExactFormula> all{ExactFormula::any_of(std::move(choices))};
    if (one_in(random_, 3)) all.push_back(tree(of_inputs_only, 1));
    return ExactFormula::all_of(std::move(all));
  }

  // A random number. Most are doubles, some are not.
  mpq_class number() {
    switch (uniform(random_, 0, 9)) {
      case 0:
        return fraction(uniform(random_, -20, 20), 10);
      case 1:
        return fraction(uniform(random_, -2000000000000000000, 2000000000000000000), 1000000000000000000);
      case 2:
        return cut_decimal(fraction(uniform(random_, -100, 100), 77), static_cast<int>(uniform(random_, 3, 40)));
      default:
        return fraction(uniform(random_, -16, 16), 8);
    }
  }

  mpq_class tiny() {
    static constexpr int kDigits[] = {6, 9, 12, 18, 30, 60, 310, 322};
    const int digits = one_of(random_, kDigits);
    return cut_decimal(fraction(uniform(random_, 1, 9), 1) * inverse_power_of_ten(digits), digits);
  }

  static mpq_class inverse_power_of_ten(int exponent) {
    mpz_class power;
    mpz_ui_pow_ui(power.get_mpz_t(), 10, static_cast<unsigned long>(exponent));
    return mpq_class(1, power);
  }

  // The width of a box along one side.
  mpq_class width() {
    switch (uniform(random_, 0, 15)) {
      case 0:
      case 1:
        return 0;
      case 2:
        return tiny();
      case 3:
        return fraction(1, 1000000000);
      default:
        return fraction(uniform(random_, 1, 24), 8);
    }
  }

  LinearSum nothing() const { return LinearSum(inputs_, outputs_); }
  LinearSum constant(const mpq_class& value) const {
    LinearSum sum = nothing();
    sum.constant = value;
    return sum;
  }
  LinearSum input(std::size_t i) const {
    LinearSum sum = nothing();
    sum.inputs[i] = 1;
    return sum;
  }

  ExactFormula compare(const LinearSum& left, Relation relation, const LinearSum& right) {
    return ExactFormula::of({relation, left, right});
  }
  // Compares one input with a number. Both may be multiplied by a factor whose inverse need not be a finite decimal.
  ExactFormula compare(std::size_t i, Relation relation, const mpq_class& value) {
    static constexpr int kFactors[] = {1, 1, 1, 1, 1, 1, 2, 10, 3};
    const int factor = one_of(random_, kFactors);
    LinearSum left = input(i);
    left.inputs[i] = factor;
    return compare(left, relation, constant(factor * value));
  }

  // Bounds on every input. Sets `low_` and `high_` to the values between them.
  std::vector<ExactFormula> bounds() {
    low_.assign(inputs_, 0);
    high_.assign(inputs_, 0);
    std::vector<ExactFormula> result;
    for (std::size_t i = 0; i < inputs_; ++i) {
      low_[i] = one_in(random_, 20) ? mpq_class(-tiny()) : number();
      high_[i] = low_[i] + width();
      if (i > 0 && one_in(random_, 20)) {
        bound_by_rows(i, result);
      } else {
        bound(i, result);
      }
    }
    if (one_in(random_, 25)) {  // an empty box
      const auto i = random_input();
      result.push_back(compare(i, Relation::kGreater, high_[i]));
    }
    return result;
  }

  void bound(std::size_t i, std::vector<ExactFormula>& result) {
    if (low_[i] == high_[i] && one_in(random_, 2)) {
      result.push_back(compare(i, Relation::kEqual, low_[i]));
      return;
    }
    const bool strict = low_[i] < high_[i];
    const auto lower = strict && one_in(random_, 10) ? Relation::kGreater : Relation::kGreaterEqual;
    const auto upper = strict && one_in(random_, 10) ? Relation::kLess : Relation::kLessEqual;
    result.push_back(compare(i, lower, low_[i]));
    result.push_back(compare(i, upper, high_[i]));
    if (one_in(random_, 10)) result.push_back(compare(i, Relation::kLessEqual, high_[i] + fraction(1, 25)));
    if (one_in(random_, 10)) result.push_back(compare(i, Relation::kGreaterEqual, low_[i] - tiny()));
  }

  // Asserts that the input is a multiple of another input, or within a distance of it.
  void bound_by_rows(std::size_t i, std::vector<ExactFormula>& result) {
    const auto other = static_cast<std::size_t>(uniform(random_, 0, static_cast<std::int64_t>(i) - 1));
    LinearSum multiple = nothing();
    multiple.inputs[other] = fraction(uniform(random_, -12, 12), 10);
    const mpq_class a = multiple.inputs[other] * low_[other], b = multiple.inputs[other] * high_[other];
    low_[i] = std::min(a, b);
    high_[i] = std::max(a, b);
    if (one_in(random_, 2)) {
      result.push_back(compare(input(i), Relation::kEqual, multiple));
      return;
    }
    LinearSum above = multiple;
    above.constant = width();
    high_[i] += above.constant;
    result.push_back(compare(input(i), Relation::kGreaterEqual, multiple));
    result.push_back(compare(input(i), Relation::kLessEqual, above));
  }

  std::size_t random_input() {
    return static_cast<std::size_t>(uniform(random_, 0, static_cast<std::int64_t>(inputs_) - 1));
  }
  std::size_t random_output() {
    return static_cast<std::size_t>(uniform(random_, 0, static_cast<std::int64_t>(outputs_) - 1));
  }

  // A corner of the box, its middle, or a point in between.
  Point some_point() {
    Point point = low_;
    const bool corner = one_in(random_, 2);
    for (std::size_t i = 0; i < inputs_; ++i) {
      const std::int64_t share = corner ? 4 * uniform(random_, 0, 1) : uniform(random_, 0, 4);
      point[i] += fraction(share, 4) * (high_[i] - low_[i]);
    }
    return point;
  }

  Point outputs_at(const Point& point) const {
    Point outputs;
    for (const ExactInterval& y : exact_outputs(network_, point)) outputs.push_back(y.low);
    return outputs;
  }

  ExactFormula tree(bool of_inputs_only, int depth) {
    if (depth == 0) return leaf(of_inputs_only);
    std::vector<ExactFormula> parts;
    for (std::int64_t count = uniform(random_, 1, 3); count > 0; --count) {
      parts.push_back(tree(of_inputs_only, static_cast<int>(uniform(random_, 0, depth - 1))));
    }
    ExactFormula result =
        one_in(random_, 2) ? ExactFormula::all_of(std::move(parts)) : ExactFormula::any_of(std::move(parts));
    if (one_in(random_, 60)) {
      for (int level = 0; level < 30; ++level) {
        std::vector<ExactFormula> inner{std::move(result)};
        result = level % 2 == 0 ? ExactFormula::all_of(std::move(inner)) : ExactFormula::any_of(std::move(inner));
      }
    }
    return result;
  }

  ExactFormula leaf(bool of_inputs_only) {
    const std::int64_t kind = uniform(random_, 0, 19);
    if (kind == 0) return constants();
    if (of_inputs_only || kind <= 4) return kind % 2 == 0 ? cut() : touching(inputs_row());
    if (kind <= 6) return touching(mixed_row());
    return touching(outputs_row());
  }

  ExactFormula constants() {
    const mpq_class a = number();
    return compare(constant(a), relation(), constant(one_in(random_, 2) ? a : number()));
  }

  // Compares one input with its value at a point of the box, or with a value next to that.
  ExactFormula cut() {
    const std::size_t i = random_input();
    return compare(i, relation(), moved(some_point()[i]));
  }

  Relation relation() {
    using enum Relation;
    static constexpr Relation kAny[] = {kLessEqual,    kLessEqual,    kLessEqual,    kLessEqual, kGreaterEqual,
                                        kGreaterEqual, kGreaterEqual, kGreaterEqual, kLess,      kLess,
                                        kGreater,      kGreater,      kEqual,        kDifferent};
    return one_of(random_, kAny);
  }

  mpq_class coefficient() {
    switch (uniform(random_, 0, 11)) {
      case 0:
      case 1:
        return fraction(uniform(random_, -30, 30), 10);
      case 2:
        return one_in(random_, 8) ? number() : mpq_class(3);
      case 3:
        return fraction(uniform(random_, -5, 5), 1);
      default:
        return one_in(random_, 2) ? 1 : -1;
    }
  }

  LinearSum inputs_row() {
    LinearSum row = nothing();
    for (std::int64_t terms = uniform(random_, 1, 3); terms > 0; --terms) row.inputs[random_input()] = coefficient();
    return row;
  }
  LinearSum outputs_row() {
    LinearSum row = nothing();
    for (std::int64_t terms = uniform(random_, 1, 2); terms > 0; --terms) row.outputs[random_output()] = coefficient();
    return row;
  }
  LinearSum mixed_row() {
    LinearSum row = inputs_row();
    row.outputs[random_output()] = coefficient();
    return row;
  }

  // Compares the sum with its value at some point, or with a value next to that. Terms are placed on both sides.
  ExactFormula touching(const LinearSum& row) {
    const Point point = some_point();
    mpq_class value = row.at(point, outputs_at(point));
    if (one_in(random_, 3)) value = number();
    LinearSum left = nothing(), right = constant(moved(value));
    for (std::size_t i = 0; i < inputs_; ++i) place(row.inputs[i], left.inputs[i], right.inputs[i]);
    for (std::size_t i = 0; i < outputs_; ++i) place(row.outputs[i], left.outputs[i], right.outputs[i]);
    return compare(left, relation(), right);
  }

  void place(const mpq_class& coefficient, mpq_class& left, mpq_class& right) {
    if (one_in(random_, 4)) {
      right = -coefficient;
    } else {
      left = coefficient;
    }
  }

  mpq_class moved(const mpq_class& value) {
    switch (uniform(random_, 0, 5)) {
      case 0:
        return value + tiny();
      case 1:
        return value - tiny();
      case 2:
        return value + number();
      default:
        return value;
    }
  }

  Random& random_;
  const network::Network& network_;
  std::size_t inputs_, outputs_;
  Point low_, high_;
};

}  // namespace

VnnlibQuestion random_vnnlib(Random& random, const network::Network& network) {
  constexpr std::size_t kMostConjunctions = 24;
  while (true) {
    ExactFormula formula = Maker(random, network).formula();
    if (count_conjunctions(formula) > kMostConjunctions) continue;
    std::string text = vnnlib_text(random, formula, static_cast<std::size_t>(network.input_size()),
                                   static_cast<std::size_t>(network.output_size()));
    return {std::move(formula), std::move(text)};
  }
}

}  // namespace plumb::testing
