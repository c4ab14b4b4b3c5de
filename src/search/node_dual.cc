#include "search/node_dual.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace plumb {
namespace {

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// A row as an affine function of the input.
struct AffineRow {
  std::vector<double> slope;
  double constant = 0;

  void add(double factor, const AffineRow& other) {
    for (std::size_t i = 0; i < slope.size(); ++i) slope[i] += factor * other.slope[i];
    constant += factor * other.constant;
  }
};

// The rows of a network in which every unit's value is a line of its argument.
class AffineNetwork {
 public:
  AffineNetwork(const ReducedNetwork& network, std::int64_t functional_row, std::span<const std::int64_t> constraints,
                std::span<const Split> splits, const ProofChoices& choices)
      : network_(network) {
    const std::vector<double> on_value = values_used(functional_row, constraints, splits, choices);
    const Lines& lines = network.lines();
    for (std::size_t k = 0; k < splits.size(); ++k) {
      double slope = splits[k] == Split::kActive ? 1 : 0, intercept = 0;
      if (splits[k] == Split::kOpen && on_value[k] >= 0) slope = choices.slope[k];
      if (splits[k] == Split::kOpen && on_value[k] < 0) {
        slope = lines.upper_slope[k];
        intercept = lines.upper_intercept[k];
      }
      AffineRow argument = row(static_cast<std::int64_t>(k));
      AffineRow value{std::vector<double>(argument.slope.size()), intercept};
      value.add(slope, argument);
      arguments_.push_back(std::move(argument));
      values_.push_back(std::move(value));
    }
  }

  AffineRow row(std::int64_t r) const {
    AffineRow result{std::vector<double>(index(network_.space().size())), network_.constant(r)};
    const auto inputs = network_.on_inputs().columns(r), units = network_.on_units().columns(r);
    for (std::size_t e = 0; e < inputs.size(); ++e) result.slope[index(inputs[e])] = network_.on_inputs().values(r)[e];
    for (std::size_t e = 0; e < units.size(); ++e) {
      result.add(network_.on_units().values(r)[e], values_[index(units[e])]);
    }
    return result;
  }

  const AffineRow& argument(std::size_t unit) const { return arguments_[unit]; }

 private:
  // The coefficient of each unit's value: its sign says which line an open unit needs.
  std::vector<double> values_used(std::int64_t functional_row, std::span<const std::int64_t> constraints,
                                  std::span<const Split> splits, const ProofChoices& choices) const {
    std::vector<double> on_value(splits.size(), 0.0);
    const auto add = [&](std::int64_t r, double factor) { network_.on_units().add_multiple(r, factor, on_value); };
    add(functional_row, 1);
    for (std::size_t c = 0; c < constraints.size(); ++c) add(constraints[c], choices.pressure[c]);
    for (std::size_t k = splits.size(); k-- > 0;) {
      const double v = on_value[k];
      double passed = v * (v >= 0 ? choices.slope[k] : network_.lines().upper_slope[k]);
      if (splits[k] == Split::kActive) passed = v - choices.multiplier[k];
      if (splits[k] == Split::kInactive) passed = choices.multiplier[k];
      add(static_cast<std::int64_t>(k), passed);
    }
    return on_value;
  }

  const ReducedNetwork& network_;
  std::vector<AffineRow> arguments_, values_;
};

// maximise over multipliers >= 0 the least value over the ball of: functional + sum of multiplier times row.
class DualMaximum {
 public:
  DualMaximum(const Ball& ball, AffineRow functional, std::vector<AffineRow> rows, std::vector<double> start)
      : ball_(ball), functional_(std::move(functional)), rows_(std::move(rows)), multipliers_(std::move(start)) {}

  // Ends early above zero.
  void find() {
    constexpr int kMostSteps = 200;
    constexpr double kEnough = 1e-10;
    here_ = at(multipliers_);
    if (rows_.empty()) return;
    for (int step = 0; step < kMostSteps && !(here_.value > kEnough * (1 + std::abs(functional_.constant))); ++step) {
      if (!move_along(newton_direction()) && !move_along(scaled_gradient())) break;
    }
  }

  const std::vector<double>& multipliers() const { return multipliers_; }
  const std::vector<double>& point() const { return here_.point; }
  double value() const { return here_.value; }

 private:
  struct Place {
    AffineRow row;
    std::vector<double> point, gradient;
    double value = 0;
  };

  Place at(std::span<const double> multipliers) const {
    Place place{functional_, {}, {}, 0};
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (multipliers[i] > 0) place.row.add(multipliers[i], rows_[i]);
    }
    place.point = minimiser(SimpleRegion(ball_), place.row.slope);
    place.value = place.row.constant + dot(place.row.slope, place.point);
    for (const AffineRow& row : rows_) place.gradient.push_back(row.constant + dot(row.slope, place.point));
    return place;
  }

  // As far as the value rises, on the way that is bent where multipliers would become negative.
  bool move_along(const std::vector<double>& direction) {
    for (double length = 1; length > 1e-8; length /= 2) {
      std::vector<double> next = multipliers_;
      double expected = 0;
      for (std::size_t i = 0; i < next.size(); ++i) {
        next[i] = std::max(0.0, next[i] + length * direction[i]);
        expected += here_.gradient[i] * (next[i] - multipliers_[i]);
      }
      if (!(expected > 1e-13 * (1 + std::abs(here_.value)))) continue;
      Place there = at(next);
      if (!(there.value > here_.value + 1e-4 * expected)) continue;
      here_ = std::move(there);
      multipliers_ = std::move(next);
      return true;
    }
    return false;
  }

  // The Newton step for those that are not at zero, or on their way there.
  std::vector<double> newton_direction() const {
    const double nearly_zero = 1e-6 * *std::ranges::max_element(multipliers_);
    std::vector<std::size_t> free;
    std::vector<double> direction(rows_.size(), 0.0);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const bool falls_to_zero = multipliers_[i] <= nearly_zero && here_.gradient[i] <= 0;
      if (falls_to_zero) direction[i] = -multipliers_[i];
      if (!falls_to_zero) free.push_back(i);
    }
    if (free.empty()) return direction;
    std::vector<double> step;
    for (const std::size_t i : free) step.push_back(here_.gradient[i]);
    solve(curvature(here_, free), step);
    for (std::size_t i = 0; i < free.size(); ++i) direction[free[i]] = step[i];
    return direction;
  }

  // Always a way up, but for the maximum: each multiplier by its own Newton step.
  std::vector<double> scaled_gradient() const {
    std::vector<double> direction(rows_.size(), 0.0);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const std::size_t alone[] = {i};
      const double curved = curvature(here_, alone)[0][0];
      direction[i] = here_.gradient[i] / std::max(curved, 1e-12 * dot(rows_[i].slope, rows_[i].slope) + 1e-300);
    }
    return direction;
  }

  // Minus the second derivatives. The ball's minimiser is centre - rho w / |w| where the domain leaves it free.
  std::vector<std::vector<double>> curvature(const Place& here, std::span<const std::size_t> free) const {
    std::vector<std::size_t> inside;
    double squares = 0, moved = 0;
    for (std::size_t j = 0; j < here.point.size(); ++j) {
      if (!(ball_.domain.lower[j] < here.point[j] && here.point[j] < ball_.domain.upper[j])) continue;
      inside.push_back(j);
      squares += here.row.slope[j] * here.row.slope[j];
      moved += (here.point[j] - ball_.centre[j]) * (here.point[j] - ball_.centre[j]);
    }
    const double norm = std::sqrt(std::max(squares, 1e-300)), scale = std::sqrt(moved) / norm;
    std::vector<std::vector<double>> rows;
    std::vector<double> along;
    for (const std::size_t i : free) {
      std::vector<double>& row = rows.emplace_back();
      for (const std::size_t j : inside) row.push_back(rows_[i].slope[j]);
      double sum = 0;
      for (std::size_t e = 0; e < inside.size(); ++e) sum += row[e] * here.row.slope[inside[e]];
      along.push_back(sum / norm);
    }
    std::vector<std::vector<double>> matrix(free.size(), std::vector<double>(free.size()));
    for (std::size_t a = 0; a < free.size(); ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        matrix[a][b] = matrix[b][a] = scale * (dot(rows[a], rows[b]) - along[a] * along[b]);
      }
    }
    return matrix;
  }

  // Cholesky, in place; the diagonal is raised where the matrix is (almost) singular.
  static void solve(std::vector<std::vector<double>> matrix, std::vector<double>& x) {
    const std::size_t n = x.size();
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, matrix[i][i]);
    const double least = std::max(1e-11 * largest, 1e-300);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = matrix[i][j] + (i == j ? least : 0.0);
        for (std::size_t k = 0; k < j; ++k) sum -= matrix[i][k] * matrix[j][k];
        matrix[i][j] = i == j ? std::sqrt(std::max(sum, least)) : sum / matrix[j][j];
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) x[i] -= matrix[i][k] * x[k];
      x[i] /= matrix[i][i];
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) x[i] -= matrix[k][i] * x[k];
      x[i] /= matrix[i][i];
    }
  }

  const Ball& ball_;
  AffineRow functional_;
  std::vector<AffineRow> rows_;
  std::vector<double> multipliers_;
  Place here_;
};

}  // namespace

bool NodeDual::can_express(const InputSpace& space) {
  if (space.is_cube()) return false;
  const auto* ball = std::get_if<Ball>(&space.part());
  return ball != nullptr && ball->norm == Norm::kL2;
}

NodeSolution NodeDual::solve(std::span<const Split> splits, const ProofChoices& start, double room) const {
  const AffineNetwork affine(network_, functional_row_, constraints_, splits, start);
  std::vector<AffineRow> rows;
  std::vector<double> multipliers;
  std::vector<std::size_t> decided;
  for (std::size_t k = 0; k < splits.size(); ++k) {
    if (splits[k] == Split::kOpen) continue;
    // Active: -z <= 0. Inactive: z <= 0.
    const AffineRow& argument = affine.argument(k);
    AffineRow row{std::vector<double>(argument.slope.size()), 0};
    row.add(splits[k] == Split::kActive ? -1 : 1, argument);
    rows.push_back(std::move(row));
    multipliers.push_back(start.multiplier[k]);
    decided.push_back(k);
  }
  for (std::size_t c = 0; c < constraints_.size(); ++c) {
    rows.push_back(affine.row(constraints_[c]));
    rows.back().constant += room;
    multipliers.push_back(start.pressure[c]);
  }
  DualMaximum maximum(std::get<Ball>(network_.space().part()), affine.row(functional_row_), std::move(rows),
                      std::move(multipliers));
  maximum.find();
  NodeSolution solution{-kInfinity, maximum.value(), start, maximum.point(), 0};
  for (std::size_t i = 0; i < decided.size(); ++i) solution.choices->multiplier[decided[i]] = maximum.multipliers()[i];
  for (std::size_t c = 0; c < constraints_.size(); ++c) {
    solution.choices->pressure[c] = maximum.multipliers()[decided.size() + c];
  }
  return solution;
}

}  // namespace plumb
