// decide.h: what an engine can be asked, as functions.
//
// Questions (src/verify) take these, so that they know no engine; engines (src/search, src/milp) provide them.
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
  // No unsafe point of the region is nearer; infinite if there is none at all. Zero if nothing is known.
  double lower = 0;
  Evidence evidence = Evidence::kSolver;
  std::vector<double> point;  // network input, or parameters of an affine image; empty if there is none; not checked
  Statistics statistics;
};
// Of the query's points. The region says how distances are measured.
using MinimiseDistance =
    std::function<NearestUnsafe(const property::Query&, const property::GrowingRegion&, const Limits&)>;

// What a solver claims about the least margin.
struct LeastMargin {
  double lower = 0;  // minus infinity if nothing is known
  Evidence evidence = Evidence::kSolver;
  // Where the solver found it: a network input, or parameters if that part of the region is an affine image; empty if
  // there is no point. Not checked.
  std::vector<double> point;
  std::size_t part = 0;
  Statistics statistics;
};
// `reached`: a margin that some point has, infinite if none is known. The solver need not look for larger ones.
using MinimiseMargin = std::function<LeastMargin(const property::Query&, double reached, const Limits&)>;

}  // namespace plumb::verdict
