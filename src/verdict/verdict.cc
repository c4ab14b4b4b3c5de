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

AuditStatistics& AuditStatistics::operator+=(const AuditStatistics& more) {
  closings += more.closings;
  refutations += more.refutations;
  bounds += more.bounds;
  cuts += more.cuts;
  pieces += more.pieces;
  not_confirmed += more.not_confirmed;
  seconds += more.seconds;
  return *this;
}

Statistics& Statistics::operator+=(const Statistics& more) {
  build_seconds += more.build_seconds;
  solve_seconds += more.solve_seconds;
  nodes += more.nodes;
  lps += more.lps;
  simplex_iterations += more.simplex_iterations;
  work += more.work;
  conjunctions_eliminated += more.conjunctions_eliminated;
  refined += more.refined;
  skipped_decided += more.skipped_decided;
  skipped_exact += more.skipped_exact;
  cuts += more.cuts;
  cut_rounds += more.cut_rounds;
  if (more.audit) {
    if (!audit) audit.emplace();
    *audit += *more.audit;
  }
  if (layers.empty()) layers = more.layers;
  return *this;
}

}  // namespace plumb
