#include "cli/verdict_json.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/table.h"
#include "verdict/statistics_json.h"

namespace plumb::cli {
namespace {

Json audit_json(const verdict::AuditStatistics& audit) {
  return {{"pieces", audit.pieces}, {"refutations", audit.refutations}, {"closings", audit.closings},
          {"cuts", audit.cuts},     {"records", audit.records},         {"seconds", audit.seconds}};
}

}  // namespace

const char* word_for(verdict::Answer answer) {
  switch (answer) {
    case verdict::Answer::kHolds:
      return "robust";
    case verdict::Answer::kViolated:
      return "vulnerable";
    case verdict::Answer::kUnknown:
      return "unknown";
  }
  throw InternalError("verdict", "invalid Answer value");
}

std::string audit_text(const verdict::AuditStatistics& audit, double seconds) {
  return fmt::format(
      "audit: {} targets refuted by bounds, {} closed subproblems and {} cuts proven again, on {} pieces of regions, "
      "{:.2f} of {:.2f} s",
      grouped(audit.refutations), grouped(audit.closings), grouped(audit.cuts), grouped(audit.pieces), audit.seconds,
      seconds);
}

Json statistics_json(const verdict::Verdict& verdict) {
  Json json = verdict::statistics_json(verdict.statistics);
  json["margin_lower"] = finite_or_null(verdict.margin_lower);
  json["audit"] = verdict.statistics.audit ? audit_json(*verdict.statistics.audit) : Json(nullptr);
  return json;
}

Json statistics_json(const verdict::Statistics& statistics, std::int64_t decisions) {
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
  const verdict::Verdict& verdict = line.verdict;
  const auto evidence = evidence_word(verdict);
  Json json{{"sample", line.sample},
            {"label", line.label},
            {"verdict", name_of(verdict.answer)},
            {"reason", verdict.reason},
            {"evidence", evidence ? Json(*evidence) : Json(nullptr)},
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

Json stored_json(const store::StoredResult& result) {
  Json json = sample_json({result.sample, result.label, result.verdict, result.predicted, result.distance,
                           result.seconds, result.engine, result.solver});
  json["epsilon"] = result.epsilon;
  json["misclassified"] = result.misclassified;
  json["implied_by"] = result.implied_by.empty() ? Json(nullptr) : Json(result.implied_by);
  json["pgd"] = result.pgd ? Json(*result.pgd) : Json(nullptr);
  return json;
}

int exit_code(verdict::Answer answer) {
  return answer == verdict::Answer::kHolds ? 0 : answer == verdict::Answer::kViolated ? 1 : 2;
}

}  // namespace plumb::cli
