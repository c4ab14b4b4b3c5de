#include "search/halving/sensitivity.h"
#include "base/numbers.h"

#include <cmath>

namespace plumb::search {
namespace {

// Half the width of u_i's range.
double half_width(const reduction::InputSpace& space, std::int64_t i) {
  if (space.is_cube()) return 1;
  const property::Box box = enclosing_box(space.part());
  return box.upper[index(i)] / 2 - box.lower[index(i)] / 2;
}

}  // namespace

std::int64_t most_sensitive(const lanes::RowSource& rows, std::int64_t functional) {
  const auto system = rows.lanes();
  lanes::Lanes<double> lanes = system->lanes();
  system->ask_row(lanes, 0, system->units() + functional, 1);
  system->backward(lanes);
  std::vector<double> influence(index(system->inputs()));
  for (std::int64_t i = 0; i < system->inputs(); ++i) influence[index(i)] = std::abs(lanes.gradient.at(i, 0));
  if (const reduction::ReducedNetwork* reduced = rows.reduced()) {
    for (std::int64_t k = 0; k < system->units(); ++k) {
      const double weight = std::abs(lanes.on_value.at(k, 0)) * lanes.upper_slope.at(k, 0);
      const auto columns = reduced->on_inputs().columns(k);
      const auto values = reduced->on_inputs().values(k);
      for (std::size_t e = 0; e < columns.size(); ++e) influence[index(columns[e])] += weight * std::abs(values[e]);
    }
  }
  std::int64_t best = 0;
  for (std::int64_t i = 0; i < system->inputs(); ++i) {
    influence[index(i)] *= half_width(system->space(), i);
    if (influence[index(i)] > influence[index(best)]) best = i;
  }
  return system->inputs() == 0 ? 0 : system->space().scaled_input(best);
}

}  // namespace plumb::search
