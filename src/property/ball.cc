// ball.cc: {x in domain : |x - centre| <= radius}: membership, and the enclosing box.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/exact_sum.h"
#include "property/ball_sides.h"
#include "property/region_rules.h"

namespace plumb::property::rules {
namespace {

// Whether denominator * sum_i |x_i - c_i| <= numerator, exactly.
bool within_sum(const Rational& radius, std::span<const double> point, std::span<const double> centre) {
  ExactSum sum;
  for (std::size_t i = 0; i < point.size(); ++i) {
    sum.add(std::max(point[i], centre[i]));
    sum.subtract(std::min(point[i], centre[i]));
  }
  sum.multiply(radius.denominator());
  for (const double piece : split(radius.numerator())) sum.subtract(piece);
  return sum.sign() <= 0;
}

// Whether denominator^2 * sum_i (x_i - c_i)^2 <= numerator^2, exactly.
bool within_squares(const Rational& radius, std::span<const double> point, std::span<const double> centre) {
  ExactSum sum;
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (point[i] == centre[i]) continue;
    sum.add_product(point[i], point[i]);
    sum.add_product(-point[i], centre[i]);
    sum.add_product(-point[i], centre[i]);
    sum.add_product(centre[i], centre[i]);
  }
  sum.multiply(radius.denominator());
  sum.multiply(radius.denominator());
  const SplitInteger numerator = split(radius.numerator());
  for (const double a : numerator) {
    for (const double b : numerator) sum.add_product(-a, b);
  }
  return sum.sign() <= 0;
}

bool within_each(const Ball& ball, std::span<const double> point) {
  const BallSides sides(ball, Rounding::kInward);
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (!(sides.lower(i) <= point[i] && point[i] <= sides.upper(i))) return false;
  }
  return true;
}

void expect_radii(const Ball& ball) {
  if (ball.radius.is_negative()) {
    throw DataError("", fmt::format("the radius {} of a ball is negative", ball.radius.to_string()));
  }
  if (ball.radii.empty()) return;
  expect_size("the radii of a ball", ball.radii.size(), ball.centre.size());
  if (ball.norm != Norm::kLinf) throw DataError("", "only an l-infinity ball can have a radius for each input");
  for (const Rational& radius : ball.radii) {
    if (radius.is_negative() || radius > ball.radius) {
      throw DataError("", fmt::format("the radius {} of an input is not between 0 and {}", radius.to_string(),
                                      ball.radius.to_string()));
    }
  }
}

}  // namespace

std::size_t checked_size(const Ball& ball) {
  expect_size("the domain of a ball", checked_size(ball.domain), ball.centre.size());
  expect_finite("the centre of a ball", ball.centre);
  expect_radii(ball);
  // One point of the domain is nearest to the centre in every norm. It lies in the ball if any point of the domain
  // does.
  if (!contains(ball, project(ball.domain, ball.centre))) {
    throw DataError("", fmt::format("no point within {} of the centre lies in the domain", ball.radius.to_string()),
                    "give the domain of the inputs, or a larger radius");
  }
  return ball.centre.size();
}

Box enclosing_box(const Ball& ball) { return box_of_sides(ball, Rounding::kOutward); }

bool contains(const Ball& ball, std::span<const double> point) {
  if (!contains(ball.domain, point)) return false;
  switch (ball.norm) {
    case Norm::kL1:
      return within_sum(ball.radius, point, ball.centre);
    case Norm::kL2:
      return within_squares(ball.radius, point, ball.centre);
    case Norm::kLinf:
      return within_each(ball, point);
  }
  throw InternalError("contains", "invalid Norm value");
}

}  // namespace plumb::property::rules
