#include "verdict/verdict.h"

namespace plumb::verdict {

const char* name_of(Answer answer) {
  switch (answer) {
    case Answer::kHolds:
      return "holds";
    case Answer::kViolated:
      return "violated";
    case Answer::kUnknown:
      return "unknown";
  }
  throw InternalError("name_of", "invalid Answer value");
}

const char* name_of(Evidence evidence) {
  switch (evidence) {
    case Evidence::kRigorous:
      return "rigorous";
    case Evidence::kSolver:
      return "solver";
  }
  throw InternalError("name_of", "invalid Evidence value");
}

std::string evidence_text(const Verdict& verdict) {
  switch (verdict.answer) {
    case Answer::kHolds:
      return verdict.evidence == Evidence::kRigorous ? "rigorous" : "a solver's claim";
    case Answer::kViolated:
      return verdict.witness ? evidence_text(*verdict.witness) : "";
    case Answer::kUnknown:
      break;
  }
  return "";
}

std::optional<std::string> evidence_word(const Verdict& verdict) {
  if (verdict.answer == Answer::kHolds) return name_of(verdict.evidence);
  if (verdict.answer == Answer::kViolated && verdict.witness) return name_of(verdict.witness->evidence);
  return std::nullopt;
}

Verdict holds(std::string reason, double margin_lower, Evidence evidence) {
  return {.answer = Answer::kHolds, .evidence = evidence, .reason = std::move(reason), .margin_lower = margin_lower};
}

Verdict violated(std::string reason, Witness witness) {
  return {.answer = Answer::kViolated, .reason = std::move(reason), .witness = std::move(witness)};
}

Verdict unknown(std::string reason, double margin_lower) {
  return {.answer = Answer::kUnknown, .reason = std::move(reason), .margin_lower = margin_lower};
}

Verdict unknown_by(const OverflowError& error) { return unknown(error.where() + ": " + error.problem()); }

AuditStatistics& AuditStatistics::operator+=(const AuditStatistics& more) {
  pieces += more.pieces;
  refutations += more.refutations;
  closings += more.closings;
  cuts += more.cuts;
  records += more.records;
  seconds += more.seconds;
  return *this;
}

void Statistics::count_layers(std::vector<LayerSummary> of) {
  layers = std::move(of);
  for (const LayerSummary& layer : layers) {
    refined += layer.refined;
    skipped_decided += layer.already_decided;
    skipped_exact += layer.exact;
  }
}

Statistics& Statistics::operator+=(const Statistics& more) {
  build_seconds += more.build_seconds;
  solve_seconds += more.solve_seconds;
  nodes += more.nodes;
  lps += more.lps;
  simplex_iterations += more.simplex_iterations;
  work += more.work;
  conjunctions_eliminated += more.conjunctions_eliminated;
  refined += more.refined;
  skipped_decided += more.skipped_decided;
  skipped_exact += more.skipped_exact;
  cuts += more.cuts;
  cut_rounds += more.cut_rounds;
  if (more.audit) {
    if (!audit) audit.emplace();
    *audit += *more.audit;
  }
  if (layers.empty()) layers = more.layers;
  return *this;
}

}  // namespace plumb::verdict
