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
                  "bab: branch and bound on the reduced network; milp: a mixed-integer program; bounds: bounds alone; "
                  "auto: bab, unless an option of milp is given")
      .one_of({"auto", "bab", "milp", "bounds"})
      .show_default();
  command
      .add_option("--solver", arguments.solver,
                  "Solver of linear and mixed-integer programs; see plumb solvers (default: highs)")
      .type_name("NAME");
  command.add_option("--timeout", arguments.timeout, "Seconds per query (default: no limit)").positive().type_name("S");
  command
      .add_option(
          "--work-limit", arguments.work_limit,
          "Work per query, counted the same on every machine: multiplications (bab), subproblems and solves (milp)")
      .positive()
      .type_name("N");
  command
      .add_option(
          "--split", arguments.split,
          "What bab splits: unit (undecided units), input (the region) or auto (the region if there are few inputs)")
      .one_of({"auto", "unit", "input"})
      .show_default();
  command
      .add_option("--without", arguments.without,
                  "Ablation: leave these techniques out of bab: a list out of " + assembly::technique_list())
      .type_name("LIST");
  command.add_flag("--no-cuts", arguments.no_cuts,
                   "Ablation: no cuts in the trees of bab, and no rows of units' convex hulls in the programs of milp");
  command
      .add_option(
          "--memory", arguments.memory,
          "Memory of the bab engine in GiB: for the trees of all samples in progress together, and the bounds of each")
      .positive()
      .show_default()
      .type_name("GIB");
  command
      .add_option("--tighten", arguments.tighten,
                  "Methods that bound units, cheap ones first: an increasing list out of interval,linear,alpha,lp,milp")
      .type_name("LIST");
  command
      .add_option("--encoding", arguments.encoding,
                  "reduced: a program over the undecided units alone; layered: the paper's formulation")
      .one_of({"reduced", "layered"})
      .show_default();
  command
      .add_option("--labels", arguments.labels,
                  "one-by-one: one program per label; together: one program for all labels, with indicator variables")
      .one_of({"one-by-one", "together"})
      .show_default();
  command.add_flag("--no-progressive", arguments.no_progressive,
                   "Ablation: apply the last method of --tighten to every unit, decided or not");
  command.add_flag("--no-restricted-domain", arguments.no_restricted_domain,
                   "Ablation: bound units once, over the whole domain");
  command.add_flag("--symmetric-bounds", arguments.symmetric_bounds,
                   "Ablation: both bounds of a unit get the larger magnitude of the two");
  command
      .add_option("--write-model", arguments.write_model,
                  "Write the program to FILE: as LP text if it ends in .lp, otherwise as MPS")
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
  if (!arguments.without.empty()) options.without = assembly::parse_techniques(arguments.without);
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
