#include "search/cuts/cut_family.h"

#include <algorithm>

#include "base/numbers.h"
#include "base/rounding.h"

namespace plumb::search {

RelaxationPoint relaxation_point(const reduction::ReducedNetwork& network, std::vector<double> u,
                                 std::vector<double> r) {
  RelaxationPoint point{std::move(u), std::move(r), {}};
  for (std::int64_t k = 0; k < network.unit_count(); ++k) point.z.push_back(value_at(loose_row(network, k), point));
  return point;
}

double value_at(const reduction::LooseRow& row, const RelaxationPoint& point) {
  double value = row.constant;
  for (const reduction::Entry& entry : row.inputs) value += entry.value * point.u[index(entry.column)];
  for (const reduction::Entry& entry : row.units) value += entry.value * point.r[index(entry.column)];
  return value;
}

events::CutClaim claim_of(const reduction::Cut& cut) {
  events::CutClaim claim{{}, {}, {}, cut.row.constant};
  for (const reduction::Entry& entry : cut.bounded) claim.bounded.push_back({entry.column, entry.value});
  for (const reduction::Entry& entry : cut.row.inputs) claim.on_coordinates.push_back({entry.column, entry.value});
  for (const reduction::Entry& entry : cut.row.units) claim.on_units.push_back({entry.column, entry.value});
  return claim;
}

// For weights that sum to s: s b . r <= sum_c w_c (g_c . x + t_c). Dividing by s and rounding the sums changes the
// value by at most gamma times the sum of the magnitudes.
reduction::Cut merged(const reduction::ReducedNetwork& network, std::span<const reduction::Cut* const> cuts,
                      std::span<const double> weights) {
  double total = 0;
  for (const double w : weights) total += w;
  std::vector<double> inputs(index(network.space().size()), 0.0), units(index(network.unit_count()), 0.0);
  double constant = 0, magnitudes = 0;
  for (const auto& [unit, factor] : cuts[0]->bounded) {
    magnitudes = sum_up(magnitudes, product_up(factor, std::max(0.0, network.units()[index(unit)].upper)));
  }
  for (std::size_t c = 0; c < cuts.size(); ++c) {
    const double w = weights[c] / total;
    for (const reduction::Entry& entry : cuts[c]->row.inputs) inputs[index(entry.column)] += w * entry.value;
    for (const reduction::Entry& entry : cuts[c]->row.units) units[index(entry.column)] += w * entry.value;
    constant += w * cuts[c]->row.constant;
    magnitudes = sum_up(magnitudes, product_up(w, row_magnitude(network, cuts[c]->row)));
  }
  reduction::Cut result{cuts[0]->bounded, {}};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] != 0) result.row.inputs.push_back({static_cast<std::int32_t>(i), inputs[i]});
  }
  for (std::size_t k = 0; k < units.size(); ++k) {
    if (units[k] != 0) result.row.units.push_back({static_cast<std::int32_t>(k), units[k]});
  }
  const auto roundings = static_cast<std::int64_t>(3 * cuts.size() + 4);
  const double underflow = row_underflow(network, roundings);
  result.row.constant = sum_up(sum_up(constant, product_up(gamma(roundings), magnitudes)), underflow);
  return result;
}

}  // namespace plumb::search
