#include "cli/engine_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "assembly/audited.h"
#include "base/error.h"
#include "cli/memory_limit.h"
#include "milp/bounds_engine.h"
#include "milp/milp_distortion.h"
#include "milp/milp_engine.h"
#include "milp/milp_margin.h"
#include "program/write_lp.h"
#include "program/write_mps.h"
#include "search/decide.h"
#include "solvers/solvers.h"

namespace plumb::cli {
namespace {

bounds::BoundMethod method_of(const std::string& name) {
  if (name == "interval") return bounds::BoundMethod::kInterval;
  if (name == "linear") return bounds::BoundMethod::kLinear;
  if (name == "alpha") return bounds::BoundMethod::kAlpha;
  if (name == "lp") return bounds::BoundMethod::kLp;
  if (name == "milp") return bounds::BoundMethod::kMilp;
  throw UsageError("--tighten", fmt::format("there is no method '{}'", name),
                   "an increasing list out of interval,linear,alpha,lp,milp");
}

// Writes LP text if the name ends in .lp, MPS otherwise.
void write_model(const std::string& path, const program::Program& program) {
  std::ofstream file(path);
  file << (path.ends_with(".lp") ? write_lp(program) : write_mps(program));
  if (!file.flush()) throw FileError(path, "cannot be written", "choose another place for --write-model");
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

Engine make_milp_engine(const EngineOptions& options, const std::shared_ptr<const bounds::BoundedNetwork>& network,
                        std::shared_ptr<const attack::NetworkEvaluators> evaluators,
                        const std::optional<property::Box>& domain, int threads) {
  const std::string name = options.solver.empty() ? solvers::kDefaultSolver : options.solver;
  milp::MilpOptions milp;
  milp.network = options.network_form == "layered" ? milp::NetworkForm::kLayered : milp::NetworkForm::kReduced;
  milp.conjunctions =
      options.conjunctions == "together" ? milp::ConjunctionForm::kTogether : milp::ConjunctionForm::kOneByOne;
  milp.big_m = options.symmetric_bounds ? milp::BigM::kSymmetric : milp::BigM::kAsymmetric;
  if (options.no_cuts) milp.cuts.rounds = 0;
  milp.threads = threads;
  if (!options.tighten.empty()) milp.tightening.methods = bound_methods_of(options.tighten);
  milp.tightening.progressive = !options.no_progressive;
  milp.tightening.programs.threads = threads;
  if (!options.write_model.empty()) {
    milp.on_program = [path = options.write_model](const program::Program& program) { write_model(path, program); };
  }
  // The default solver is well behaved. Others run in a process of their own, so that a crash costs the query, not the
  // run.
  std::shared_ptr<const program::Solver> solver =
      solvers::make_solver(name, {.isolated = name != solvers::kDefaultSolver});
  if (options.no_restricted_domain) {
    if (!domain) throw UsageError("--no-restricted-domain", "there is no domain", "give --domain LO,HI");
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
  return {"milp",
          name,
          [engine](const property::Query& query, const Limits& limits) { return engine->decide(query, limits); },
          {},
          minimise,
          std::move(minimise_margin)};
}

// --tighten chooses the bounds; the default is alpha.
Engine make_bounds_engine(const EngineOptions& options, const std::shared_ptr<const bounds::BoundedNetwork>& network) {
  milp::TighteningOptions tightening = milp::default_tightening();
  if (!options.tighten.empty()) tightening.methods = bound_methods_of(options.tighten);
  Engine engine;
  engine.name = "bounds";
  std::shared_ptr<const program::Solver> solver;
  if (tightening.methods.back() >= bounds::BoundMethod::kLp) {
    engine.solver = options.solver.empty() ? solvers::kDefaultSolver : options.solver;
    solver = solvers::make_solver(engine.solver);
  }
  engine.decide = [network, tightening, solver](const property::Query& query, const Limits& limits) {
    return decide_by_bounds(network, query, tightening, solver.get(), limits);
  };
  return engine;
}

// Returns the first given option that only the mixed-integer engine has; nullptr if there is none.
const char* milp_option(const EngineOptions& options) {
  if (!options.solver.empty()) return "--solver";
  if (!options.tighten.empty()) return "--tighten";
  if (options.network_form != "reduced") return "--encoding";
  if (options.conjunctions != "one-by-one") return "--labels";
  if (options.no_progressive) return "--no-progressive";
  if (options.no_restricted_domain) return "--no-restricted-domain";
  if (options.symmetric_bounds) return "--symmetric-bounds";
  return options.write_model.empty() ? nullptr : "--write-model";
}

Engine make_search_engine(const EngineOptions& options, const std::shared_ptr<const bounds::BoundedNetwork>& network,
                          std::shared_ptr<const attack::NetworkEvaluators> evaluators, int threads) {
  search::DecideOptions search;
  search.search.threads = threads;
  if (options.split == "unit") search.splitting = search::InputSplitting::kUnit;
  if (options.split == "input") search.splitting = search::InputSplitting::kInput;
  if (options.no_cuts) search.subproblems_before_cuts = std::numeric_limits<std::int64_t>::max();
  search.memory = memory_of_each(options.memory, 1, network->network());
  auto engine = std::make_shared<const search::SearchEngine>(
      network, std::move(evaluators), [] { return solvers::make_solver(solvers::kDefaultSolver); }, search);
  Engine result;
  result.name = "bab";
  result.decide = [engine, audit = options.audit](const property::Query& query, const Limits& limits) {
    return audit ? assembly::decide_audited(*engine, query, limits) : engine->decide(query, limits);
  };
  if (!options.audit) {
    result.decide_onward = [engine](const property::Query& query, const Limits& limits, search::Frontier& open) {
      return engine->decide(query, limits, open);
    };
  }
  return result;
}

}  // namespace

std::vector<bounds::BoundMethod> bound_methods_of(const std::string& list) {
  std::vector<bounds::BoundMethod> methods;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    methods.push_back(method_of(list.substr(at, comma - at)));
    at = comma + 1;
  }
  milp::check_methods(methods);
  return methods;
}

void add_engine_options(Command& command, EngineOptions& options) {
  command
      .add_option("--engine", options.engine,
                  "bab: branch and bound on the reduced network; milp: a mixed-integer program; bounds: nothing else; "
                  "auto: bab, unless an option of milp is given")
      .one_of({"auto", "bab", "milp", "bounds"})
      .show_default();
  command.add_option("--solver", options.solver, "Solver of mixed-integer programs; see plumb solvers (default: highs)")
      .type_name("NAME");
  command.add_option("--timeout", options.timeout, "Seconds a query (default: no limit)").positive().type_name("S");
  command
      .add_option("--work-limit", options.work_limit,
                  "Work a query, counted the same everywhere: multiplications (bab), nodes and solves (milp)")
      .positive()
      .type_name("N");
  command
      .add_option("--split", options.split, "What bab splits: units; the inputs' region; auto: inputs if they are few")
      .one_of({"auto", "unit", "input"})
      .show_default();
  command.add_flag("--no-cuts", options.no_cuts,
                   "Ablation: no cuts, where trees of bab grow or before programs of milp are solved");
  command
      .add_option("--memory", options.memory,
                  "What the bab engine may take, in GiB: trees of all samples at work together, and bounds of each")
      .positive()
      .show_default()
      .type_name("GIB");
  command
      .add_option("--tighten", options.tighten, "Bounds of units, cheap ones first, e.g. interval,linear,alpha,lp,milp")
      .type_name("LIST");
  command.add_option("--encoding", options.network_form, "reduced: undecided units alone; layered: as in the paper")
      .one_of({"reduced", "layered"})
      .show_default();
  command.add_option("--labels", options.conjunctions, "one-by-one: a program a label; together: one with indicators")
      .one_of({"one-by-one", "together"})
      .show_default();
  command.add_flag("--no-progressive", options.no_progressive,
                   "Ablation: the last method of --tighten for every unit, decided or not");
  command.add_flag("--no-restricted-domain", options.no_restricted_domain,
                   "Ablation: bound units over the whole domain, once");
  command.add_flag("--symmetric-bounds", options.symmetric_bounds, "Ablation: the larger magnitude for both bounds");
  command.add_option("--write-model", options.write_model, "Write the program to FILE: LP text if *.lp, else MPS")
      .type_name("FILE");
}

Engine make_engine(const EngineOptions& options, const std::shared_ptr<const bounds::BoundedNetwork>& network,
                   std::shared_ptr<const attack::NetworkEvaluators> evaluators,
                   const std::optional<property::Box>& domain, int threads) {
  const char* of_milp = milp_option(options);
  const bool milp = options.engine == "milp" || (options.engine == "auto" && of_milp != nullptr);
  if (options.audit && (milp || options.engine == "bounds")) {
    throw UsageError("--audit", "is about what the bab engine claims, and another engine was asked for",
                     milp && options.engine == "auto" ? fmt::format("leave out {}, an option of milp", of_milp)
                                                      : "leave it out, or give --engine bab");
  }
  if (options.engine == "bounds") return make_bounds_engine(options, network);
  if (milp) {
    return make_milp_engine(options, network, std::move(evaluators), domain, threads);
  }
  if (of_milp != nullptr) {
    throw UsageError(of_milp, "is an option of the mixed-integer engine", "give --engine milp instead");
  }
  return make_search_engine(options, network, std::move(evaluators), threads);
}

Limits limits_of(const EngineOptions& options, const std::atomic<bool>* cancel) {
  Limits limits;
  if (options.timeout > 0) limits.seconds = options.timeout;
  if (options.work_limit > 0) limits.work = options.work_limit;
  limits.cancel = cancel;
  return limits;
}

}  // namespace plumb::cli
