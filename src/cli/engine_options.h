// engine_options.h: which engine decides queries, and its options. Shared by the commands that ask questions.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bounds/region_bounds.h"
#include "cli/common_options.h"
#include "verify/distortion.h"
#include "verify/narrowing.h"
#include "verify/worst_margin.h"

namespace plumb::cli {

struct EngineOptions {
  std::string engine = "auto";
  std::string solver;  // empty means the default
  double timeout = 0;  // seconds per query; 0 means none
  std::int64_t work_limit = 0;
  double memory = 4;  // GiB
  std::string split = "auto";
  bool no_cuts = false;  // for the bab and milp engines
  std::string network_form = "reduced", conjunctions = "one-by-one";
  std::string tighten;  // empty means the default list
  bool no_progressive = false, no_restricted_domain = false, symmetric_bounds = false;
  std::string write_model;
  bool audit = false;  // for the bab engine; only verify offers it
};
// The description of --threads for commands with these options.
inline constexpr const char* kSamplesOrSolver = "Samples at the same time; of the search or the solver, with --sample";
void add_engine_options(Command& command, EngineOptions& options);

// Parses a list such as "interval,linear,lp". Throws UsageError if a name is unknown or the list does not increase.
std::vector<bounds::BoundMethod> bound_methods_of(const std::string& list);

// An engine, ready to decide queries about one network.
struct Engine {
  std::string name;    // as in --engine
  std::string solver;  // empty if it uses none
  verdict::Decide decide;
  verify::NarrowingDecide::Onward decide_onward{};  // empty if the engine starts anew each time
  // Finds the nearest unsafe point in a norm, for distortions. Returns an empty function if the engine cannot.
  std::function<verdict::MinimiseDistance(property::Norm)> minimise = [](property::Norm) {
    return verdict::MinimiseDistance();
  };
  verdict::MinimiseMargin minimise_margin{};  // empty if the engine cannot minimise margins

  verify::NarrowingDecide narrowing() const {
    return decide_onward ? verify::NarrowingDecide(decide_onward) : verify::NarrowingDecide(decide);
  }
};

// `domain` is the box of all inputs, if there is one; --no-restricted-domain bounds units over it. `threads` is the
// number of threads per query, of the search or of the solver.
Engine make_engine(const EngineOptions& options, const std::shared_ptr<const bounds::BoundedNetwork>& network,
                   std::shared_ptr<const attack::NetworkEvaluators> evaluators,
                   const std::optional<property::Box>& domain, int threads);

Limits limits_of(const EngineOptions& options, const std::atomic<bool>* cancel);

}  // namespace plumb::cli
