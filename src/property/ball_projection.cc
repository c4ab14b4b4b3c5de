// ball_projection.cc: points of a ball intersected with its domain, for the attack.
//
// The nearest point of the intersection is found directly, without alternating projections. For a fixed multiplier of
// the ball's constraint, the coordinates are independent and each is a clamp. What remains is one monotone equation for
// the multiplier.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/numbers.h"
#include "base/rounding.h"
#include "property/ball_sides.h"
#include "property/region_rules.h"

namespace plumb::property::rules {
namespace {

double norm_of(Norm norm, std::span<const double> x) {
  double sum = 0;
  for (const double v : x) sum += norm == Norm::kL2 ? v * v : std::abs(v);
  return norm == Norm::kL2 ? std::sqrt(sum) : sum;
}

// The radius minus a bound on the rounding errors of a computed distance: those of a sum of n terms, and those of
// adding an offset to each coordinate of the centre. A point whose computed distance is within this radius is in the
// ball.
double radius_as_computed(const Ball& ball) {
  const double share = 2 * gamma(static_cast<std::int64_t>(ball.centre.size()) + 8);
  const double rounding = 4 * kUnitRoundoff * norm_of(ball.norm, ball.centre);
  return std::max(0.0, ball.radius.round_down() * (1 - share) - rounding);
}

// clamp(centre + soft(offset, t)) minimises 1/2 |x - centre - offset|^2 + t |x - centre|_1 over the domain.
std::vector<double> shrunk(const Ball& ball, std::span<const double> offset, double t) {
  std::vector<double> x(offset.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double soft = std::copysign(std::max(0.0, std::abs(offset[i]) - t), offset[i]);
    x[i] = std::clamp(ball.centre[i] + soft, ball.domain.lower[i], ball.domain.upper[i]);
  }
  return x;
}

double l1_distance(const Ball& ball, std::span<const double> x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += std::abs(x[i] - ball.centre[i]);
  return sum;
}

std::vector<double> project_l1(const Ball& ball, std::span<const double> offset) {
  const double radius = radius_as_computed(ball);
  std::vector<double> x = shrunk(ball, offset, 0);
  if (l1_distance(ball, x) <= radius) return x;
  // The distance falls as t grows. At `high`, x is the centre, clamped to the domain.
  double low = 0, high = 0;
  for (const double d : offset) high = std::max(high, std::abs(d));
  for (int i = 0; i < 60; ++i) {
    const double t = 0.5 * (low + high);
    (l1_distance(ball, shrunk(ball, offset, t)) <= radius ? high : low) = t;
  }
  return shrunk(ball, offset, high);
}

std::vector<double> project_l2(const Ball& ball, std::span<const double> offset) {
  std::vector<double> direction(offset.size());
  for (std::size_t i = 0; i < offset.size(); ++i) direction[i] = -offset[i];
  const double s = std::min(1.0, step_to_sphere(ball, radius_as_computed(ball), direction));
  std::vector<double> x(offset.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::clamp(ball.centre[i] + s * offset[i], ball.domain.lower[i], ball.domain.upper[i]);
  }
  return x;
}

Box inner_box(const Ball& ball) { return box_of_sides(ball, Rounding::kInward); }

// A uniformly distributed point of the ball of the given radius around zero. For l1, the radius is split in proportion
// to n + 1 exponential variables, n of which get random signs and become the coordinates. For l2, a normally
// distributed direction is scaled to the length radius * u^(1/n).
std::vector<double> random_offset(const Ball& ball, double radius, std::mt19937_64& random) {
  std::vector<double> offset(ball.centre.size());
  std::uniform_real_distribution<double> uniform(0, 1);
  double scale = 0;
  if (ball.norm == Norm::kL1) {
    std::exponential_distribution<double> exponential(1);
    for (double& d : offset) d = uniform(random) < 0.5 ? exponential(random) : -exponential(random);
    scale = radius / (norm_of(Norm::kL1, offset) + exponential(random));
  } else {
    std::normal_distribution<double> normal;
    for (double& d : offset) d = normal(random);
    scale = radius * std::pow(uniform(random), 1 / static_cast<double>(offset.size())) / norm_of(Norm::kL2, offset);
  }
  for (double& d : offset) d *= scale;
  return offset;
}

}  // namespace

// The squared distance along the path is A + B s^2 as long as no coordinate enters or leaves the domain: A comes from
// the coordinates that are clamped at s, B from those that are not. Solving for s with these A and B is one step of
// Newton's method on a piecewise function. If the step leaves the interval that contains the answer, bisection takes
// over.
double step_to_sphere(const Ball& ball, double radius, std::span<const double> direction) {
  double low = 0, high = kInfinity;
  double s = radius / norm_of(Norm::kL2, direction);
  for (int iteration = 0; iteration < 200 && std::isfinite(s); ++iteration) {
    double clamped_part = 0, free_part = 0;
    bool more_may_move = false;
    for (std::size_t i = 0; i < direction.size(); ++i) {
      const double x = ball.centre[i] - s * direction[i];
      const double clamped = std::clamp(x, ball.domain.lower[i], ball.domain.upper[i]);
      if (x == clamped) {
        free_part += direction[i] * direction[i];
      } else {
        clamped_part += (clamped - ball.centre[i]) * (clamped - ball.centre[i]);
        more_may_move = more_may_move || (x < clamped) == (direction[i] < 0);  // moving towards the domain
      }
    }
    const bool inside = clamped_part + free_part * s * s < radius * radius;
    (inside ? low : high) = s;
    if (inside && free_part == 0 && !more_may_move) return kInfinity;
    const double next = std::sqrt((radius * radius - clamped_part) / free_part);
    if (std::abs(next - s) <= 4 * kUnitRoundoff * s) return next;
    if (next > low && next < high) {
      s = next;
    } else {
      s = std::isinf(high) ? 2 * s : 0.5 * (low + high);
    }
  }
  return s;
}

std::vector<double> project(const Ball& ball, std::span<const double> point) {
  if (ball.norm == Norm::kLinf) return project(inner_box(ball), point);
  std::vector<double> offset(point.size());
  for (std::size_t i = 0; i < point.size(); ++i) offset[i] = point[i] - ball.centre[i];
  return ball.norm == Norm::kL1 ? project_l1(ball, offset) : project_l2(ball, offset);
}

std::vector<double> random_point(const Ball& ball, std::mt19937_64& random) {
  if (ball.norm == Norm::kLinf) return random_point(inner_box(ball), random);
  // If the centre lies in the domain, clamping to the domain brings a point nearer to the centre in every norm, and
  // project() does little more than that.
  std::vector<double> point = random_offset(ball, ball.radius.nearest(), random);
  for (std::size_t i = 0; i < point.size(); ++i) point[i] += ball.centre[i];
  return project(ball, point);
}

}  // namespace plumb::property::rules
