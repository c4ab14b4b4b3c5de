#include "search/leaf/subproblem_dual.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "search/leaf/nearest_point.h"

namespace plumb::search {
namespace {

// The polyhedron of a subproblem's unsafe points, given by rows that are at most zero there.
class UnsafePolyhedron {
 public:
  UnsafePolyhedron(const reduction::ReducedNetwork& network, std::int64_t functional_row,
                   std::span<const std::int64_t> constraints, std::span<const reduction::Split> splits,
                   const ProofChoices& start)
      : ball_(std::get<property::Ball>(network.space().part())),
        at_the_sphere_(std::pow(ball_.radius.round_up(), 2) / 2),
        start_(start) {
    const AffineNetwork affine(network, functional_row, constraints, splits, start);
    for (std::size_t k = 0; k < splits.size(); ++k) {
      if (splits[k] == reduction::Split::kOpen) continue;
      add(affine.argument(k), splits[k] == reduction::Split::kActive ? -1 : 1, start.multiplier[k]);
      decided_.push_back(k);
    }
    for (std::size_t c = 0; c < constraints.size(); ++c)
      add(affine.row(constraints[c]), 1, start.constraint_multiplier[c]);
    add(affine.row(functional_row), 1, 1);
    scale_start();
  }

  const AffineRow& functional() const { return rows_.back(); }
  const property::Ball& ball() const { return ball_; }
  double at_the_sphere() const { return at_the_sphere_; }

  // The nearest point at which all inequalities of the conjunction hold with this much room.
  NearestPoint nearest(double room) const {
    constexpr double kWellBeyond = 1.01;
    std::vector<AffineRow> rows = rows_;
    for (std::size_t i = decided_.size(); i < rows.size(); ++i) rows[i].constant += room;
    return nearest_point(ball_.centre, ball_.domain, rows, multipliers_, kWellBeyond * at_the_sphere_);
  }

  // The combination of rows is at least dual - 1/2 radius^2 in the ball. It is scaled such that the functional's factor
  // is 1. If that factor is almost zero, it is scaled such that the other rows make up for the functional's lowest
  // value.
  ProofChoices choices(const NearestPoint& beyond, double lowest) const {
    const std::vector<double>& found = beyond.multipliers;
    const double enough = (1 + std::abs(lowest)) / (beyond.dual - at_the_sphere_);
    const double scale = found.back() * enough > 1 ? 1 / found.back() : enough;
    ProofChoices choices = start_;
    for (std::size_t i = 0; i < decided_.size(); ++i) choices.multiplier[decided_[i]] = scale * found[i];
    for (std::size_t c = 0; c < choices.constraint_multiplier.size(); ++c) {
      choices.constraint_multiplier[c] = scale * found[decided_.size() + c];
    }
    return choices;
  }

 private:
  void add(const AffineRow& row, double factor, double multiplier) {
    rows_.push_back({std::vector<double>(row.slope.size()), 0});
    rows_.back().add(factor, row);
    multipliers_.push_back(multiplier);
  }

  // Scales the search's multipliers such that the point that belongs to them, which is the centre minus the combined
  // slope, lies on the sphere.
  void scale_start() {
    std::vector<double> slope(ball_.centre.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (std::size_t j = 0; j < slope.size(); ++j) slope[j] += multipliers_[i] * rows_[i].slope[j];
    }
    double squares = 0;
    for (const double s : slope) squares += s * s;
    const double scale = squares > 0 ? ball_.radius.nearest() / std::sqrt(squares) : 0;
    for (double& m : multipliers_) m *= scale;
  }

  const property::Ball& ball_;
  double at_the_sphere_;  // 1/2 |u - centre|^2 on the sphere
  const ProofChoices& start_;
  std::vector<AffineRow> rows_;  // those of decided units, then those of constraints, then the functional
  std::vector<std::size_t> decided_;
  std::vector<double> multipliers_;
};

}  // namespace

bool SubproblemDual::can_express(const reduction::InputSpace& space) {
  if (space.is_cube()) return false;
  const auto* ball = std::get_if<property::Ball>(&space.part());
  return ball != nullptr && ball->norm == property::Norm::kL2;
}

SubproblemSolution SubproblemDual::solve(std::span<const reduction::Split> splits, const ProofChoices& start) const {
  const UnsafePolyhedron unsafe(network_, functional_row_, constraints_, splits, start);
  const AffineRow& functional = unsafe.functional();
  const double lowest = functional.at(minimiser(property::SimpleRegion(unsafe.ball()), functional.slope));
  const NearestPoint nearest = unsafe.nearest(0);
  if (nearest.dual > unsafe.at_the_sphere()) {
    return {.value = nearest.dual - unsafe.at_the_sphere(), .choices = unsafe.choices(nearest, lowest)};
  }
  return {.value = std::min(lowest, 0.0), .choices = start, .u = nearest.point};
}

std::vector<std::vector<double>> SubproblemDual::points_with_room(std::span<const reduction::Split> splits,
                                                                  const ProofChoices& start, double most) const {
  const UnsafePolyhedron unsafe(network_, functional_row_, constraints_, splits, start);
  constexpr double kLeastShare = 1e-13, kLess = 0.25;
  constexpr int kHalvings = 6;
  std::vector<std::vector<double>> points;
  double room = 0, too_much = most;
  const auto has_point = [&](double wanted) {
    const NearestPoint nearest = unsafe.nearest(wanted);
    const bool is_inside = nearest.dual <= unsafe.at_the_sphere();
    if (is_inside) points.insert(points.begin(), nearest.point);
    (is_inside ? room : too_much) = wanted;
    return is_inside;
  };
  for (double wanted = most; wanted > kLeastShare * most && !has_point(wanted);) wanted *= kLess;
  for (int k = 0; k < kHalvings && room > 0 && room < too_much; ++k) has_point((room + too_much) / 2);
  return points;
}

}  // namespace plumb::search
