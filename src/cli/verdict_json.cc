#include "cli/verdict_json.h"

#include <cmath>

namespace plumb::cli {
namespace {

Json layers_json(const std::vector<LayerCounts>& layers) {
  Json json = Json::array();
  for (const LayerCounts& layer : layers) {
    json.push_back({{"name", layer.name},
                    {"active", layer.active},
                    {"inactive", layer.inactive},
                    {"unstable", layer.unstable},
                    {"by_interval", layer.by_interval},
                    {"by_linear", layer.by_linear},
                    {"by_alpha", layer.by_alpha},
                    {"by_lp", layer.by_lp},
                    {"by_milp", layer.by_milp}});
  }
  return json;
}

}  // namespace

Json statistics_json(const Verdict& verdict) {
  const Statistics& statistics = verdict.statistics;
  return {{"build_seconds", statistics.build_seconds},
          {"solve_seconds", statistics.solve_seconds},
          {"nodes", statistics.nodes},
          {"lps", statistics.lps},
          {"simplex_iterations", statistics.simplex_iterations},
          {"work", statistics.work},
          {"labels_eliminated", statistics.conjunctions_eliminated},
          {"refined", statistics.refined},
          {"skipped_decided", statistics.skipped_decided},
          {"skipped_exact", statistics.skipped_exact},
          {"cuts", statistics.cuts},
          {"margin_lower", finite_or_null(verdict.margin_lower)},
          {"layers", layers_json(statistics.layers)}};
}

Json statistics_json(const Statistics& statistics, std::int64_t decisions) {
  return {{"decisions", decisions},
          {"build_seconds", statistics.build_seconds},
          {"solve_seconds", statistics.solve_seconds},
          {"nodes", statistics.nodes},
          {"lps", statistics.lps},
          {"simplex_iterations", statistics.simplex_iterations},
          {"work", statistics.work}};
}

Json finite_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json sample_json(const SampleLine& line) {
  const Verdict& verdict = line.verdict;
  const bool holds = verdict.answer == Answer::kHolds;
  Json json{{"sample", line.sample},
            {"label", line.label},
            {"verdict", name_of(verdict.answer)},
            {"reason", verdict.reason},
            {"evidence", holds ? Json(name_of(verdict.evidence)) : Json(nullptr)},
            {"engine", line.engine},
            {"solver", line.solver.empty() ? Json(nullptr) : Json(line.solver)},
            {"witness", nullptr},
            {"outputs", nullptr},
            {"predicted", nullptr},
            {"distance", nullptr},
            {"seconds", line.seconds},
            {"statistics", statistics_json(verdict)}};
  if (verdict.witness) {
    json["witness"] = verdict.witness->input;
    json["outputs"] = verdict.witness->outputs;
    json["predicted"] = line.predicted;
    json["distance"] = line.distance;
  }
  return json;
}

int exit_code(Answer answer) { return answer == Answer::kHolds ? 0 : answer == Answer::kViolated ? 1 : 2; }

}  // namespace plumb::cli
