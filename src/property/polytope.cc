// polytope.cc: {x in box : every inequality g.x <= b holds}.
//
// For any multiplier m >= 0 and every x of the region,
//     a.x >= a.x + m (g.x - b) >= min over the box of (a + m g).x - m b.
// The best multiplier is found in plain floating-point arithmetic. The bound is then evaluated rigorously.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/bounded_sum.h"
#include "base/exact_sum.h"
#include "base/numbers.h"
#include "base/rounding.h"
#include "property/region_rules.h"

namespace plumb::property::rules {
namespace {

bool satisfied(const LinearInequality& inequality, std::span<const double> point) {
  ExactSum sum;
  for (std::size_t i = 0; i < point.size(); ++i) sum.add_product(inequality.coefficients[i], point[i]);
  sum.subtract(inequality.bound);
  return sum.sign() <= 0;
}

// A lower bound on (a + m g).x - m b over the box. The coefficient a_i + m g_i is rounded twice. Its error, at most
// gamma(2) (|a_i| + |m g_i|) + 2^-1074, is multiplied by x_i.
double bound_with_multiplier(const Box& box, std::span<const double> a, const LinearInequality& inequality, double m) {
  BoundedSum bound;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double scaled = m * inequality.coefficients[i];
    const double coefficient = a[i] + scaled;
    bound.add_product(coefficient, coefficient >= 0 ? box.lower[i] : box.upper[i]);
    if (inequality.coefficients[i] == 0) continue;
    const double magnitude = loose_sum_up(std::abs(a[i]), loose_sum_up(std::abs(scaled), kSmallestSubnormal));
    const double error = loose_sum_up(loose_product_up(gamma(2), magnitude), kSmallestSubnormal);
    bound.add_error(loose_product_up(error, std::max(std::abs(box.lower[i]), std::abs(box.upper[i]))));
  }
  bound.add_product(-m, inequality.bound);
  return bound.lower();
}

// The bound is concave and piecewise linear in m, with slope g.x - b, where x minimises (a + m g).x over the box.
// Coordinate i of x jumps from one side of the box to the other where a_i + m g_i changes its sign. The best m is where
// the slope changes its sign.
double best_multiplier(const Box& box, std::span<const double> a, const LinearInequality& inequality) {
  struct Jump {
    double at, fall;
  };
  std::vector<Jump> jumps;
  double slope = -inequality.bound;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double g = inequality.coefficients[i];
    if (g == 0) continue;
    // The sign of a_i + m g_i just above m = 0: g decides if a_i is zero.
    const double sign = a[i] != 0 ? a[i] : g;
    slope += g * (sign > 0 ? box.lower[i] : box.upper[i]);
    if (a[i] != 0 && (a[i] > 0) != (g > 0)) jumps.push_back({-a[i] / g, std::abs(g) * (box.upper[i] - box.lower[i])});
  }
  if (slope <= 0) return 0;
  std::sort(jumps.begin(), jumps.end(), [](const Jump& x, const Jump& y) { return x.at < y.at; });
  for (const Jump& jump : jumps) {
    slope -= jump.fall;
    if (slope <= 0) return jump.at;
  }
  return jumps.empty() ? 0 : jumps.back().at;
}

// Starts at the box's minimiser and moves coordinates until the inequality holds, those first that cost least.
std::vector<double> minimiser_under(const Box& box, std::span<const double> a, const LinearInequality& inequality) {
  const std::vector<double>& g = inequality.coefficients;
  std::vector<double> x = minimiser(box, a);
  double excess = std::inner_product(x.begin(), x.end(), g.begin(), -inequality.bound);
  if (excess <= 0) return x;
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double price = std::abs(a[i] / g[i]);
    if (std::isfinite(price)) order.emplace_back(price, i);
  }
  std::sort(order.begin(), order.end());
  for (const auto& [price, i] : order) {
    if (excess <= 0) break;
    const double to = std::clamp(x[i] - excess / g[i], box.lower[i], box.upper[i]);
    excess += g[i] * (to - x[i]);
    x[i] = to;
  }
  return x;
}

}  // namespace

std::size_t checked_size(const Polytope& polytope) {
  const std::size_t size = checked_size(polytope.box);
  for (const LinearInequality& inequality : polytope.inequalities) {
    expect_size("an inequality", inequality.coefficients.size(), size);
    expect_finite("an inequality", inequality.coefficients);
    expect_finite("an inequality's bound", std::span(&inequality.bound, 1));
  }
  return size;
}

Box enclosing_box(const Polytope& polytope) { return polytope.box; }

double minimum(const Polytope& polytope, std::span<const double> functional) {
  double best = minimum(polytope.box, functional);
  for (const LinearInequality& inequality : polytope.inequalities) {
    // Every point of the box violates the inequality, so the polytope is empty.
    if (minimum(polytope.box, inequality.coefficients) > inequality.bound) return kInfinity;
    const double m = best_multiplier(polytope.box, functional, inequality);
    if (m > 0 && std::isfinite(m))
      best = std::max(best, bound_with_multiplier(polytope.box, functional, inequality, m));
  }
  return best;
}

// Minimises over the box with one inequality at a time. Returns the minimiser at which the functional is largest: its
// inequality restricts the functional most.
std::vector<double> minimiser(const Polytope& polytope, std::span<const double> functional) {
  std::vector<double> best = minimiser(polytope.box, functional);
  double value = std::inner_product(best.begin(), best.end(), functional.begin(), 0.0);
  for (const LinearInequality& inequality : polytope.inequalities) {
    std::vector<double> point = minimiser_under(polytope.box, functional, inequality);
    const double here = std::inner_product(point.begin(), point.end(), functional.begin(), 0.0);
    if (here <= value) continue;
    value = here;
    best = std::move(point);
  }
  return best;
}

bool contains(const Polytope& polytope, std::span<const double> point) {
  return contains(polytope.box, point) &&
         std::all_of(polytope.inequalities.begin(), polytope.inequalities.end(),
                     [&](const LinearInequality& inequality) { return satisfied(inequality, point); });
}

// Cyclic projections: onto each half-space that does not contain the point, and onto the box. This converges slowly
// where half-spaces meet at a sharp angle. So projections aim inside the half-space, and further inside as the sweeps
// go on: from 2^-50 to half of the magnitude of the inequality's terms.
std::vector<double> project(const Polytope& polytope, std::span<const double> point) {
  constexpr int kSweeps = 200;
  std::vector<double> x = project(polytope.box, point);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool moved = false;
    for (const LinearInequality& inequality : polytope.inequalities) {
      double excess = -inequality.bound, magnitude = std::abs(inequality.bound), square = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double g = inequality.coefficients[i];
        excess += g * x[i];
        magnitude += std::abs(g * x[i]);
        square += g * g;
      }
      if (excess <= 0 || !(square > 0)) continue;
      const double step = (excess + std::ldexp(magnitude, sweep / 4 - kSweeps / 4)) / square;
      for (std::size_t i = 0; i < x.size(); ++i) x[i] -= step * inequality.coefficients[i];
      x = project(polytope.box, x);
      moved = true;
    }
    if (!moved) break;
  }
  return x;
}

std::vector<double> random_point(const Polytope& polytope, std::mt19937_64& random) {
  constexpr int kAttempts = 20;
  std::vector<double> point;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    point = random_point(polytope.box, random);
    if (contains(polytope, point)) return point;
  }
  return project(polytope, point);
}

}  // namespace plumb::property::rules
