#include "search/propagation/piece_propagation.h"

#include <algorithm>

#include "base/numbers.h"
#include "search/leaf/subproblem_solver.h"

namespace plumb::search {

bool PiecePropagation::run(PieceTargets& targets, bool search) {
  for (const Target& target : targets.open()) {
    if (task_.budget.reached() != LimitReached::kNone) {
      inputs_.clear();  // they lack this target's points
      return false;
    }
    const PropagationEnd end = run(target, search);
    if (end == PropagationEnd::kWitness) return true;
    if (end == PropagationEnd::kRefuted) targets.refute(target.conjunction);
  }
  return false;
}

// Where rows are long, a decision implies little, and trying one takes long.
PropagationEnd PiecePropagation::run(const Target& target, bool search) {
  constexpr std::int64_t kMostEntriesForSearch = 200'000;
  search = search && network_.on_inputs().entries() + network_.on_units().entries() <= kMostEntriesForSearch;
  std::vector<std::int64_t> constraints;
  for (std::int64_t f = target.first; f < target.last; ++f) constraints.push_back(network_.functional_row(f));
  Propagation propagation(network_, std::move(constraints));
  const bool possible = propagation.propagate();
  task_.budget.charge(propagation.take_cost());
  if (!possible) return PropagationEnd::kRefuted;
  if (!search) {
    add_inputs(propagation);
    return PropagationEnd::kOpen;
  }
  const std::size_t mark = propagation.mark();
  PropagationSearch tree(
      network_, propagation, task_.budget,
      [this](std::span<const double> u) { return witness_.try_point(network_.space(), u); },
      [&](std::span<const reduction::Split> splits) { return solve_leaf(splits, target); });
  const PropagationEnd end = tree.run();
  statistics_.nodes += tree.nodes();
  if (end == PropagationEnd::kOpen) {
    propagation.undo(mark);
    add_inputs(propagation);
  }
  return end;
}

void PiecePropagation::add_inputs(const Propagation& propagation) {
  for (std::int64_t i = 0; i < network_.space().size(); ++i) {
    const Propagation::Range& range = propagation.input(i);
    if (std::ssize(inputs_) <= i) inputs_.push_back(range);
    inputs_[index(i)] = {std::min(inputs_[index(i)].lower, range.lower),
                         std::max(inputs_[index(i)].upper, range.upper)};
  }
}

PropagationEnd PiecePropagation::solve_leaf(std::span<const reduction::Split> splits, const Target& target) {
  SubproblemSolver solver(task_, network_, witness_, statistics_);
  const std::vector<double> none(splits.size(), 0.0);
  const ProofChoices defaults{none, none, std::vector<double>(index(target.last - target.first - 1), 0.0)};
  const auto answer = solver.solve(subproblem_of(splits), defaults, target);
  if (!answer) return PropagationEnd::kOpen;
  if (answer->witness) return PropagationEnd::kWitness;
  return answer->bound > 0 ? PropagationEnd::kRefuted : PropagationEnd::kOpen;
}

}  // namespace plumb::search
