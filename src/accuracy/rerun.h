// rerun.h: which stored results are solved again.
#pragma once

#include "base/limits.h"
#include "store/store.h"

namespace plumb::accuracy {

enum class Rerun {
  kLargerLimit,  // unknown results that had a smaller limit than this run
  kNever,
  kUnknown,              // all unknown results
  kViolatedUnconfirmed,  // unknown results for which a solver had a point that was not confirmed
  kAll
};

// Whether a stored result is to be solved again. Results recorded since `started` are not, whichever process recorded
// them, so that each result is solved again only once.
bool is_open(const store::ResultBrief& stored, Rerun rerun, const Limits& limits, double started);

}  // namespace plumb::accuracy
