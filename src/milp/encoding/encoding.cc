#include "milp/encoding/encoding.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/numbers.h"
#include "base/rounding.h"

namespace plumb::milp {

Encoding::Encoding(EncodedNetwork network, const property::SimpleRegion& part, bounds::UnsafeFunctionals unsafe,
                   double ignored_coefficient)
    : network_(std::move(network)), unsafe_(std::move(unsafe)), ignored_coefficient_(ignored_coefficient) {
  sphere_ = add_region(network_, part, ignored_coefficient);
  // If nothing depends on the input, there are no variables, and a solver would have no point to show.
  if (network_.program.variables() == 0) network_.program.add_variable(0, 0, "nothing");
}

std::vector<std::optional<program::VariableId>> Encoding::add_choice(std::size_t count) {
  if (count == 0) throw InternalError("encoding", "no conjunction to ask about");
  if (count == 1) return {std::nullopt};
  std::vector<std::optional<program::VariableId>> chosen;
  std::vector<program::Term> sum;
  for (std::size_t c = 0; c < count; ++c) {
    chosen.push_back(network_.program.add_binary("chosen" + std::to_string(c)));
    sum.push_back({*chosen.back(), 1});
  }
  network_.program.add_row(1, sum, 1, "one_conjunction");
  return chosen;
}

// g <= clearance for the functionals of the chosen conjunction, as g <= clearance + most (1 - chosen) with g <= most.
void Encoding::require(std::span<const std::size_t> conjunctions, double clearance) {
  const auto chosen = add_choice(conjunctions.size());
  for (std::size_t c = 0; c < conjunctions.size(); ++c) {
    for (std::size_t row = unsafe_.first[conjunctions[c]]; row < unsafe_.first[conjunctions[c] + 1]; ++row) {
      const Expression& g = network_.functionals[row];
      if (!chosen[c]) {
        add_at_most(network_.program, g, {}, clearance);
        continue;
      }
      const double most = std::max(kLeastBigM, range_of(network_.program, g).upper);
      const program::Term if_chosen{*chosen[c], most};
      add_at_most(network_.program, g, {&if_chosen, 1}, sum_up(most, clearance));
    }
  }
}

void Encoding::ask_feasibility(std::span<const std::size_t> conjunctions, double clearance) {
  require(conjunctions, clearance);
}

// t >= g for the functionals of the chosen conjunction: g - t <= (most - least)(1 - chosen), g <= most, t >= least.
void Encoding::ask_margin(std::span<const std::size_t> conjunctions) {
  double least = kInfinity, most = -kInfinity;
  for (const std::size_t c : conjunctions) {
    Range of_conjunction{-kInfinity, -kInfinity};
    for (std::size_t row = unsafe_.first[c]; row < unsafe_.first[c + 1]; ++row) {
      const Range range = range_of(network_.program, network_.functionals[row]);
      of_conjunction = {std::max(of_conjunction.lower, range.lower), std::max(of_conjunction.upper, range.upper)};
    }
    if (of_conjunction.lower == -kInfinity) throw InternalError("encoding", "a margin without inequalities");
    least = std::min(least, of_conjunction.lower);
    most = std::max(most, of_conjunction.upper);
  }
  const program::VariableId t = network_.program.add_variable(least, most, "margin");
  const auto chosen = add_choice(conjunctions.size());
  for (std::size_t c = 0; c < conjunctions.size(); ++c) {
    for (std::size_t row = unsafe_.first[conjunctions[c]]; row < unsafe_.first[conjunctions[c] + 1]; ++row) {
      const Expression& g = network_.functionals[row];
      std::vector<program::Term> more{{t, -1}};
      double side = 0;
      if (chosen[c]) {
        side = std::max(kLeastBigM, sum_up(range_of(network_.program, g).upper, -least));
        more.push_back({*chosen[c], side});
      }
      add_at_most(network_.program, g, more, side);
    }
  }
  network_.program.set_objective({{t, 1}});
}

void Encoding::ask_distortion(std::span<const std::size_t> conjunctions, property::Norm norm,
                              std::span<const double> centre) {
  require(conjunctions, 0);
  program::Program& program = network_.program;
  std::vector<program::Term> sum;
  if (norm == property::Norm::kL1 && moves_from(centre)) {
    for (const program::VariableId move : moves_of(network_)) sum.push_back({move, 1});
    return program.set_objective(sum);
  }
  const auto add_distance = [&](std::size_t j, program::VariableId d) {  // d >= |x_j - c_j|
    const program::Term minus_d{d, -1};
    add_at_most(program, *network_.coordinates[j], {&minus_d, 1}, centre[j]);
    add_at_most(program, negated(*network_.coordinates[j]), {&minus_d, 1}, -centre[j]);
  };
  if (norm == property::Norm::kLinf) sum.push_back({program.add_variable(0, kInfinity, "distance"), 1});
  for (std::size_t j = 0; j < network_.coordinates.size(); ++j) {
    if (!network_.coordinates[j]) continue;
    const Range range = range_of(program, *network_.coordinates[j]);
    const double away = std::max({0.0, sum_up(range.upper, -centre[j]), sum_up(centre[j], -range.lower)});
    if (norm != property::Norm::kLinf) sum.push_back({program.add_variable(0, away, "d" + std::to_string(j)), 1});
    add_distance(j, sum.back().variable);
  }
  if (norm == property::Norm::kL2)
    program.set_quadratic(sum);
  else
    program.set_objective(sum);
}

bool Encoding::moves_from(std::span<const double> centre) const {
  if (!network_.coordinates_are_moves) return false;
  return std::ranges::equal(network_.coordinates, centre, {}, [](const auto& x) { return x->constant; });
}

bool Encoding::cut_off(std::span<const double> point, double tolerance) {
  return sphere_ && sphere_->cut_off(network_, point, tolerance);
}

std::vector<HullRow> Encoding::separate(std::span<const double> point) const {
  std::vector<HullRow> rows;
  for (std::size_t k = 0; k < network_.units.size(); ++k) {
    auto row = separated_row(network_.program, network_.units[k], point, ignored_coefficient_);
    if (!row) continue;
    row->unit = k;
    rows.push_back(std::move(*row));
  }
  return rows;
}

HullRow Encoding::merged(std::span<const HullRow* const> rows, std::span<const double> weights) const {
  return merged_row(network_.program, network_.units[rows[0]->unit], rows, weights, ignored_coefficient_);
}

void Encoding::add(const HullRow& row) { network_.program.add_row(-kInfinity, row.terms, row.upper); }

program::Program Encoding::with_indicators_of(std::span<const double> point) const {
  program::Program fixed = network_.program.relaxation();
  for (std::int32_t j = 0; j < network_.program.variables(); ++j) {
    const program::VariableId variable{j};
    if (network_.program.integrality(variable) == program::Integrality::kContinuous) continue;
    const double value = std::round(point[static_cast<std::size_t>(j)]);
    fixed.set_bounds(variable, value, value);
  }
  return fixed;
}

// sum over b at 0 of b + sum over b at 1 of (1 - b) >= 1.
bool Encoding::exclude_indicators_of(std::span<const double> point) {
  std::vector<program::Term> terms;
  double least = 1;
  for (std::int32_t j = 0; j < network_.program.variables(); ++j) {
    const program::VariableId variable{j};
    if (network_.program.integrality(variable) == program::Integrality::kContinuous) continue;
    const bool is_one = point[static_cast<std::size_t>(j)] >= 0.5;
    terms.push_back({variable, is_one ? -1.0 : 1.0});
    if (is_one) least -= 1;
  }
  if (terms.empty()) return false;
  network_.program.add_row(least, terms, kInfinity);
  return true;
}

std::vector<double> Encoding::lift(std::span<const double> point, std::span<const double> elsewhere) const {
  std::vector<double> lifted(elsewhere.begin(), elsewhere.end());
  for (std::size_t j = 0; j < lifted.size(); ++j) {
    if (network_.coordinates[j]) lifted[j] = value_at(*network_.coordinates[j], point);
  }
  return lifted;
}

std::vector<double> middle(const property::SimpleRegion& part) {
  const property::Box box = coordinate_box(part);
  std::vector<double> point;
  for (std::size_t j = 0; j < box.size(); ++j) point.push_back(box.lower[j] / 2 + box.upper[j] / 2);
  return point;
}

}  // namespace plumb::milp
