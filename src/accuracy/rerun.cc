#include "accuracy/rerun.h"

#include <limits>

#include "base/error.h"
#include "base/numbers.h"

namespace plumb::accuracy {
namespace {

bool had_less(const store::ResultBrief& stored, const Limits& limits) {
  return stored.timeout.value_or(kInfinity) < limits.seconds ||
         stored.work_limit.value_or(std::numeric_limits<std::int64_t>::max()) < limits.work;
}

}  // namespace

bool is_open(const store::ResultBrief& stored, Rerun rerun, const Limits& limits, double started) {
  if (stored.recorded >= started) return false;
  const bool unknown = stored.answer == verdict::Answer::kUnknown;
  switch (rerun) {
    case Rerun::kLargerLimit:
      return unknown && had_less(stored, limits);
    case Rerun::kNever:
      return false;
    case Rerun::kUnknown:
      return unknown;
    case Rerun::kViolatedUnconfirmed:
      return unknown && stored.reason.find("not confirmed") != std::string::npos;
    case Rerun::kAll:
      return true;
  }
  throw InternalError("rerun", "invalid Rerun value");
}

}  // namespace plumb::accuracy
