#include "reduction/cuts.h"

#include <algorithm>

namespace plumb::reduction {

LooseRow excess(const Cut& cut) {
  LooseRow row{cut.row.inputs, cut.row.units, -cut.row.constant, 0};
  for (std::vector<Entry>* terms : {&row.inputs, &row.units}) {
    for (Entry& term : *terms) term.value = -term.value;
  }
  row.units.insert(row.units.end(), cut.bounded.begin(), cut.bounded.end());
  std::ranges::sort(row.units, {}, &Entry::column);
  if (std::ranges::adjacent_find(row.units, {}, &Entry::column) != row.units.end()) {
    throw InternalError("cuts", "a joint cut has a unit on both sides");
  }
  return row;
}

}  // namespace plumb::reduction
