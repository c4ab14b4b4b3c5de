#include "property/ball_sides.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "base/exact_sum.h"
#include "base/rounding.h"

namespace plumb::property {
namespace {

// The exact sign of x - c - radius.
int compare_with_sum(double x, double c, const Rational& radius) {
  if (std::isinf(x)) return x > 0 ? 1 : -1;
  ExactSum difference;
  difference.add(x);
  difference.subtract(c);
  difference.multiply(radius.denominator());
  for (const double piece : split(radius.numerator())) difference.subtract(piece);
  return difference.sign();
}

// Maps doubles to integers in the same order: neighbours differ by one, and both zeros map to 0.
std::int64_t order_of(double x) {
  const auto bits = std::bit_cast<std::int64_t>(x);
  return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}

double with_order(std::int64_t order) {
  return std::bit_cast<double>(order >= 0 ? order : std::numeric_limits<std::int64_t>::min() - order);
}

// The smallest double in [least, most] for which `enough` holds. `enough` must hold for `most`, and for every double
// above one for which it holds.
template <class Enough>
double first_double(double least, double most, const Enough& enough) {
  std::int64_t low = order_of(least), high = order_of(most);
  while (low < high) {
    const std::int64_t middle = std::midpoint(low, high);  // rounds towards low
    if (enough(with_order(middle))) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return with_order(high);
}

}  // namespace

BallSides::BallSides(const Ball& ball, Rounding rounding) : ball_(ball), rounding_(rounding) {
  for (std::size_t i = 0; i < std::max<std::size_t>(1, ball.radii.size()); ++i) {
    radii_.push_back({ball.radius_of(i).round_down(), ball.radius_of(i).round_up()});
  }
}

// Rounding is monotone, so c + radius, rounded, lies between the sums with the rounded radii, rounded. These are cheap
// to compute and mostly equal. If they are not (the sum is small compared with the radius), exact arithmetic decides.
double BallSides::up(std::size_t i, double c) const {
  const Radius& radius = rounded(i);
  if (c == 0) return radius.up;
  const double least = sum_up(c, radius.down), most = sum_up(c, radius.up);
  if (least == most) return most;
  return first_double(least, most, [&](double x) { return compare_with_sum(x, c, ball_.radius_of(i)) >= 0; });
}

double BallSides::down(std::size_t i, double c) const {
  const Radius& radius = rounded(i);
  if (c == 0) return radius.down;
  const double least = sum_down(c, radius.down), most = sum_down(c, radius.up);
  if (least == most) return least;
  return -first_double(-most, -least, [&](double x) { return compare_with_sum(-x, c, ball_.radius_of(i)) <= 0; });
}

Box box_of_sides(const Ball& ball, Rounding rounding) {
  const BallSides sides(ball, rounding);
  Box box;
  for (std::size_t i = 0; i < ball.centre.size(); ++i) {
    box.lower.push_back(std::max(sides.lower(i), ball.domain.lower[i]));
    box.upper.push_back(std::min(sides.upper(i), ball.domain.upper[i]));
  }
  return box;
}

}  // namespace plumb::property
