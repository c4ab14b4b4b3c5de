// bounds_engine.h: what bounds alone can prove.
//
// In:  a query. Out: holds, rigorous, if bounds exclude every conjunction of the unsafe set; unknown otherwise. No
//      search and no witness: the certified lower bounds that exact answers are compared with.
#pragma once

#include "base/limits.h"
#include "reduction/slope_tightening.h"
#include "verdict/verdict.h"

namespace plumb {

struct BoundsEngineOptions {
  BoundMethod method = BoundMethod::kAlpha;  // interval, linear or alpha, after the cheaper ones
  SlopeOptions slopes;
};

Verdict decide_by_bounds(const BoundedNetwork& network, const Query& query, const BoundsEngineOptions& options);

}  // namespace plumb
