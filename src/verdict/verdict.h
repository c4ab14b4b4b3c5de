// verdict.h: the answer to a query, what it rests on, and what it took.
//
// Holds:    no point of the region is unsafe. The evidence says whether Plumb's own arithmetic, rounded outward, proves
//           that (rigorous), or whether it rests on a solver's claim. Every report keeps the two apart.
// Violated: there is a confirmed witness (attack/witness_check.h), which says in which arithmetic it is unsafe.
// Unknown:  the reason is given. A time limit is a reason, not an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/numbers.h"
#include "verdict/layer_summary.h"
#include "verdict/witness.h"

namespace plumb::verdict {

enum class Answer : std::uint8_t { kHolds, kViolated, kUnknown };
enum class Evidence : std::uint8_t { kRigorous, kSolver };

const char* name_of(Answer answer);      // holds, violated, unknown
const char* name_of(Evidence evidence);  // rigorous, solver

// What an audit proved again (audit/audit.h): what the answer rests on.
struct AuditStatistics {
  std::int64_t pieces = 0;       // of the region
  std::int64_t refutations = 0;  // of conjunctions (labels), by bounds alone
  std::int64_t closings = 0;     // of subproblems
  std::int64_t cuts = 0;
  std::int64_t records = 0;  // all steps of the proof
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
  std::int64_t conjunctions_eliminated = 0;  // refuted by bounds alone; for a classifier, labels
  // Argument elements: refined beyond intervals, skipped because decided, skipped because their bounds are exact.
  std::int64_t refined = 0, skipped_decided = 0, skipped_exact = 0;
  std::int64_t cuts = 0;        // bab: cuts in the trees; milp: rows added in all rounds
  std::int64_t cut_rounds = 0;  // milp only
  // As the search or the solver finds them. JSON, and so a store, has the counts of units and methods only.
  std::vector<LayerSummary> layers;
  std::optional<AuditStatistics> audit = {};

  // Replaces the layers, and adds how many of their elements were refined and skipped.
  void count_layers(std::vector<LayerSummary> of);

  // Adds what another query took. The layers stay those of the first query that has any.
  Statistics& operator+=(const Statistics& more);
};

struct Verdict {
  Answer answer = Answer::kUnknown;
  Evidence evidence = Evidence::kRigorous;  // if the answer is holds
  std::string reason;  // what decided the query ("linear bounds", "attack", ...), or why it is unknown
  std::optional<Witness> witness = {};
  // A proven lower bound, over the whole region, on the margin by which the unsafe set is missed (attack/slack.h with
  // its sign changed). It is not negative if the query holds. It is minus infinity if nothing is proven and if the
  // query is violated; the witness then has a slack of its own.
  double margin_lower = -kInfinity;
  Statistics statistics = {};
};

// The three answers, without statistics. `margin_lower` is described above.
Verdict holds(std::string reason, double margin_lower, Evidence evidence = Evidence::kRigorous);
Verdict violated(std::string reason, Witness witness);
Verdict unknown(std::string reason, double margin_lower = -kInfinity);
// Unknown, because values are too large to be bounded.
Verdict unknown_by(const OverflowError& error);

// What the answer rests on, in words for people. Holds: "rigorous" or "a solver's claim". Violated: the arithmetic in
// which the witness is unsafe, or empty if it is unsafe in all. Unknown: empty.
std::string evidence_text(const Verdict& verdict);
// The same for programs. Holds: "rigorous" or "solver". Violated: "exact", "real only" or "float only". Unknown:
// nullopt.
std::optional<std::string> evidence_word(const Verdict& verdict);

}  // namespace plumb::verdict
