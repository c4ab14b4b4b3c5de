#include "verdict/verdict.h"

#include "base/error.h"

namespace plumb {

const char* name_of(Answer answer) {
  switch (answer) {
    case Answer::kHolds:
      return "holds";
    case Answer::kViolated:
      return "violated";
    case Answer::kUnknown:
      return "unknown";
  }
  throw InternalError("name_of", "an answer that is none");
}

const char* name_of(Evidence evidence) {
  switch (evidence) {
    case Evidence::kRigorous:
      return "rigorous";
    case Evidence::kSolver:
      return "solver";
  }
  throw InternalError("name_of", "evidence that is none");
}

void add(const AuditStatistics& part, AuditStatistics& total) {
  total.closings += part.closings;
  total.refutations += part.refutations;
  total.bounds += part.bounds;
  total.cuts += part.cuts;
  total.pieces += part.pieces;
  total.not_confirmed += part.not_confirmed;
  total.seconds += part.seconds;
}

}  // namespace plumb
