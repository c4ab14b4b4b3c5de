// subproblem_solver.h: exact solutions of subproblems that the search's own bounds do not close.
//
// Over a box, an l1 ball or a polytope they come from linear programs (subproblem_program.h), one per functional, which
// are kept from subproblem to subproblem. Over an l2 ball they come from nearest points (subproblem_dual.h).
//
// Out: a proven bound, choices for the search to prove, or a witness.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "search/leaf/subproblem_dual.h"
#include "search/leaf/subproblem_program.h"
#include "search/piece_witness.h"
#include "search/targets.h"
#include "search/tree/branch_and_bound.h"
#include "verdict/verdict.h"

namespace plumb::search {

class SubproblemSolver {
 public:
  // Keeps references to all arguments.
  SubproblemSolver(const SearchTask& task, const reduction::ReducedNetwork& network, PieceWitness& witness,
                   verdict::Statistics& statistics)
      : task_(task), network_(network), witness_(witness), statistics_(statistics) {}

  // Returns nullopt if a program is needed and there is no solver.
  std::optional<SubproblemAnswer> solve(const Subproblem& subproblem, const ProofChoices& found, const Target& target);

 private:
  std::optional<SubproblemAnswer> solve_program(std::span<const reduction::Split> splits, const Target& target,
                                                bool is_leaf);
  SubproblemAnswer solve_dual(std::span<const reduction::Split> splits, const ProofChoices& found, const Target& target,
                              bool is_leaf);
  bool found_deeper(SubproblemProgram& program, const Target& target);
  void charge(std::int64_t iterations);
  SubproblemProgram* program_of(const Target& target);
  std::vector<std::int64_t> other_rows(const Target& target) const;

  const SearchTask& task_;
  const reduction::ReducedNetwork& network_;
  PieceWitness& witness_;
  verdict::Statistics& statistics_;
  std::map<std::int64_t, std::unique_ptr<SubproblemProgram>> programs_;  // by the target's functional
};

}  // namespace plumb::search
