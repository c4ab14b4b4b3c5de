#include "reduction/row_bound.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "base/rounding.h"

namespace plumb::reduction {
namespace {

// The pass from the last unit to the first that the header describes.
class Descent {
 public:
  Descent(const ReducedNetwork& network, const LooseRow& row, const RelaxationChoice& choice)
      : network_(network),
        choice_(choice),
        terms_(2 * network.rows() + network.space().all_coordinates() + 16),
        on_inputs_(index(network.space().all_coordinates()), 0.0),
        on_units_(index(network.unit_count()), 0.0),
        constant_(row.constant),
        error_(loose_sum_up(row.error, loose_product_up(gamma(terms_), row_magnitude(network, row)))) {
    for (const Entry& term : row.inputs) on_inputs_[index(term.column)] += term.value;
    for (const Entry& term : row.units) on_units_[index(term.column)] += term.value;
  }

  AffineBound affine_bound() && {
    descend();
    return {std::move(on_inputs_), constant_, error_};
  }

  double bound() {
    descend();
    const double least = minimum_over_inputs();
    const double value = round_down(round_down(least + constant_) - error_);
    // A region that is certainly empty has a minimum of +infinity. Any other value that is not finite is no bound.
    const bool empty = least == kInfinity && std::isfinite(constant_) && std::isfinite(error_);
    return std::isfinite(value) ? value : (empty ? kInfinity : -kInfinity);
  }

 private:
  void descend() {
    for (std::int64_t k = network_.unit_count() - 1; k >= 0; --k) {
      const double v = on_units_[index(k)];
      if (v < 0 && is_open(k) && !choice_.above.empty() && choice_.above[index(k)] != nullptr) {
        substitute(*choice_.above[index(k)], v);
        continue;
      }
      const double passed = relax(k, v);
      if (passed != 0) substitute(k, passed);
    }
    error_ =
        loose_sum_up(error_, loose_product_up(gamma(terms_), loose_product_up(intercepts_, 1 + 2 * gamma(terms_))));
    error_ = loose_sum_up(error_, row_underflow(network_, terms_));
  }

  bool is_open(std::int64_t k) const { return choice_.split.empty() || choice_.split[index(k)] == Split::kOpen; }

  // Adds m times a row, without relaxing anything.
  void substitute(const LooseRow& row, double m) {
    for (const Entry& entry : row.inputs) on_inputs_[index(entry.column)] += m * entry.value;
    for (const Entry& entry : row.units) on_units_[index(entry.column)] += m * entry.value;
    constant_ += m * row.constant;
    const double price = loose_sum_up(row.error, loose_product_up(gamma(terms_), row_magnitude(network_, row)));
    error_ = loose_sum_up(error_, loose_product_up(std::abs(m), price));
  }

  // Returns the coefficient of z_k, given the coefficient v of r_k.
  double relax(std::int64_t k, double v) {
    const Split split = choice_.split.empty() ? Split::kOpen : choice_.split[index(k)];
    const double multiplier = choice_.multiplier.empty() ? 0 : std::max(0.0, choice_.multiplier[index(k)]);
    if (split == Split::kActive) return v - multiplier;
    if (split == Split::kInactive) return multiplier;
    const bounds::Lines& lines = choice_.lines != nullptr ? *choice_.lines : network_.lines();
    if (v > 0) {
      return v * (choice_.slope.empty() ? lines.lower_slope[index(k)] : std::clamp(choice_.slope[index(k)], 0.0, 1.0));
    }
    const double intercept = v * lines.upper_intercept[index(k)];
    constant_ += intercept;
    intercepts_ += std::abs(intercept);
    return v * lines.upper_slope[index(k)];
  }

  void substitute(std::int64_t k, double m) {
    const auto inputs = network_.on_inputs().columns(k), units = network_.on_units().columns(k);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      on_inputs_[index(inputs[i])] += m * network_.on_inputs().values(k)[i];
    }
    for (std::size_t j = 0; j < units.size(); ++j) on_units_[index(units[j])] += m * network_.on_units().values(k)[j];
    constant_ += m * network_.constant(k);
    error_ = loose_sum_up(error_, loose_product_up(std::abs(m), row_price(network_, k, terms_)));
  }

  double minimum_over_inputs() {
    const InputSpace& space = network_.space();
    if (!space.is_cube()) return minimum(space.part(), on_inputs_);
    double sum = 0;
    for (const double a : on_inputs_) sum += std::abs(a);
    return round_down(-loose_product_up(sum, 1 + 2 * gamma(terms_)));
  }

  const ReducedNetwork& network_;
  RelaxationChoice choice_;
  std::int64_t terms_;  // upper bound on the number of terms in any sum
  std::vector<double> on_inputs_, on_units_;
  double constant_, error_, intercepts_ = 0;
};

}  // namespace

LooseRow loose_row(const ReducedNetwork& network, std::int64_t row, double factor) {
  LooseRow result;
  const auto terms = [&](const SparseRows& rows) {
    std::vector<Entry> list;
    for (std::size_t i = 0; i < rows.columns(row).size(); ++i) {
      list.push_back({rows.columns(row)[i], factor * rows.values(row)[i]});
    }
    return list;
  };
  result.inputs = terms(network.on_inputs());
  result.units = terms(network.on_units());
  result.constant = factor * network.constant(row);
  result.error = network.error(row);
  return result;
}

double row_magnitude(const ReducedNetwork& network, const LooseRow& row) {
  double sum = std::abs(row.constant);
  for (const Entry& term : row.inputs) sum += std::abs(term.value) * network.space().magnitude(term.column);
  for (const Entry& term : row.units) {
    sum += std::abs(term.value) * std::max(0.0, network.units()[index(term.column)].upper);
  }
  // All terms are non-negative: the sum is too small by at most gamma times itself, plus what its products lost to
  // underflow.
  const auto terms = static_cast<std::int64_t>(row.inputs.size() + row.units.size()) + 2;
  return loose_sum_up(loose_product_up(sum, 1 + 2 * gamma(terms)), static_cast<double>(terms) * kSmallestSubnormal);
}

double row_price(const ReducedNetwork& network, std::int64_t row, std::int64_t terms) {
  double magnitude = network.magnitude(row);
  if (row < network.unit_count()) {
    const auto& unit = network.units()[index(row)];
    magnitude = loose_sum_up(magnitude, std::max(-unit.lower, unit.upper));  // for the rounding of m = s v
  }
  return loose_sum_up(network.error(row), loose_product_up(gamma(terms), magnitude));
}

double row_underflow(const ReducedNetwork& network, std::int64_t terms) {
  double reach = static_cast<double>(terms);
  for (std::int64_t i = 0; i < network.space().size(); ++i) reach = loose_sum_up(reach, network.space().magnitude(i));
  for (const auto& unit : network.units()) reach = loose_sum_up(reach, std::max(-unit.lower, unit.upper));
  return loose_product_up(reach, static_cast<double>(2 * terms) * kSmallestSubnormal);
}

AffineBound affine_lower_bound(const ReducedNetwork& network, const LooseRow& row, const RelaxationChoice& choice) {
  return Descent(network, row, choice).affine_bound();
}

double lower_bound(const ReducedNetwork& network, const LooseRow& row, const RelaxationChoice& choice) {
  return Descent(network, row, choice).bound();
}

}  // namespace plumb::reduction
