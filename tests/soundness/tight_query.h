// tight_query.h: queries that bounds alone do not decide.
#pragma once

#include "property/query.h"
#include "support/exact_decision.h"

namespace plumb::testing {

// Whether an output of a chain of dense layers with three inputs reaches a threshold near its least value. It barely
// does if `violated`, and barely does not otherwise.
inline property::Query near_the_least_value(const network::Network& network, bool violated) {
  const property::Region region(property::Box{{-1, -1, -1}, {1, 1, 1}});
  const double least = exact_minimum(network, region, {1})->low.get_d();
  const double bound = least + (violated ? 1e-3 : -1e-3);
  return {shared(network), region,
          property::UnsafeSet{{property::Conjunction{property::OutputInequality{{1}, {}, bound, false}}}}};
}

}  // namespace plumb::testing
