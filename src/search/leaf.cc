#include "search/leaf.h"

#include <algorithm>
#include <cmath>

#include "base/rounding.h"
#include "program/certified_bound.h"

namespace plumb {
namespace {

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

class LeafProgram {
 public:
  LeafProgram(const ReducedNetwork& network, std::span<const Split> splits) : network_(network), splits_(splits) {
    add_inputs();
    for (std::int64_t k = 0; k < network.unit_count(); ++k) add_unit(k);
  }

  // The value of a row, as terms over variables; an inactive unit's value is zero.
  std::vector<Term> terms_of(std::int64_t row) const {
    std::vector<Term> terms;
    const auto inputs = network_.on_inputs().columns(row), units = network_.on_units().columns(row);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      terms.push_back({u_[index(inputs[i])], network_.on_inputs().values(row)[i]});
    }
    for (std::size_t k = 0; k < units.size(); ++k) {
      if (splits_[index(units[k])] == Split::kActive) {
        terms.push_back({z_[index(units[k])], network_.on_units().values(row)[k]});
      }
    }
    return terms;
  }

  // The true value of the row is at most zero.
  void require_at_most_zero(std::int64_t row) {
    program_.add_row(-kInfinity, terms_of(row), round_up(network_.error(row) - network_.constant(row)));
  }

  // The objective is the row without its error.
  void minimise(std::int64_t row) { program_.set_objective(terms_of(row), network_.constant(row)); }

  const Program& program() const { return program_; }
  std::size_t inputs() const { return u_.size(); }

 private:
  void add_inputs() {
    const InputSpace& space = network_.space();
    for (std::int64_t i = 0; i < space.size(); ++i)
      u_.push_back(program_.add_variable(-space.magnitude(i), space.magnitude(i)));
    if (space.is_cube()) return;
    if (const auto* polytope = std::get_if<Polytope>(&space.part())) {
      for (const LinearInequality& inequality : polytope->inequalities) {
        std::vector<Term> terms;
        for (std::size_t i = 0; i < u_.size(); ++i) terms.push_back({u_[i], inequality.coefficients[i]});
        program_.add_row(-kInfinity, terms, inequality.bound);
      }
    }
    const Box box = enclosing_box(space.part());
    for (std::size_t i = 0; i < u_.size(); ++i) program_.set_bounds(u_[i], box.lower[i], box.upper[i]);
  }

  // z_k within its error of its row, on its side of zero.
  void add_unit(std::int64_t k) {
    const auto& unit = network_.units()[index(k)];
    const bool active = splits_[index(k)] == Split::kActive;
    // The row's expression may be off by its error, and so may the side of zero that it shows.
    z_.push_back(
        program_.add_variable(active ? 0.0 : std::min(unit.lower, 0.0), active ? std::max(unit.upper, 0.0) : 0.0));
    std::vector<Term> terms = terms_of(k);
    for (Term& term : terms) term.coefficient = -term.coefficient;
    terms.push_back({z_.back(), 1.0});
    program_.add_row(round_down(network_.constant(k) - network_.error(k)), terms,
                     round_up(network_.constant(k) + network_.error(k)));
  }

  const ReducedNetwork& network_;
  std::span<const Split> splits_;
  Program program_;
  std::vector<VariableId> u_, z_;
};

}  // namespace

LeafResult solve_leaf(const Solver& solver, const ReducedNetwork& network, std::span<const Split> splits,
                      std::int64_t functional_row, std::span<const std::int64_t> others, double seconds) {
  LeafProgram leaf(network, splits);
  for (const std::int64_t row : others) leaf.require_at_most_zero(row);
  leaf.minimise(functional_row);
  SolveRequest request;
  request.time_limit = std::max(0.0, seconds);
  const SolveResult solved = solver.solve(leaf.program(), request);
  LeafResult result{-kInfinity, {}, solved.simplex_iterations};
  if (solved.status == SolveStatus::kInfeasible && !solved.farkas_ray.empty() &&
      proves_infeasible(leaf.program(), solved.farkas_ray)) {
    result.bound = kInfinity;
    return result;
  }
  if (!solved.row_duals.empty()) {
    result.bound = round_down(certified_bound(leaf.program(), solved.row_duals) - network.error(functional_row));
  }
  if (solved.has_point()) {
    result.u.emplace(solved.point.begin(), solved.point.begin() + static_cast<std::ptrdiff_t>(leaf.inputs()));
  }
  return result;
}

}  // namespace plumb
