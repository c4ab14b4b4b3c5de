// rerun.h: which results that are stored are solved again.
#pragma once

#include "base/limits.h"
#include "store/store.h"

namespace plumb::accuracy {

enum class Rerun {
  kLargerLimit,          // unknown ones that had a smaller limit than there is now
  kNever,                //
  kUnknown,              // all unknown ones
  kViolatedUnconfirmed,  // unknown ones for which a solver had a point that was not confirmed
  kAll
};

// Whether a stored result counts as open. Only results from before `started` do, so that what is solved again is solved
// again once, by whichever of several processes.
bool is_open(const store::ResultBrief& stored, Rerun rerun, const Limits& limits, double started);

}  // namespace plumb::accuracy
