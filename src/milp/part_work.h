// part_work.h: what the steps that decide one part of a query's region share. milp_engine.h lists the steps.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attack/witness_check.h"
#include "base/limits.h"
#include "property/query.h"
#include "verdict/verdict.h"

namespace plumb::milp {

class Clock {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// The outcome of one question to the solver, or of one part of the region.
struct Outcome {
  verdict::Answer answer = verdict::Answer::kUnknown;
  std::string reason;
  verdict::Evidence evidence = verdict::Evidence::kRigorous;
};

inline Outcome holds(std::string reason, verdict::Evidence evidence) {
  return {.answer = verdict::Answer::kHolds, .reason = std::move(reason), .evidence = evidence};
}
inline Outcome violated(std::string reason) {
  return {.answer = verdict::Answer::kViolated, .reason = std::move(reason)};
}
inline Outcome unknown(std::string reason) {
  return {.answer = verdict::Answer::kUnknown, .reason = std::move(reason)};
}

// What all parts of one query share.
struct QueryWork {
  QueryWork(const property::Query& asked, const Limits& limits,
            std::shared_ptr<const attack::NetworkEvaluators> evaluators)
      : query(asked), budget(limits), check(asked, std::move(evaluators)) {}

  const property::Query& query;
  Budget budget;
  attack::WitnessCheck check;
  std::optional<verdict::Witness> witness;
  std::optional<verdict::Witness> over_reals;  // unsafe over the reals, but not confirmed in float32
  bool attacked = false;
  verdict::Statistics statistics;
};

// What is known about one part.
struct PartWork {
  QueryWork& query;
  std::size_t number;
  const property::SimpleRegion& region;
  verdict::Evidence evidence = verdict::Evidence::kRigorous;  // of the bounds
  std::vector<double> missed_by{};                            // of each conjunction, by the best proof or claim
  double solve_seconds = 0;
};

}  // namespace plumb::milp
