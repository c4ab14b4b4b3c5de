// engines.h: every way in which a query can be decided, for tests that ask them all.
#pragma once

#include <memory>

#include "assembly/audited.h"
#include "milp/milp_engine.h"
#include "search/decide.h"
#include "solvers/solvers.h"
#include "support/hostile_network.h"
#include "verify/robustness.h"

namespace plumb::testing {

enum class Engine { kAuto, kUnits, kInputs, kThreads, kAudited, kMilp };
inline constexpr int kEngines = 6;

inline const char* name_of(Engine engine) {
  switch (engine) {
    case Engine::kAuto:
      return "auto";
    case Engine::kUnits:
      return "unit splitting";
    case Engine::kInputs:
      return "input splitting";
    case Engine::kThreads:
      return "two threads";
    case Engine::kAudited:
      return "audited";
    case Engine::kMilp:
      return "milp";
  }
  return "";
}

inline DecideOptions options_of(Engine engine) {
  DecideOptions options;
  if (engine == Engine::kUnits || engine == Engine::kThreads) options.splitting = InputSplitting::kUnit;
  if (engine == Engine::kInputs) options.splitting = InputSplitting::kInput;
  if (engine == Engine::kThreads) options.search.threads = 2;
  return options;
}

// The network must outlive what is returned.
inline Decide decide_by(Engine engine, const BoundedNetwork& network,
                        const std::shared_ptr<const NetworkEvaluators>& evaluators) {
  if (engine == Engine::kMilp) {
    const auto milp =
        std::make_shared<const MilpEngine>(network, evaluators, make_solver(kDefaultSolver), MilpOptions());
    return [milp](const Query& query, const Limits& limits) { return milp->decide(query, limits); };
  }
  const auto search = std::make_shared<const SearchEngine>(
      network, evaluators, [] { return make_solver(kDefaultSolver); }, options_of(engine));
  return [search, engine](const Query& query, const Limits& limits) {
    return engine == Engine::kAudited ? decide_audited(*search, query, limits) : search->decide(query, limits);
  };
}

// A solver's claim about numbers far beyond its tolerances; the verdict says that it is one. Plumb's own proofs must be
// right for every network.
inline bool may_be_a_false_claim(const Verdict& verdict, const Network& network) {
  return verdict.evidence == Evidence::kSolver && is_extreme(network);
}

}  // namespace plumb::testing
