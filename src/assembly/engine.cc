#include "assembly/engine.h"

#include <fmt/format.h>

#include <fstream>
#include <limits>
#include <utility>

#include "assembly/audited.h"
#include "base/error.h"
#include "milp/bounds_engine.h"
#include "milp/milp_distortion.h"
#include "milp/milp_margin.h"
#include "program/write_lp.h"
#include "program/write_mps.h"
#include "solvers/solvers.h"

namespace plumb::assembly {
namespace {

void write_model(const std::filesystem::path& path, const program::Program& program) {
  std::ofstream file(path);
  file << (path.string().ends_with(".lp") ? write_lp(program) : write_mps(program));
  if (!file.flush())
    throw FileError(path.string(), "cannot be written", "choose another file for " + argument("written_model"));
}

std::shared_ptr<const bounds::RegionBounds> bounds_over(const std::shared_ptr<const bounds::BoundedNetwork>& network,
                                                        const property::Box& domain,
                                                        const milp::TighteningOptions& options,
                                                        const program::Solver& solver) {
  auto bounds = std::make_shared<bounds::RegionBounds>(network, property::Region(domain));
  Budget unlimited{{}};
  compute_tight_bounds(*bounds, options, &solver, unlimited);
  return bounds;
}

milp::MilpOptions milp_options(const EngineOptions& options) {
  milp::MilpOptions milp;
  milp.network = options.network_form;
  milp.conjunctions = options.conjunctions;
  milp.big_m = options.big_m;
  if (!options.cuts) milp.cuts.rounds = 0;
  milp.threads = options.threads;
  if (options.tightening) milp.tightening.methods = *options.tightening;
  milp.tightening.progressive = options.progressive;
  milp.tightening.programs.threads = options.threads;
  if (options.written_model) {
    milp.on_program = [path = *options.written_model](const program::Program& program) { write_model(path, program); };
  }
  return milp;
}

Engine make_milp_engine(const EngineOptions& options, std::shared_ptr<const attack::NetworkEvaluators> evaluators,
                        const std::optional<property::Box>& domain) {
  const std::shared_ptr<const bounds::BoundedNetwork> network = evaluators->exactly.bounded_network();
  const std::string name = options.solver.value_or(solvers::kDefaultSolver);
  milp::MilpOptions milp = milp_options(options);
  // The default solver is well behaved. Others run in a process of their own, so that a crash costs the query, not the
  // run.
  std::shared_ptr<const program::Solver> solver =
      solvers::make_solver(name, {.isolated = name != solvers::kDefaultSolver});
  if (!options.restricted_domain) {
    if (!domain)
      throw ArgumentError("restricted_domain", "needs a domain", fmt::format("give {} LO,HI", argument("domain")));
    milp.domain = bounds_over(network, *domain, milp.tightening, *solver);
  }
  const auto minimise = [network, solver, milp](property::Norm norm) -> verdict::MinimiseDistance {
    const program::Capabilities& can = solver->info().can;
    const bool able = norm == property::Norm::kL2 ? can.integer_quadratic : can.integer;
    return milp::NearestByMilp(network, able ? solver : solvers::make_solver(solvers::kDefaultQuadraticSolver), milp);
  };
  verdict::MinimiseMargin minimise_margin = milp::LeastMarginByMilp(network, solver, milp);
  auto engine =
      std::make_shared<const milp::MilpEngine>(network, std::move(evaluators), std::move(solver), std::move(milp));
  return {
      .name = name_of(EngineKind::kMilp),
      .solver = name,
      .decide = [engine](const property::Query& query, const Limits& limits) { return engine->decide(query, limits); },
      .minimise = minimise,
      .minimise_margin = std::move(minimise_margin)};
}

Engine make_bounds_engine(const EngineOptions& options, std::shared_ptr<const attack::NetworkEvaluators> evaluators) {
  milp::TighteningOptions tightening = milp::default_tightening();
  if (options.tightening) tightening.methods = *options.tightening;
  Engine engine;
  engine.name = name_of(EngineKind::kBounds);
  std::shared_ptr<const program::Solver> solver;
  if (tightening.methods.back() >= bounds::BoundMethod::kLp) {
    engine.solver = options.solver.value_or(solvers::kDefaultSolver);
    solver = solvers::make_solver(engine.solver);
  }
  engine.decide = [evaluators = std::move(evaluators), tightening, solver](const property::Query& query,
                                                                           const Limits& limits) {
    return decide_by_bounds(evaluators->exactly.bounded_network(), query, tightening, solver.get(), limits);
  };
  return engine;
}

Engine make_search_engine(const EngineOptions& options, std::shared_ptr<const attack::NetworkEvaluators> evaluators) {
  const std::shared_ptr<const bounds::BoundedNetwork> network = evaluators->exactly.bounded_network();
  search::DecideOptions search;
  search.search.threads = options.threads;
  search.splitting = options.splitting;
  if (!options.cuts) search.subproblems_before_cuts = std::numeric_limits<std::int64_t>::max();
  for (const search::Technique technique : options.without) leave_out(technique, search);
  search.memory = memory_of_each(options.memory, 1, network->network());
  auto engine = std::make_shared<const search::SearchEngine>(
      network, std::move(evaluators), [] { return solvers::make_solver(solvers::kDefaultSolver); }, search);
  Engine result;
  result.name = name_of(EngineKind::kBab);
  result.decide = [engine, audit = options.audit](const property::Query& query, const Limits& limits) {
    return audit ? decide_audited(*engine, query, limits) : engine->decide(query, limits);
  };
  result.decide_heard = [engine, audit = options.audit](const property::Query& query, const Limits& limits,
                                                        events::EventSink& events) {
    return audit ? decide_audited(*engine, query, limits, &events) : engine->decide(query, limits, events);
  };
  if (!options.audit) {
    result.decide_onward = [engine](const property::Query& query, const Limits& limits, search::Frontier& open) {
      return engine->decide(query, limits, open);
    };
  }
  return result;
}

// Returns the first option that is set and that only the mixed-integer engine has; nullptr if there is none.
const char* milp_option(const EngineOptions& options) {
  if (options.solver) return "solver";
  if (options.tightening) return "tightening";
  if (options.network_form != milp::NetworkForm::kReduced) return "network_form";
  if (options.conjunctions != milp::ConjunctionForm::kOneByOne) return "conjunctions";
  if (!options.progressive) return "progressive";
  if (!options.restricted_domain) return "restricted_domain";
  if (options.big_m != milp::BigM::kAsymmetric) return "big_m";
  return options.written_model ? "written_model" : nullptr;
}

// The same for the search.
const char* search_option(const EngineOptions& options) {
  if (options.audit) return "audit";
  return options.without.empty() ? nullptr : "without";
}

// Returns the kind of engine that the options ask for, never kAuto.
EngineKind resolved_kind(const EngineOptions& options) {
  const char* of_milp = milp_option(options);
  const char* of_search = search_option(options);
  EngineKind kind = options.engine;
  if (kind == EngineKind::kAuto) kind = of_milp == nullptr ? EngineKind::kBab : EngineKind::kMilp;
  if (of_search != nullptr && kind != EngineKind::kBab) {
    throw ArgumentError(of_search, "is available only with the bab engine, and another engine was chosen",
                        options.engine == EngineKind::kAuto
                            ? fmt::format("leave out {}, an option of milp", argument(of_milp))
                            : fmt::format("leave it out, or give {} bab", argument("engine")));
  }
  if (kind == EngineKind::kBab && of_milp != nullptr) {
    throw ArgumentError(of_milp, "is an option of the mixed-integer engine",
                        fmt::format("give {} milp instead", argument("engine")));
  }
  return kind;
}

}  // namespace

const char* name_of(EngineKind kind) {
  switch (kind) {
    case EngineKind::kAuto:
      return "auto";
    case EngineKind::kBab:
      return "bab";
    case EngineKind::kMilp:
      return "milp";
    case EngineKind::kBounds:
      return "bounds";
  }
  throw InternalError("engine", "invalid EngineKind value");
}

Limits limits_of(const EngineOptions& options, const std::atomic<bool>* cancel) {
  Limits limits;
  if (options.time_limit) limits.seconds = options.time_limit->count();
  if (options.work_limit) limits.work = *options.work_limit;
  limits.cancel = cancel;
  return limits;
}

Engine make_engine(const EngineOptions& options, std::shared_ptr<const attack::NetworkEvaluators> evaluators,
                   const std::optional<property::Box>& domain) {
  if (options.tightening) milp::check_methods(*options.tightening);
  switch (resolved_kind(options)) {
    case EngineKind::kMilp:
      return make_milp_engine(options, std::move(evaluators), domain);
    case EngineKind::kBounds:
      return make_bounds_engine(options, std::move(evaluators));
    case EngineKind::kBab:
    case EngineKind::kAuto:
      break;
  }
  return make_search_engine(options, std::move(evaluators));
}

}  // namespace plumb::assembly
