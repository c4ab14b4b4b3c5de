#include "search/leaf/subproblem_solver.h"

#include <algorithm>

namespace plumb::search {
namespace {

// The units that splitting has decided, and those that their ranges decide at all unsafe points.
std::vector<reduction::Split> decided_units(const Subproblem& subproblem, std::int64_t units) {
  std::vector<reduction::Split> splits(static_cast<std::size_t>(units), reduction::Split::kOpen);
  for (std::size_t k = 0; subproblem.ranges != nullptr && k < splits.size(); ++k) {
    if (subproblem.ranges->lower[k] > 0) splits[k] = reduction::Split::kActive;
    if (subproblem.ranges->upper[k] < 0) splits[k] = reduction::Split::kInactive;
  }
  for (const Decision* d = subproblem.decisions.get(); d != nullptr; d = d->before.get()) {
    splits[static_cast<std::size_t>(d->unit)] = d->side;
  }
  return splits;
}

SubproblemAnswer answer_of(SubproblemSolution& solved) {
  return {.bound = solved.bound, .choices = std::move(solved.choices), .proof = std::move(solved.proof)};
}

bool has_point_to_try(const SubproblemSolution& solved) { return solved.bound <= 0 && solved.u && solved.value <= 0; }

}  // namespace

std::optional<SubproblemAnswer> SubproblemSolver::solve(const Subproblem& subproblem, const ProofChoices& found,
                                                        const Target& target) {
  const std::vector<reduction::Split> splits = decided_units(subproblem, network_.unit_count());
  const bool is_leaf = subproblem.branch < 0;
  if (SubproblemDual::can_express(network_.space())) return solve_dual(splits, found, target, is_leaf);
  return solve_program(splits, target, is_leaf);
}

std::optional<SubproblemAnswer> SubproblemSolver::solve_program(std::span<const reduction::Split> splits,
                                                                const Target& target, bool is_leaf) {
  SubproblemProgram* program = program_of(target);
  if (program == nullptr) return std::nullopt;
  SubproblemSolution solved = program->solve(splits, task_.budget);
  charge(solved.iterations);
  SubproblemAnswer answer = answer_of(solved);
  if (!has_point_to_try(solved)) return answer;
  answer.witness = witness_.try_point(network_.space(), *solved.u);
  if (answer.witness || !is_leaf) return answer;
  answer.witness = found_deeper(*program, target) || witness_.try_near(network_.space(), *solved.u);
  if (!answer.witness) witness_.note_over_reals(network_.space(), *solved.u);
  return answer;
}

// Looks for a witness first at the deepest point within the limits, which rounding moves least, and then at the deepest
// point of all, which leaves the most room for all inequalities of the conjunction.
bool SubproblemSolver::found_deeper(SubproblemProgram& program, const Target& target) {
  const auto found = [&](const property::Box* limits) {
    const SubproblemProgram::DeepestPoint deepest = program.deepest_point(task_.budget, limits);
    charge(deepest.iterations);
    return deepest.u &&
           (witness_.try_point(network_.space(), *deepest.u) || witness_.try_near(network_.space(), *deepest.u));
  };
  const property::Box limits = witness_.limits(network_.space());
  const bool has_several_inequalities = target.last > target.first + 1;
  return (program.heeds_limits() && found(&limits)) || (has_several_inequalities && found(nullptr));
}

void SubproblemSolver::charge(std::int64_t iterations) {
  ++statistics_.lps;
  statistics_.simplex_iterations += iterations;
  task_.budget.charge((iterations + 1) * network_.entries());
}

SubproblemAnswer SubproblemSolver::solve_dual(std::span<const reduction::Split> splits, const ProofChoices& found,
                                              const Target& target, bool is_leaf) {
  const SubproblemDual dual(network_, network_.functional_row(target.best), other_rows(target));
  SubproblemSolution solved = dual.solve(splits, found);
  SubproblemAnswer answer = answer_of(solved);
  if (!has_point_to_try(solved)) return answer;
  answer.witness = witness_.try_point(network_.space(), *solved.u);
  if (answer.witness || !is_leaf) return answer;
  // The best point for one inequality may leave others at a tie, which rounding breaks. So points with room for all
  // inequalities are tried.
  const auto is_witness = [&](const std::vector<double>& u) { return witness_.try_point(network_.space(), u); };
  const std::vector<std::vector<double>> with_room = dual.points_with_room(splits, found, -solved.value);
  answer.witness = std::ranges::any_of(with_room, is_witness) || witness_.try_near(network_.space(), *solved.u);
  if (answer.witness) return answer;
  for (const std::vector<double>& u : with_room) witness_.note_over_reals(network_.space(), u);
  witness_.note_over_reals(network_.space(), *solved.u);
  return answer;
}

// The program is made when the first subproblem of its target needs it. Returns nullptr if there is no solver.
SubproblemProgram* SubproblemSolver::program_of(const Target& target) {
  auto& program = programs_[target.best];
  if (program) return program.get();
  const program::Solver* solver = task_.solver();
  if (solver == nullptr) return nullptr;
  program =
      std::make_unique<SubproblemProgram>(*solver, network_, network_.functional_row(target.best), other_rows(target));
  return program.get();
}

// The rows of the conjunction's other inequalities.
std::vector<std::int64_t> SubproblemSolver::other_rows(const Target& target) const {
  std::vector<std::int64_t> others;
  for (std::int64_t f = target.first; f < target.last; ++f) {
    if (f != target.best) others.push_back(network_.functional_row(f));
  }
  return others;
}

}  // namespace plumb::search
