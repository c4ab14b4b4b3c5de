// plumb solvers: the solvers that are available, and what they can do.
#include "solvers/solvers.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/table.h"

namespace plumb::cli {
namespace {

using Json = nlohmann::ordered_json;

Json as_json(const program::Capabilities& can) {
  return {{"integer", can.integer},
          {"quadratic", can.quadratic},
          {"integer_quadratic", can.integer_quadratic},
          {"duals", can.duals},
          {"farkas_ray", can.farkas_ray},
          {"start_values", can.start_values},
          {"cutoff", can.cutoff},
          {"stop_at_bound", can.stop_at_bound},
          {"confirm", can.confirm},
          {"node_limit", can.node_limit},
          {"iteration_limit", can.iteration_limit},
          {"warm_sessions", can.warm_sessions},
          {"several_threads", can.several_threads},
          {"cancel", can.cancel}};
}

void print_json(const std::vector<program::SolverInfo>& solvers) {
  Json json;
  json["default"] = solvers::kDefaultSolver;
  json["solvers"] = Json::array();
  for (const program::SolverInfo& info : solvers) {
    json["solvers"].push_back({{"name", info.name},
                               {"title", info.title},
                               {"version", info.version},
                               {"licence", info.licence},
                               {"available", info.available()},
                               {"reason", info.available() ? Json(nullptr) : Json(info.unavailable)},
                               {"can", as_json(info.can)}});
  }
  fmt::print("{}\n", json.dump());
}

// The classes of programs that it solves. The JSON has the rest.
std::string programs(const program::Capabilities& can) {
  std::string text = "LP";
  if (can.integer) text += ", MILP";
  if (can.quadratic) text += ", QP";
  if (can.integer_quadratic) text += ", MIQP";
  return text;
}

void print_table(const std::vector<program::SolverInfo>& solvers) {
  Table table({{"solver", Align::kLeft},
               {"version", Align::kLeft},
               {"licence", Align::kLeft},
               {"solves", Align::kLeft},
               {"duals", Align::kLeft},
               {"watched", Align::kLeft},
               {"", Align::kLeft}});
  const auto yes = [](bool can) { return can ? "yes" : ""; };
  for (const program::SolverInfo& info : solvers) {
    // What a missing library can do is not known for certain.
    const bool is_known = info.available();
    table.add_row({info.name, info.version, info.licence, is_known ? programs(info.can) : "",
                   yes(is_known && info.can.duals), yes(is_known && info.can.confirm && info.can.stop_at_bound),
                   info.available() ? (info.name == solvers::kDefaultSolver ? "default" : "") : "not available"});
  }
  fmt::print("{}", table.text());
  for (const program::SolverInfo& info : solvers) {
    if (!info.available()) fmt::print("\n{}: {}\n", info.name, info.unavailable);
  }
}

}  // namespace

void add_solvers(CommandLine& line) {
  auto output = std::make_shared<OutputOptions>();
  Command command = line.add_command("solvers", "List the solvers with their versions and capabilities");
  add_output_options(command, *output);
  command.footer(
      "LP: linear programs, MILP: with integer variables, QP and MIQP: the same with a quadratic objective.\n"
      "Duals prove bounds in Plumb's own arithmetic. A watched solver stops at a bound or at a confirmed witness.\n"
      "Example: plumb solvers");
  command.action([output] {
    const std::vector<program::SolverInfo> solvers = solvers::list_solvers();
    output->json ? print_json(solvers) : print_table(solvers);
    return 0;
  });
}

}  // namespace plumb::cli
