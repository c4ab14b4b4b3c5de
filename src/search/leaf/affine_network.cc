#include "search/leaf/affine_network.h"

#include <numeric>

#include "base/numbers.h"

namespace plumb::search {

void AffineRow::add(double factor, const AffineRow& other) {
  for (std::size_t i = 0; i < slope.size(); ++i) slope[i] += factor * other.slope[i];
  constant += factor * other.constant;
}

double AffineRow::at(std::span<const double> u) const {
  return std::inner_product(slope.begin(), slope.end(), u.begin(), constant);
}

AffineNetwork::AffineNetwork(const reduction::ReducedNetwork& network, std::int64_t functional_row,
                             std::span<const std::int64_t> constraints, std::span<const reduction::Split> splits,
                             const ProofChoices& choices)
    : network_(network) {
  const std::vector<double> on_value = values_used(functional_row, constraints, splits, choices);
  const bounds::Lines& lines = network.lines();
  for (std::size_t k = 0; k < splits.size(); ++k) {
    double slope = splits[k] == reduction::Split::kActive ? 1 : 0, intercept = 0;
    if (splits[k] == reduction::Split::kOpen && on_value[k] >= 0) slope = choices.slope[k];
    if (splits[k] == reduction::Split::kOpen && on_value[k] < 0) {
      slope = lines.upper_slope[k];
      intercept = lines.upper_intercept[k];
    }
    AffineRow argument = row(static_cast<std::int64_t>(k));
    AffineRow value{std::vector<double>(argument.slope.size()), intercept};
    value.add(slope, argument);
    arguments_.push_back(std::move(argument));
    values_.push_back(std::move(value));
  }
}

AffineRow AffineNetwork::row(std::int64_t r) const {
  AffineRow result{std::vector<double>(index(network_.space().size())), network_.constant(r)};
  const auto inputs = network_.on_inputs().columns(r), units = network_.on_units().columns(r);
  for (std::size_t e = 0; e < inputs.size(); ++e) result.slope[index(inputs[e])] = network_.on_inputs().values(r)[e];
  for (std::size_t e = 0; e < units.size(); ++e) {
    result.add(network_.on_units().values(r)[e], values_[index(units[e])]);
  }
  return result;
}

// The coefficient of each unit's value. Its sign says which line an open unit takes.
std::vector<double> AffineNetwork::values_used(std::int64_t functional_row, std::span<const std::int64_t> constraints,
                                               std::span<const reduction::Split> splits,
                                               const ProofChoices& choices) const {
  std::vector<double> on_value(splits.size(), 0.0);
  const auto add = [&](std::int64_t r, double factor) { network_.on_units().add_multiple(r, factor, on_value); };
  add(functional_row, 1);
  for (std::size_t c = 0; c < constraints.size(); ++c) add(constraints[c], choices.constraint_multiplier[c]);
  for (std::size_t k = splits.size(); k-- > 0;) {
    const double v = on_value[k];
    double passed = v * (v >= 0 ? choices.slope[k] : network_.lines().upper_slope[k]);
    if (splits[k] == reduction::Split::kActive) passed = v - choices.multiplier[k];
    if (splits[k] == reduction::Split::kInactive) passed = choices.multiplier[k];
    add(static_cast<std::int64_t>(k), passed);
  }
  return on_value;
}

}  // namespace plumb::search
