#include "search/leaf/subproblem_program.h"

#include <algorithm>
#include <cmath>

#include "base/bounded_sum.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/overloaded.h"
#include "base/rounding.h"
#include "program/certified_bound.h"
#include "program/priced_session.h"

namespace plumb::search {

bool SubproblemProgram::can_express(const reduction::InputSpace& space) {
  if (space.is_cube()) return true;
  return std::visit(
      Overloaded{[](const property::Box&) { return true; },
                 [](const property::Ball& ball) { return ball.norm != property::Norm::kL2; },
                 [](const property::AffineImage&) { return false; },  // its parameters are the space's part
                 [](const property::Polytope&) { return true; }},
      space.part());
}

SubproblemProgram::SubproblemProgram(const program::Solver& solver, const reduction::ReducedNetwork& network,
                                     std::int64_t functional_row, std::vector<std::int64_t> constraints)
    : network_(network),
      functional_row_(functional_row),
      constraints_(std::move(constraints)),
      splits_(index(network.unit_count()), reduction::Split::kOpen) {
  add_inputs();
  for (std::int64_t k = 0; k < network.unit_count(); ++k) add_unit(k);
  if (!constraints_.empty()) add_conjunction();
  program_.set_objective(terms_of(functional_row), constant_of(functional_row).lower);
  session_ =
      is_l1_ball_ ? open_priced_session(solver, program_, moves_that_may_be_zero()) : solver.open_session(program_);
}

void SubproblemProgram::add_inputs() {
  const reduction::InputSpace& space = network_.space();
  if (space.is_cube()) {
    for (std::int64_t i = 0; i < space.size(); ++i) coordinates_.push_back({program_.add_variable(-1, 1), {}, 0});
    return;
  }
  std::visit(Overloaded{[&](const property::Box& box) { add_box(box); },
                        [&](const property::Ball& ball) { add_l1_ball(ball); },
                        [](const property::AffineImage&) {
                          throw InternalError("subproblem program",
                                              "a part that is an image instead of its parameters");
                        },
                        [&](const property::Polytope& polytope) {
                          add_box(polytope.box);
                          add_inequalities(polytope.inequalities);
                        }},
             space.part());
}

void SubproblemProgram::add_box(const property::Box& box) {
  for (std::size_t i = 0; i < box.size(); ++i) {
    coordinates_.push_back({program_.add_variable(box.lower[i], box.upper[i]), {}, 0});
  }
}

// u = centre + up - down, where the sum of all ups and downs is at most the radius.
void SubproblemProgram::add_l1_ball(const property::Ball& ball) {
  if (ball.norm != property::Norm::kL1) throw InternalError("subproblem program", "a ball that is not an l1 ball");
  is_l1_ball_ = true;
  const double radius = ball.radius.round_up();
  std::vector<program::Term> sum;
  for (std::size_t i = 0; i < ball.centre.size(); ++i) {
    const double centre = ball.centre[i], lowest = ball.domain.lower[i], highest = ball.domain.upper[i];
    const auto add_move = [&](double least, double most) {  // from the centre into the domain
      const double low = std::max(0.0, least);
      return program_.add_variable(low, std::max(low, std::min(radius, most)));
    };
    const program::VariableId up = add_move(round_down(lowest - centre), round_up(highest - centre));
    const program::VariableId down = add_move(round_down(centre - highest), round_up(centre - lowest));
    sum.insert(sum.end(), {{up, 1.0}, {down, 1.0}});
    coordinates_.push_back({up, down, centre});
  }
  program_.add_row(-kInfinity, sum, radius);
}

std::vector<program::VariableId> SubproblemProgram::moves_that_may_be_zero() const {
  std::vector<program::VariableId> moves;
  for (const Coordinate& coordinate : coordinates_) {
    for (const program::VariableId move : {coordinate.up, coordinate.down}) {
      if (program_.lower(move) == 0) moves.push_back(move);
    }
  }
  return moves;
}

void SubproblemProgram::add_inequalities(std::span<const property::LinearInequality> inequalities) {
  for (const property::LinearInequality& inequality : inequalities) {
    std::vector<program::Term> terms;
    for (std::size_t i = 0; i < coordinates_.size(); ++i) {
      terms.push_back({coordinates_[i].up, inequality.coefficients[i]});
    }
    region_rows_.push_back(program_.add_row(-kInfinity, terms, inequality.bound));
  }
}

// r - n equals the row, up to its error. r and n are within the unit's bounds and, if it is undecided, in the triangle.
void SubproblemProgram::add_unit(std::int64_t k) {
  const auto& unit = network_.units()[index(k)];
  const program::VariableId r = program_.add_variable(0, std::max(unit.upper, 0.0));
  const program::VariableId n = program_.add_variable(0, std::max(-unit.lower, 0.0));
  std::vector<program::Term> terms = terms_of(k);
  for (program::Term& term : terms) term.coefficient = -term.coefficient;
  terms.insert(terms.end(), {{r, 1.0}, {n, -1.0}});
  positive_.push_back(r);
  negative_.push_back(n);
  const auto [least, most] = constant_of(k);
  unit_rows_.push_back(
      program_.add_row(round_down(least - network_.error(k)), terms, round_up(most + network_.error(k))));
  if (!(unit.lower < 0 && 0 < unit.upper)) return;
  // r / upper + n / -lower <= 1, scaled such that no coefficient exceeds 1. Smaller coefficients only loosen the row.
  const double scale = std::min(unit.upper, -unit.lower);
  program_.add_row(-kInfinity, {{r, round_down(scale / unit.upper)}, {n, round_down(scale / -unit.lower)}}, scale);
}

// The functionals of the other inequalities are at most level_, which is zero except in deepest_point(). The functional
// itself is at most level_ + excess_, and excess_ is unbounded except in deepest_point(), where it is zero.
void SubproblemProgram::add_conjunction() {
  level_ = program_.add_variable(0, 0);
  excess_ = program_.add_variable(0, kInfinity);
  const auto at_most_the_level = [&](std::int64_t row, bool with_excess) {
    std::vector<program::Term> terms = terms_of(row);
    terms.push_back({level_, -1.0});
    if (with_excess) terms.push_back({excess_, -1.0});
    return program_.add_row(-kInfinity, terms, round_up(network_.error(row) - constant_of(row).lower));
  };
  for (const std::int64_t row : constraints_) constraint_rows_.push_back(at_most_the_level(row, false));
  at_most_the_level(functional_row_, true);
}

std::vector<program::Term> SubproblemProgram::terms_of(std::int64_t row) const {
  std::vector<program::Term> terms;
  const auto inputs = network_.on_inputs().columns(row), units = network_.on_units().columns(row);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Coordinate& coordinate = coordinates_[index(inputs[i])];
    const double value = network_.on_inputs().values(row)[i];
    terms.push_back({coordinate.up, value});
    if (is_l1_ball_) terms.push_back({coordinate.down, -value});
  }
  for (std::size_t k = 0; k < units.size(); ++k) {
    terms.push_back({positive_[index(units[k])], network_.on_units().values(row)[k]});
  }
  return terms;
}

// The row's value where all variables are zero. If coordinates have a centre, it is known up to rounding.
SubproblemProgram::Range SubproblemProgram::constant_of(std::int64_t row) const {
  const double constant = network_.constant(row);
  if (!is_l1_ball_) return {constant, constant};
  BoundedSum sum;
  sum.add_product(constant, 1);
  const auto inputs = network_.on_inputs().columns(row);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    sum.add_product(network_.on_inputs().values(row)[i], coordinates_[index(inputs[i])].centre);
  }
  return {sum.lower(), sum.upper()};
}

void SubproblemProgram::decide(std::span<const reduction::Split> splits) {
  for (std::size_t k = 0; k < splits.size(); ++k) {
    if (splits[k] == splits_[k]) continue;
    splits_[k] = splits[k];
    const auto& unit = network_.units()[k];
    const double most_r = splits[k] == reduction::Split::kInactive ? 0.0 : std::max(unit.upper, 0.0);
    const double most_n = splits[k] == reduction::Split::kActive ? 0.0 : std::max(-unit.lower, 0.0);
    session_->set_variable_bounds(positive_[k], 0, most_r);
    session_->set_variable_bounds(negative_[k], 0, most_n);
  }
}

program::SolveResult SubproblemProgram::solve_within(const Budget& budget) {
  program::SolveRequest request;
  request.time_limit = budget.seconds_left();
  request.cancel = budget.cancel();
  return session_->solve(request);
}

SubproblemSolution SubproblemProgram::solve(std::span<const reduction::Split> splits, const Budget& budget) {
  decide(splits);
  const program::SolveResult solved = solve_within(budget);
  SubproblemSolution solution{.value = solved.objective, .iterations = solved.simplex_iterations};
  if (solved.has_point()) solution.u = coordinates(solved.point);
  if (!solved.farkas_ray.empty()) {
    // Whatever the functional is, a large enough multiple of the ray lifts it above zero.
    constexpr double kEnough = 1e6;
    solution.choices = choices(solved.farkas_ray, kEnough, splits);
    if (proves_infeasible(session_->program(), solved.farkas_ray)) {
      solution.bound = kInfinity;
      solution.proof = proof(solved.farkas_ray);
    }
  } else if (!solved.row_duals.empty()) {
    solution.choices = choices(solved.row_duals, 1, splits);
    if (solved.objective > 0) {
      const double bound = certified_bound(session_->program(), solved.row_duals);
      solution.bound = round_down(bound - network_.error(functional_row_));
      if (solution.bound > 0) solution.proof = proof(solved.row_duals);
    }
  }
  return solution;
}

SubproblemProgram::DeepestPoint SubproblemProgram::deepest_point(const Budget& budget, const property::Box* limits) {
  if (limits != nullptr) limit_coordinates(*limits);
  if (!constraints_.empty()) {
    session_->set_variable_bounds(level_, -kInfinity, 0);
    session_->set_variable_bounds(excess_, 0, 0);
    session_->set_objective(std::vector<program::Term>{{level_, 1.0}});
  }
  const program::SolveResult solved = solve_within(budget);
  if (!constraints_.empty()) {
    session_->set_variable_bounds(level_, 0, 0);
    session_->set_variable_bounds(excess_, 0, kInfinity);
    session_->set_objective(terms_of(functional_row_), constant_of(functional_row_).lower);
  }
  if (limits != nullptr) {
    const std::size_t size = coordinates_.size();
    limit_coordinates({std::vector(size, -kInfinity), std::vector(size, kInfinity)});
  }
  DeepestPoint deepest{{}, solved.simplex_iterations};
  if (solved.has_point()) deepest.u = coordinates(solved.point);
  return deepest;
}

void SubproblemProgram::limit_coordinates(const property::Box& limits) {
  if (is_l1_ball_) return;
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    const program::VariableId u = coordinates_[i].up;
    const double lower = std::max(program_.lower(u), limits.lower[i]);
    const double upper = std::min(program_.upper(u), limits.upper[i]);
    if (lower <= upper) session_->set_variable_bounds(u, lower, upper);
  }
}

std::vector<double> SubproblemProgram::coordinates(std::span<const double> point) const {
  std::vector<double> u;
  for (const Coordinate& coordinate : coordinates_) {
    const double down = is_l1_ball_ ? point[index(coordinate.down.index)] : 0.0;
    u.push_back(coordinate.centre + point[index(coordinate.up.index)] - down);
  }
  return u;
}

// Takes the duals as certified_bound() does: a dual that is not finite, or that belongs to the unbounded side of its
// row, counts as zero.
ProgramProof SubproblemProgram::proof(std::span<const double> row_duals) const {
  const auto dual = [&](program::RowId row) {
    const double y = row_duals[index(row.index)];
    return std::isfinite(y) ? y : 0.0;
  };
  ProgramProof proof;
  for (const program::RowId row : unit_rows_) proof.passed.push_back(dual(row));
  for (const program::RowId row : constraint_rows_) proof.constraint_multiplier.push_back(std::max(0.0, -dual(row)));
  for (const program::RowId row : region_rows_) proof.on_region.push_back(std::max(0.0, -dual(row)));
  return proof;
}

// A row's dual y_k is the coefficient that unit k passes on to its argument z_k. Going back from the last unit, the
// coefficient of each unit's value follows from the later units. The slope or multiplier is then chosen such that the
// unit passes on y_k, as nearly as is valid.
ProofChoices SubproblemProgram::choices(std::span<const double> row_duals, double scale,
                                        std::span<const reduction::Split> splits) const {
  const std::size_t units = splits.size();
  ProofChoices choices;
  choices.slope.resize(units);
  choices.multiplier.resize(units);
  std::vector<double> on_value(units, 0.0);
  const auto add = [&](std::int64_t row, double factor) { network_.on_units().add_multiple(row, factor, on_value); };
  add(functional_row_, 1);
  for (std::size_t c = 0; c < constraints_.size(); ++c) {
    // The row has only an upper bound, so its dual is not positive.
    choices.constraint_multiplier.push_back(std::max(0.0, -scale * row_duals[index(constraint_rows_[c].index)]));
    add(constraints_[c], choices.constraint_multiplier.back());
  }
  for (std::size_t k = units; k-- > 0;) {
    const double v = on_value[k], wanted = scale * row_duals[index(unit_rows_[k].index)];
    double passed = 0;
    if (splits[k] == reduction::Split::kActive) {
      choices.multiplier[k] = std::max(0.0, v - wanted);
      passed = v - choices.multiplier[k];
    } else if (splits[k] == reduction::Split::kInactive) {
      passed = choices.multiplier[k] = std::max(0.0, wanted);
    } else if (v > 0) {
      choices.slope[k] = std::clamp(wanted / v, 0.0, 1.0);
      passed = choices.slope[k] * v;
    } else {
      passed = network_.lines().upper_slope[k] * v;
    }
    add(static_cast<std::int64_t>(k), passed);
  }
  return choices;
}

}  // namespace plumb::search
