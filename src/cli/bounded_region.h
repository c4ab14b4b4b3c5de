// bounded_region.h: the bounds that plumb bounds proves over one region, in numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bounds/backward.h"
#include "bounds/region_bounds.h"
#include "verdict/layer_summary.h"

namespace plumb::cli {

struct BoundsMethod {
  std::string name = "linear";  // interval, linear, alpha, lp or milp
  int steps = 20;               // that optimise slopes, with alpha
};

// Memory of one region at a time.
struct MemoryBudget {
  std::int64_t reduced = 0, rows = 0;  // for the reduced network, and for rows on their way back
};
// Divides `gib` among `workers` regions at a time: half for the reduced network, a quarter for rows.
MemoryBudget memory_budget(double gib, std::ptrdiff_t workers, const network::Network& network);

// Seconds per stage.
struct Stages {
  double bounds = 0, slopes = 0, reduction = 0, margins = 0;

  double total() const { return bounds + slopes + reduction + margins; }
};

struct ReducedSize {
  std::int64_t rows = 0, inputs = 0, bytes = 0;
};

struct BoundedRegion {
  std::vector<verdict::LayerSummary> layers;
  std::vector<double> lower;           // of the functionals, in order
  std::optional<ReducedSize> reduced;  // nullopt: too large to be stored
  Stages seconds;
};

// `functionals` returns what is bounded in the end, given the bounds of all nodes. The region has one part.
BoundedRegion bound_region(const BoundsMethod& method, const property::Region& region, const MemoryBudget& budget,
                           const std::shared_ptr<const bounds::BoundedNetwork>& network,
                           const std::function<bounds::Functionals(const bounds::RegionBounds&)>& functionals);

}  // namespace plumb::cli
