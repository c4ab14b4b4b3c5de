// hull_rounds.h: rounds of separation at the root of a mixed-integer program.
//
// In:  a program with its question (Encoding), and optima of its relaxation as a solver claims them.
// Out: bounds on the objective, and the program with additional rows. The integer program does not need these rows, but
//      the solver is faster with them.
//
//     HullRounds rounds(encoding, target, options);
//     do rounds.take(solve rounds.relaxation()); while (rounds.next());
//     encoding = rounds.encoding();
//
// Each round adds rows of units' convex hulls that the last optimum violates (milp/encoding/hull_rows.h), the most
// violated first. It removes rows of earlier rounds that are not tight at that optimum. The rounds end when the bound
// reaches the target, when no row is violated, when the bound hardly rises, or after a fixed number of rounds. Unless
// the target was reached, the rows of each unit are then merged into one, their mean weighted by the last duals. The
// relaxation keeps its bound, and the solver has fewer long rows to process.
//
// Sound:  bounds are certified from the duals (program/certified_bound.h). The rows hold at every point whose
//         indicators are in {0, 1}. So these bounds, and a solver's points and claims, are also valid for the program
//         without the rows.
#pragma once

#include "base/numbers.h"
#include "milp/encoding/encoding.h"
#include "program/solver.h"

namespace plumb::milp {

struct HullRoundOptions {
  int rounds = 10;  // 0 adds no rows
  int rows_per_round = 200;
  int rows_per_unit = 4;  // at most, at a time
  // A round has made progress if it closes more than this share of the distance from the bound to the target.
  double least_progress = 0.02;
};

class HullRounds {
 public:
  // The goal is to prove that the objective is at least `target`.
  HullRounds(const Encoding& encoding, double target, const HullRoundOptions& options)
      : without_(encoding), with_(encoding), target_(target), options_(options) {}

  // The program with its current rows.
  const Encoding& encoding() const { return with_; }
  program::Program relaxation() const { return with_.program().relaxation(); }

  // Takes what a solver claims about relaxation(). Returns a certified lower bound on the program's objective, infinite
  // if the program is proven to be infeasible.
  double take(program::SolveResult result);
  double bound() const { return bound_; }
  // Adds rows for another round. Returns false if there are none, or if solving the relaxation again is not worthwhile.
  bool next();

  int rounds() const { return rounds_; }
  std::int64_t rows_added() const { return added_; }

 private:
  bool has_risen() const;
  std::vector<HullRow> tight_rows() const;
  std::int64_t add_violated(std::vector<HullRow>& rows) const;
  std::vector<HullRow> merged() const;
  void rebuild(const std::vector<HullRow>& rows);
  void finish();

  Encoding without_, with_;
  double target_;
  HullRoundOptions options_;
  std::vector<HullRow> rows_;  // the last rows of with_, before they are merged
  program::SolveResult optimum_;
  double bound_ = -kInfinity, last_bound_ = -kInfinity;
  int rounds_ = 0;
  std::int64_t added_ = 0;
};

}  // namespace plumb::milp
