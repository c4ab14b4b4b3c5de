#include "cli/engine_arguments.h"

#include <algorithm>
#include <cmath>

#include "assembly/text_forms.h"

namespace plumb::cli {
namespace {

// The command line has checked that the texts below are among those that it offers.

assembly::EngineKind kind_of(const std::string& engine) {
  if (engine == "bab") return assembly::EngineKind::kBab;
  if (engine == "milp") return assembly::EngineKind::kMilp;
  if (engine == "bounds") return assembly::EngineKind::kBounds;
  return assembly::EngineKind::kAuto;
}

search::InputSplitting splitting_of(const std::string& split) {
  if (split == "unit") return search::InputSplitting::kUnit;
  if (split == "input") return search::InputSplitting::kInput;
  return search::InputSplitting::kAuto;
}

}  // namespace

void add_engine_options(Command& command, EngineArguments& arguments) {
  command
      .add_option("--engine", arguments.engine,
                  "bab: branch and bound on the reduced network; milp: a mixed-integer program; bounds: nothing else; "
                  "auto: bab, unless an option of milp is given")
      .one_of({"auto", "bab", "milp", "bounds"})
      .show_default();
  command
      .add_option("--solver", arguments.solver, "Solver of mixed-integer programs; see plumb solvers (default: highs)")
      .type_name("NAME");
  command.add_option("--timeout", arguments.timeout, "Seconds a query (default: no limit)").positive().type_name("S");
  command
      .add_option("--work-limit", arguments.work_limit,
                  "Work a query, counted the same everywhere: multiplications (bab), nodes and solves (milp)")
      .positive()
      .type_name("N");
  command
      .add_option("--split", arguments.split,
                  "What bab splits: units; the inputs' region; auto: inputs if they are few")
      .one_of({"auto", "unit", "input"})
      .show_default();
  command.add_flag("--no-cuts", arguments.no_cuts,
                   "Ablation: no cuts, where trees of bab grow or before programs of milp are solved");
  command
      .add_option("--memory", arguments.memory,
                  "What the bab engine may take, in GiB: trees of all samples at work together, and bounds of each")
      .positive()
      .show_default()
      .type_name("GIB");
  command
      .add_option("--tighten", arguments.tighten,
                  "Bounds of units, cheap ones first, e.g. interval,linear,alpha,lp,milp")
      .type_name("LIST");
  command.add_option("--encoding", arguments.encoding, "reduced: undecided units alone; layered: as in the paper")
      .one_of({"reduced", "layered"})
      .show_default();
  command.add_option("--labels", arguments.labels, "one-by-one: a program a label; together: one with indicators")
      .one_of({"one-by-one", "together"})
      .show_default();
  command.add_flag("--no-progressive", arguments.no_progressive,
                   "Ablation: the last method of --tighten for every unit, decided or not");
  command.add_flag("--no-restricted-domain", arguments.no_restricted_domain,
                   "Ablation: bound units over the whole domain, once");
  command.add_flag("--symmetric-bounds", arguments.symmetric_bounds, "Ablation: the larger magnitude for both bounds");
  command.add_option("--write-model", arguments.write_model, "Write the program to FILE: LP text if *.lp, else MPS")
      .type_name("FILE");
}

assembly::EngineOptions engine_options(const EngineArguments& arguments, int threads) {
  assembly::EngineOptions options;
  options.engine = kind_of(arguments.engine);
  options.threads = threads;
  if (arguments.timeout > 0) options.time_limit = std::chrono::duration<double>(arguments.timeout);
  if (arguments.work_limit > 0) options.work_limit = arguments.work_limit;
  options.cuts = !arguments.no_cuts;
  options.memory = bytes_of(arguments.memory);
  options.splitting = splitting_of(arguments.split);
  options.audit = arguments.audit;
  if (!arguments.solver.empty()) options.solver = arguments.solver;
  if (!arguments.tighten.empty()) options.tightening = assembly::parse_bound_methods(arguments.tighten);
  if (arguments.encoding == "layered") options.network_form = milp::NetworkForm::kLayered;
  if (arguments.labels == "together") options.conjunctions = milp::ConjunctionForm::kTogether;
  options.progressive = !arguments.no_progressive;
  options.restricted_domain = !arguments.no_restricted_domain;
  if (arguments.symmetric_bounds) options.big_m = milp::BigM::kSymmetric;
  if (!arguments.write_model.empty()) options.written_model = arguments.write_model;
  return options;
}

std::int64_t bytes_of(double gib) {
  constexpr double kMost = 0x1p62;
  return std::llround(std::min(gib * static_cast<double>(assembly::kBytesPerGib), kMost));
}

}  // namespace plumb::cli
