#include "cli/verdict_json.h"

#include <cmath>

#include "verdict/statistics_json.h"

namespace plumb::cli {

Json statistics_json(const Verdict& verdict) {
  Json json = plumb::statistics_json(verdict.statistics);
  json["margin_lower"] = std::isfinite(verdict.margin_lower) ? Json(verdict.margin_lower) : Json(nullptr);
  return json;
}

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

Json stored_json(const StoredResult& result) {
  Json json = sample_json({result.sample, result.label, result.verdict, result.predicted, result.distance,
                           result.seconds, result.engine, result.solver});
  json["epsilon"] = result.epsilon;
  json["misclassified"] = result.misclassified;
  json["implied_by"] = result.implied_by.empty() ? Json(nullptr) : Json(result.implied_by);
  json["pgd"] = result.pgd ? Json(*result.pgd) : Json(nullptr);
  return json;
}

int exit_code(Answer answer) { return answer == Answer::kHolds ? 0 : answer == Answer::kViolated ? 1 : 2; }

}  // namespace plumb::cli
