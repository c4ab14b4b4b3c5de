#include "search/propagation/piece_propagation.h"

#include "base/numbers.h"
#include "search/leaf/subproblem_solver.h"

namespace plumb::search {

bool PiecePropagation::run(PieceTargets& targets) {
  for (const Target& target : targets.open()) {
    if (task_.budget.reached() != LimitReached::kNone) return false;
    const PropagationEnd end = run(target);
    if (end == PropagationEnd::kWitness) return true;
    if (end == PropagationEnd::kRefuted) targets.refute(target.conjunction);
  }
  return false;
}

PropagationEnd PiecePropagation::run(const Target& target) {
  // Where rows are long, a decision implies little, and trying one takes long.
  constexpr std::int64_t kMostEntriesForSearch = 200'000;
  std::vector<std::int64_t> constraints;
  for (std::int64_t f = target.first; f < target.last; ++f) constraints.push_back(network_.functional_row(f));
  Propagation propagation(network_, std::move(constraints));
  PropagationReport report(propagation, target.best, task_.events);
  const bool possible = propagation.propagate();
  task_.budget.charge(propagation.take_cost());
  if (!possible) report.contradiction();
  PropagationEnd end = possible ? PropagationEnd::kOpen : PropagationEnd::kRefuted;
  if (possible && network_.entries() <= kMostEntriesForSearch) end = search(target, propagation, report);
  report.end();
  return end;
}

PropagationEnd PiecePropagation::search(const Target& target, Propagation& propagation, PropagationReport& report) {
  PropagationSearch tree(
      network_, propagation, report, task_.budget,
      [this](std::span<const double> u) { return witness_.try_point(network_.space(), u); },
      [&](std::span<const reduction::Split> splits) { return solve_leaf(splits, target, report); });
  const PropagationEnd end = tree.run();
  statistics_.nodes += tree.nodes();
  return end;
}

PropagationEnd PiecePropagation::solve_leaf(std::span<const reduction::Split> splits, const Target& target,
                                            PropagationReport& report) {
  SubproblemSolver solver(task_, network_, witness_, statistics_);
  const std::vector<double> none(splits.size(), 0.0);
  const ProofChoices defaults{none, none, std::vector<double>(index(target.last - target.first - 1), 0.0)};
  const auto answer = solver.solve(subproblem_of(splits), defaults, target);
  if (!answer) return PropagationEnd::kOpen;
  if (answer->witness) return PropagationEnd::kWitness;
  if (!(answer->bound > 0)) return PropagationEnd::kOpen;
  report.closed_by_program(*answer, target);
  return PropagationEnd::kRefuted;
}

}  // namespace plumb::search
