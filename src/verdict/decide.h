// decide.h: what can be asked of an engine, as function types.
//
// The questions in src/verify take such functions, so that they depend on no engine. The engines (src/search, src/milp)
// provide them.
#pragma once

#include <functional>
#include <vector>

#include "base/limits.h"
#include "property/growing_region.h"
#include "property/query.h"
#include "verdict/verdict.h"

namespace plumb::verdict {

using Decide = std::function<Verdict(const property::Query&, const Limits&)>;

// What a solver claims about the nearest unsafe point of a region.
struct NearestUnsafe {
  // No unsafe point of the region is nearer than this. Infinity if there is no unsafe point; zero if nothing is known.
  double lower = 0;
  Evidence evidence = Evidence::kSolver;
  std::vector<double> point;  // network input, or parameters of an affine image; empty if there is none; not checked
  Statistics statistics;
};
// Finds the nearest of the query's unsafe points. The GrowingRegion defines the distance.
using MinimiseDistance =
    std::function<NearestUnsafe(const property::Query&, const property::GrowingRegion&, const Limits&)>;

// What a solver claims about the least margin.
struct LeastMargin {
  double lower = 0;  // minus infinity if nothing is known
  Evidence evidence = Evidence::kSolver;
  // Where the solver found it: a network input, or parameters if the part is an affine image. Empty if there is no
  // point. Not checked.
  std::vector<double> point;
  std::size_t part = 0;
  Statistics statistics;
};
// `reached` is the margin of a known point, infinity if none is known. The solver need not look for larger margins.
using MinimiseMargin = std::function<LeastMargin(const property::Query&, double reached, const Limits&)>;

}  // namespace plumb::verdict
