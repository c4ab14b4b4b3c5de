// engine_options.h: which engine decides queries, and how.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assembly/memory_limit.h"
#include "base/limits.h"
#include "milp/milp_engine.h"
#include "search/decide.h"
#include "search/techniques.h"

namespace plumb::assembly {

// kBab is branch and bound on the reduced network, kMilp a mixed-integer program, kBounds nothing but bounds. kAuto is
// kMilp if an option that only kMilp has is set, and kBab otherwise.
enum class EngineKind { kAuto, kBab, kMilp, kBounds };

const char* name_of(EngineKind kind);

struct EngineOptions {
  EngineKind engine = EngineKind::kAuto;
  int threads = 1;                                          // per query: of the search or of the solver
  std::optional<std::chrono::duration<double>> time_limit;  // per query
  std::optional<std::int64_t> work_limit;                   // per query; each engine defines what it counts

  // For kBab and kMilp.
  bool cuts = true;

  // For kBab.
  std::int64_t memory = 4 * kBytesPerGib;  // bytes, of all queries at work together
  search::InputSplitting splitting = search::InputSplitting::kAuto;
  std::vector<search::Technique> without;  // left out of the search, for an ablation
  bool audit = false;                      // every claim of the search is proven again (audited.h)

  // For kMilp. The first two are for kBounds as well.
  std::optional<std::string> solver;                           // nullopt means the default
  std::optional<std::vector<bounds::BoundMethod>> tightening;  // of units; nullopt means the default
  milp::NetworkForm network_form = milp::NetworkForm::kReduced;
  milp::ConjunctionForm conjunctions = milp::ConjunctionForm::kOneByOne;
  bool progressive = true;        // false: the last method bounds every unit, decided or not
  bool restricted_domain = true;  // false: units are bounded over the whole domain, once
  milp::BigM big_m = milp::BigM::kAsymmetric;
  std::optional<std::filesystem::path> written_model;  // gets the program: LP text if it ends in .lp, otherwise MPS
};

// `cancel` may be nullptr.
Limits limits_of(const EngineOptions& options, const std::atomic<bool>* cancel);

}  // namespace plumb::assembly
