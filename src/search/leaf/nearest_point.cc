#include "search/leaf/nearest_point.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace plumb::search {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// The least curvature that is assumed. Where the dual is linear, steps are then long, but they end at numbers that a
// proof can use.
constexpr double kLeastCurvature = 1e-12;

// Solves by Cholesky decomposition, in place. The diagonal is raised by `least`, because the matrix may be (almost)
// singular.
void solve(std::vector<std::vector<double>> matrix, double least, std::vector<double>& x) {
  const std::size_t n = x.size();
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

std::vector<double> stepped(std::span<const double> multipliers, std::span<const double> direction, double length) {
  std::vector<double> next(multipliers.begin(), multipliers.end());
  for (std::size_t i = 0; i < next.size(); ++i) next[i] = std::max(0.0, next[i] + length * direction[i]);
  return next;
}

// The largest derivative by a multiplier that is free to move that way; zero at the maximum.
double distance_from_maximum(std::span<const double> gradient, std::span<const double> multipliers) {
  double most = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    most = std::max(most, multipliers[i] > 0 ? std::abs(gradient[i]) : gradient[i]);
  }
  return most;
}

class Ascent {
 public:
  Ascent(std::span<const double> centre, const property::Box& box, std::span<const AffineRow> rows,
         std::vector<double> start)
      : centre_(centre), box_(box), rows_(rows), multipliers_(std::move(start)), here_(at(multipliers_)) {}

  void run(double enough) {
    constexpr int kMostSteps = 200;
    if (rows_.empty()) return;
    int step = 0;
    for (; step < kMostSteps && !(here_.value > enough); ++step) {
      if (!rise_along(newton_direction()) && !rise_along(scaled_gradient())) break;
    }
    while (step++ < kMostSteps && !(here_.value > enough) && come_closer()) continue;
  }

  NearestPoint result() && {
    return {.point = std::move(here_.point), .multipliers = std::move(multipliers_), .dual = here_.value};
  }

 private:
  struct Place {
    std::vector<double> point, gradient;  // the gradient by the multipliers is the rows' values at the point
    double value = 0;
  };

  Place at(std::span<const double> multipliers) const {
    Place place{{centre_.begin(), centre_.end()}, {}, 0};
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!(multipliers[i] > 0)) continue;
      for (std::size_t j = 0; j < place.point.size(); ++j) place.point[j] -= multipliers[i] * rows_[i].slope[j];
    }
    for (std::size_t j = 0; j < place.point.size(); ++j) {
      place.point[j] = std::clamp(place.point[j], box_.lower[j], box_.upper[j]);
      place.value += (place.point[j] - centre_[j]) * (place.point[j] - centre_[j]) / 2;
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      place.gradient.push_back(rows_[i].at(place.point));
      place.value += multipliers[i] * place.gradient[i];
    }
    return place;
  }

  // Takes the longest of several steps along the direction that raises the value enough. Multipliers that would become
  // negative stay at zero. Returns false if no step does.
  bool rise_along(const std::vector<double>& direction) {
    for (double length = 1; length > 1e-16; length /= 4) {
      std::vector<double> next = stepped(multipliers_, direction, length);
      double expected = 0;
      for (std::size_t i = 0; i < next.size(); ++i) expected += here_.gradient[i] * (next[i] - multipliers_[i]);
      if (!(expected > 1e-13 * std::abs(here_.value))) continue;
      Place there = at(next);
      if (!(there.value > here_.value + 1e-4 * expected)) continue;
      here_ = std::move(there);
      multipliers_ = std::move(next);
      return true;
    }
    return false;
  }

  // Takes a Newton step if it at least halves the distance from the maximum. Near the maximum, rounding hides
  // differences of the value, but not of the gradient.
  bool come_closer() {
    std::vector<double> next = stepped(multipliers_, newton_direction(), 1);
    Place there = at(next);
    const double before = distance_from_maximum(here_.gradient, multipliers_);
    if (!(distance_from_maximum(there.gradient, next) < 0.5 * before)) return false;
    here_ = std::move(there);
    multipliers_ = std::move(next);
    return true;
  }

  // The Newton step of all multipliers but those that are (almost) zero and would decrease; these go to zero. The point
  // moves with the multipliers in the coordinates that are strictly inside the box, so the negated second derivatives
  // are the inner products of the slopes over these coordinates.
  std::vector<double> newton_direction() const {
    const double nearly_zero = 1e-6 * *std::ranges::max_element(multipliers_);
    std::vector<std::size_t> moving;
    std::vector<double> direction(rows_.size(), 0.0), step;
    std::vector<std::vector<double>> slopes;
    double longest = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (multipliers_[i] <= nearly_zero && here_.gradient[i] <= 0) {
        direction[i] = -multipliers_[i];
        continue;
      }
      moving.push_back(i);
      step.push_back(here_.gradient[i]);
      longest = std::max(longest, dot(rows_[i].slope, rows_[i].slope));
      std::vector<double>& slope = slopes.emplace_back(rows_[i].slope);
      for (std::size_t j = 0; j < slope.size(); ++j) {
        if (!(box_.lower[j] < here_.point[j] && here_.point[j] < box_.upper[j])) slope[j] = 0;
      }
    }
    std::vector<std::vector<double>> matrix(moving.size(), std::vector<double>(moving.size()));
    for (std::size_t a = 0; a < moving.size(); ++a) {
      for (std::size_t b = 0; b <= a; ++b) matrix[a][b] = dot(slopes[a], slopes[b]);
    }
    solve(std::move(matrix), kLeastCurvature * (longest > 0 ? longest : 1), step);
    for (std::size_t i = 0; i < moving.size(); ++i) direction[moving[i]] = step[i];
    return direction;
  }

  // A direction in which the value rises, except at the maximum.
  std::vector<double> scaled_gradient() const {
    std::vector<double> direction(rows_.size(), 0.0);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const double curved = dot(rows_[i].slope, rows_[i].slope);
      direction[i] = here_.gradient[i] / (curved > 0 ? curved : kLeastCurvature);
    }
    return direction;
  }

  std::span<const double> centre_;
  const property::Box& box_;
  std::span<const AffineRow> rows_;
  std::vector<double> multipliers_;
  Place here_;
};

}  // namespace

NearestPoint nearest_point(std::span<const double> centre, const property::Box& box, std::span<const AffineRow> rows,
                           std::vector<double> start, double enough) {
  Ascent ascent(centre, box, rows, std::move(start));
  ascent.run(enough);
  return std::move(ascent).result();
}

}  // namespace plumb::search
