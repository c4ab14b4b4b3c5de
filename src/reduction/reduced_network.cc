#include "reduction/reduced_network.h"

#include <algorithm>

namespace plumb::reduction {

void ReducedNetwork::tighten(std::int64_t unit, double lower, double upper) {
  Unit& tightened = units_[static_cast<std::size_t>(unit)];
  tightened.lower = std::max(tightened.lower, lower);
  tightened.upper = std::min(tightened.upper, upper);
  draw_line(unit);
}

void ReducedNetwork::draw_line(std::int64_t unit) {
  const auto k = static_cast<std::size_t>(unit);
  const bounds::Lines line = bounds::relu_lines(std::span(&units_[k].lower, 1), std::span(&units_[k].upper, 1));
  lines_.lower_slope.resize(std::max(lines_.lower_slope.size(), k + 1));
  lines_.upper_slope.resize(lines_.lower_slope.size());
  lines_.upper_intercept.resize(lines_.lower_slope.size());
  lines_.lower_slope[k] = line.lower_slope[0];
  lines_.upper_slope[k] = line.upper_slope[0];
  lines_.upper_intercept[k] = line.upper_intercept[0];
}

std::vector<double> ReducedNetwork::evaluate(std::span<const double> u) const {
  std::vector<double> values;
  evaluate(u, values);
  return {values.begin() + unit_count(), values.end()};
}

void ReducedNetwork::evaluate(std::span<const double> u, std::vector<double>& values) const {
  values.assign(static_cast<std::size_t>(rows()), 0.0);
  for (std::int64_t row = 0; row < rows(); ++row) {
    double sum = constant(row);
    const auto inputs = on_inputs_.columns(row), units = on_units_.columns(row);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      sum += on_inputs_.values(row)[i] * u[static_cast<std::size_t>(inputs[i])];
    }
    for (std::size_t k = 0; k < units.size(); ++k) {
      sum += on_units_.values(row)[k] * std::max(0.0, values[static_cast<std::size_t>(units[k])]);
    }
    values[static_cast<std::size_t>(row)] = sum;
  }
}

}  // namespace plumb::reduction
