// verdict.h: the answer to a query, what it rests on, and what it took.
//
// Holds:    no point of the region is unsafe. The evidence says whose proof that is: Plumb's own arithmetic, rounded
//           outward (rigorous), or a solver's claim. No report blurs the two.
// Violated: a witness that was confirmed (attack/witness_check.h), which says in which arithmetic it is unsafe.
// Unknown:  with the reason; a time limit is a reason, not an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/numbers.h"
#include "verdict/witness.h"

namespace plumb::verdict {

enum class Answer : std::uint8_t { kHolds, kViolated, kUnknown };
enum class Evidence : std::uint8_t { kRigorous, kSolver };

const char* name_of(Answer answer);      // holds, violated, unknown
const char* name_of(Evidence evidence);  // rigorous, solver

// Units of one ReLU or maximum operation, as they were when the search or the solver took over.
struct LayerCounts {
  std::string name;
  std::int64_t active = 0, inactive = 0, unstable = 0;
  // Of the two bounds of each argument element, how many came from which method.
  std::int64_t by_interval = 0, by_linear = 0, by_alpha = 0, by_lp = 0, by_milp = 0;
};

// What an audit proved again (audit/auditor.h).
struct AuditStatistics {
  std::int64_t closings = 0;     // of subproblems
  std::int64_t refutations = 0;  // of conjunctions (labels), by bounds alone
  std::int64_t bounds = 0;       // of units, by a pass of their own
  std::int64_t cuts = 0;
  std::int64_t pieces = 0;         // of the region
  std::int64_t not_confirmed = 0;  // at the last bits
  double seconds = 0;

  AuditStatistics& operator+=(const AuditStatistics& more);
};

struct Statistics {
  double build_seconds = 0;  // bounds, reduction, encoding
  double solve_seconds = 0;  // search or solver
  std::int64_t nodes = 0;
  std::int64_t lps = 0;
  std::int64_t simplex_iterations = 0;
  std::int64_t work = 0;                     // as limits count it
  std::int64_t conjunctions_eliminated = 0;  // of the unsafe set, by bounds alone: labels, for a classifier
  std::int64_t refined = 0, skipped_decided = 0, skipped_exact = 0;  // rows of units, by bounds
  std::int64_t cuts = 0;        // of bab, those that the tree has; rows that milp added in all rounds
  std::int64_t cut_rounds = 0;  // of milp
  std::vector<LayerCounts> layers;
  std::optional<AuditStatistics> audit = {};

  // What several queries took together; layers are those of the first that has any.
  Statistics& operator+=(const Statistics& more);
};

struct Verdict {
  Answer answer = Answer::kUnknown;
  Evidence evidence = Evidence::kRigorous;  // of holds
  std::string reason;                       // what decided it ("linear bounds", "attack", ...), or why it is unknown
  std::optional<Witness> witness;
  // Proven: the unsafe set is missed by at least this much everywhere (slack.h, with its sign changed). Not negative if
  // it holds; minus infinity if nothing is known, as of everything violated (its witness has a margin of its own).
  double margin_lower = -kInfinity;
  Statistics statistics;
};

// What the answer rests on, for people: "rigorous" or "a solver's claim" (holds), the arithmetic in which a witness is
// unsafe where that is not all (violated), nothing (unknown).
std::string evidence_text(const Verdict& verdict);
// The same as one word for programs: rigorous, solver; exact, real only, float only; nothing.
std::optional<std::string> evidence_word(const Verdict& verdict);

// Unknown, where values are too large to be bounded.
Verdict unknown_by(const OverflowError& error);

}  // namespace plumb::verdict
