// engines.h: every way in which a query can be decided, for tests that compare all of them.
#pragma once

#include <memory>

#include "assembly/engine.h"
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

inline assembly::EngineOptions options_of(Engine engine) {
  assembly::EngineOptions options;
  options.engine = engine == Engine::kMilp ? assembly::EngineKind::kMilp : assembly::EngineKind::kBab;
  options.audit = engine == Engine::kAudited;
  if (engine == Engine::kUnits || engine == Engine::kThreads) options.splitting = search::InputSplitting::kUnit;
  if (engine == Engine::kInputs) options.splitting = search::InputSplitting::kInput;
  if (engine == Engine::kThreads) options.threads = 2;
  return options;
}

inline verdict::Decide decide_by(Engine engine, const std::shared_ptr<const attack::NetworkEvaluators>& evaluators) {
  return assembly::make_engine(options_of(engine), evaluators).decide;
}

// Whether the verdict is a solver's claim about numbers far beyond its tolerances. Such a verdict is marked as a claim.
// Plumb's own proofs must be right for every network.
inline bool may_be_a_false_claim(const verdict::Verdict& verdict, const network::Network& network) {
  return verdict.evidence == verdict::Evidence::kSolver && is_extreme(network);
}

}  // namespace plumb::testing
