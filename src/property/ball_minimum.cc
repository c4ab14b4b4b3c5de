// ball_minimum.cc: the least value of a linear functional over a ball intersected with its domain.
//
// For any split a = v + w of the functional and every x of the region,
//     a.x = w.x + v.x >= min over the domain of w.x + (v.centre - radius |v|_dual),
// so every v gives a valid bound: v = 0 uses the domain alone, v = a the ball alone. By duality the best v gives the
// exact minimum. v is chosen in plain floating-point arithmetic, on which soundness does not depend; bound_by_split()
// then evaluates the bound rigorously.
#include <algorithm>
#include <cmath>

#include "base/bounded_sum.h"
#include "base/error.h"
#include "base/rounding.h"
#include "property/ball_sides.h"
#include "property/region_rules.h"

namespace plumb::property::rules {
namespace {

double largest_magnitude(std::span<const double> v) {
  double most = 0;
  for (const double x : v) most = std::max(most, std::abs(x));
  return most;
}

// |v|_2, rounded up. The numbers are scaled by a power of two, so that their squares do not overflow and the largest do
// not underflow: the sum of squares is at least 2^-150. Each square may still lose up to 2^-1074 to underflow.
double euclidean_norm_up(std::span<const double> v) {
  const double most = largest_magnitude(v);
  if (most == 0) return 0;
  const int exponent = std::max(std::ilogb(most), -1000);
  const double scale = std::ldexp(1.0, -exponent);
  double squares = 0;
  for (const double x : v) squares += (x * scale) * (x * scale);
  // |computed - true| <= gamma(n) true. As the true sum is not known, gamma(2 n) times the computed one
  // (bounded_sum.h).
  const auto n = static_cast<std::int64_t>(v.size());
  squares = loose_sum_up(squares, loose_product_up(gamma(2 * n), squares));
  squares = loose_sum_up(squares, 2 * static_cast<double>(n) * kSmallestSubnormal);
  return round_up(std::ldexp(round_up(std::sqrt(squares)), exponent));
}

double dual_norm_up(Norm norm, std::span<const double> v) {
  switch (norm) {
    case Norm::kL1:
      return largest_magnitude(v);
    case Norm::kL2:
      return euclidean_norm_up(v);
    case Norm::kLinf:
      break;  // the ball is a box, which needs no split
  }
  throw InternalError("dual_norm_up", "a norm without a rule");
}

double bound_by_split(const Ball& ball, std::span<const double> a, std::span<const double> v) {
  BoundedSum bound(1);  // w is rounded once, which does not change its sign
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double w = a[i] - v[i];
    bound.add_product(w, w >= 0 ? ball.domain.lower[i] : ball.domain.upper[i]);
    bound.add_product(v[i], ball.centre[i]);
  }
  bound.add_product(-dual_norm_up(ball.norm, v), ball.radius.round_up());
  return bound.lower();
}

// The way from the centre to the minimiser over an l1 ball: coordinates move to a face of the domain, those first that
// gain most per unit of distance, |a_i|, until the radius is used up.
struct L1Path {
  std::vector<double> end;
  double price = 0;  // the gain per unit of distance at the end of the path; zero if the radius is not used up
};

L1Path l1_path(const Ball& ball, std::span<const double> a) {
  struct Move {
    double gain, length;
    std::size_t coordinate;
    bool operator<(const Move& other) const { return gain < other.gain; }
  };
  std::vector<Move> moves;
  L1Path path{ball.centre};
  double left = ball.radius.nearest();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double lower = ball.domain.lower[i], upper = ball.domain.upper[i];
    path.end[i] = std::clamp(ball.centre[i], lower, upper);
    left -= std::abs(path.end[i] - ball.centre[i]);
    const double length = a[i] > 0 ? path.end[i] - lower : upper - path.end[i];
    if (a[i] != 0 && length > 0) moves.push_back({std::abs(a[i]), length, i});
  }
  // A heap, because only few of many coordinates move.
  std::make_heap(moves.begin(), moves.end());
  while (!moves.empty()) {
    std::pop_heap(moves.begin(), moves.end());
    const Move move = moves.back();
    moves.pop_back();
    path.end[move.coordinate] += (a[move.coordinate] > 0 ? -1 : 1) * std::clamp(left, 0.0, move.length);
    left -= move.length;
    if (left <= 0) {
      path.price = move.gain;
      break;
    }
  }
  return path;
}

// -v is a subgradient of t |x - centre|_1 at the minimiser, where t is the price.
std::vector<double> l1_split(const Ball& ball, std::span<const double> a) {
  const double t = l1_path(ball, a).price;
  std::vector<double> v(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (ball.centre[i] < ball.domain.lower[i]) {
      v[i] = -t;
    } else if (ball.centre[i] > ball.domain.upper[i]) {
      v[i] = t;
    } else {
      v[i] = std::clamp(a[i], -t, t);
    }
  }
  return v;
}

// The minimiser is clamp(centre - s a) for the s at which it reaches the sphere, and v = (centre - minimiser) / s.
std::vector<double> l2_split(const Ball& ball, std::span<const double> a) {
  const double s = step_to_sphere(ball, ball.radius.nearest(), a);
  std::vector<double> v(a.size(), 0.0);
  if (std::isinf(s)) return v;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = ball.centre[i] - s * a[i];
    const double clamped = std::clamp(x, ball.domain.lower[i], ball.domain.upper[i]);
    v[i] = x == clamped ? a[i] : (ball.centre[i] - clamped) / s;
    if (!std::isfinite(v[i])) v[i] = a[i];
  }
  return v;
}

double minimum_of_box(const Ball& ball, std::span<const double> a) {
  const BallSides sides(ball, Rounding::kOutward);
  BoundedSum bound;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > 0) bound.add_product(a[i], std::max(sides.lower(i), ball.domain.lower[i]));
    if (a[i] < 0) bound.add_product(a[i], std::min(sides.upper(i), ball.domain.upper[i]));
  }
  return bound.lower();
}

}  // namespace

double minimum(const Ball& ball, std::span<const double> functional) {
  switch (ball.norm) {
    case Norm::kL1:
      return bound_by_split(ball, functional, l1_split(ball, functional));
    case Norm::kL2:
      return bound_by_split(ball, functional, l2_split(ball, functional));
    case Norm::kLinf:
      return minimum_of_box(ball, functional);
  }
  throw InternalError("minimum", "invalid Norm value");
}

std::vector<double> minimiser(const Ball& ball, std::span<const double> functional) {
  switch (ball.norm) {
    case Norm::kL1:
      return l1_path(ball, functional).end;
    case Norm::kL2: {
      const double s = step_to_sphere(ball, ball.radius.nearest(), functional);
      std::vector<double> point = minimiser(ball.domain, functional);
      for (std::size_t i = 0; i < point.size() && std::isfinite(s); ++i) {
        point[i] = std::clamp(ball.centre[i] - s * functional[i], ball.domain.lower[i], ball.domain.upper[i]);
      }
      return point;
    }
    case Norm::kLinf:
      return minimiser(enclosing_box(ball), functional);
  }
  throw InternalError("minimiser", "invalid Norm value");
}

}  // namespace plumb::property::rules
