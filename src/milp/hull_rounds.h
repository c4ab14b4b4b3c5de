// hull_rounds.h: rounds of separation at the root of a mixed-integer program.
//
// In:  a program with its question, optima of its relaxation as a solver claims them.
// Out: bounds on the objective; the program with rows that the solver may do without, but is faster with.
//
//     HullRounds rounds(encoding, target, options);
//     do rounds.take(solve rounds.relaxation()); while (rounds.next());
//     encoding = rounds.encoding();
//
// Each round adds the rows of units' hulls that the last optimum violates (milp/encoding/hull_rows.h), the most
// violated first, and leaves out those of earlier rounds that it does not meet with equality. It ends when the bound
// has reached the target, when nothing is violated, or when the bound hardly rises any more. Then each unit's rows
// become one, their mean by the last duals: the relaxation keeps its bound, and the solver has fewer long rows to go
// through.
//
// Sound:  bounds are certified from the duals (program/certified_bound.h). The rows hold at every point with indicators
//         in {0, 1}, so that neither these bounds nor a solver's points and claims are about less than before.
#pragma once

#include "base/numbers.h"
#include "milp/encoding/encoding.h"
#include "program/solver.h"

namespace plumb::milp {

struct HullRoundOptions {
  int rounds = 10;  // 0: no rows
  int rows_a_round = 200;
  int rows_a_unit = 4;  // at a time
  // What a round must close of the distance from the bound to the target.
  double least_progress = 0.02;
};

class HullRounds {
 public:
  // The objective is to be shown at least the target.
  HullRounds(const Encoding& encoding, double target, const HullRoundOptions& options)
      : without_(encoding), with_(encoding), target_(target), options_(options) {}

  // With the rows as they are now.
  const Encoding& encoding() const { return with_; }
  program::Program relaxation() const { return with_.program().relaxation(); }

  // What a solver claims of relaxation(): a bound for the program. Infinite if there is no point.
  double take(program::SolveResult result);
  double bound() const { return bound_; }
  // Whether there are new rows, and the relaxation is worth solving again.
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
  std::vector<HullRow> rows_;  // the last ones of with_, until they are merged
  program::SolveResult optimum_;
  double bound_ = -kInfinity, last_bound_ = -kInfinity;
  int rounds_ = 0;
  std::int64_t added_ = 0;
};

}  // namespace plumb::milp
