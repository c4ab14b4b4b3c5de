// box.cc: {x : lower <= x <= upper}.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/bounded_sum.h"
#include "base/error.h"
#include "property/region_rules.h"

namespace plumb::property::rules {

void expect_finite(const char* what, std::span<const double> numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!std::isfinite(numbers[i])) throw DataError("", fmt::format("number {} of {} is {}", i, what, numbers[i]));
  }
}

void expect_size(const char* what, std::size_t actual, std::size_t expected) {
  if (actual == expected) return;
  throw DataError("", fmt::format("{} has {} numbers, but {} are needed", what, actual, expected));
}

std::size_t checked_size(const Box& box) {
  expect_size("the upper corner of a box", box.upper.size(), box.size());
  expect_finite("the lower corner of a box", box.lower);
  expect_finite("the upper corner of a box", box.upper);
  for (std::size_t i = 0; i < box.size(); ++i) {
    if (box.lower[i] <= box.upper[i]) continue;
    throw DataError("", fmt::format("input {} has the lower bound {}, which is above the upper bound {}", i,
                                    box.lower[i], box.upper[i]));
  }
  return box.size();
}

Box enclosing_box(const Box& box) { return box; }

double minimum(const Box& box, std::span<const double> functional) {
  BoundedSum bound;
  for (std::size_t i = 0; i < box.size(); ++i) {
    bound.add_product(functional[i], functional[i] >= 0 ? box.lower[i] : box.upper[i]);
  }
  return bound.lower();
}

std::vector<double> minimiser(const Box& box, std::span<const double> functional) {
  std::vector<double> point(box.size());
  for (std::size_t i = 0; i < point.size(); ++i) {
    point[i] =
        functional[i] == 0 ? box.lower[i] / 2 + box.upper[i] / 2 : (functional[i] > 0 ? box.lower[i] : box.upper[i]);
  }
  return point;
}

bool contains(const Box& box, std::span<const double> point) {
  for (std::size_t i = 0; i < box.size(); ++i) {
    if (!(box.lower[i] <= point[i] && point[i] <= box.upper[i])) return false;
  }
  return true;
}

std::vector<double> project(const Box& box, std::span<const double> point) {
  std::vector<double> nearest(box.size());
  for (std::size_t i = 0; i < box.size(); ++i) nearest[i] = std::clamp(point[i], box.lower[i], box.upper[i]);
  return nearest;
}

std::vector<double> random_point(const Box& box, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> point(box.size());
  for (std::size_t i = 0; i < box.size(); ++i) {
    const double t = uniform(random);
    // lower + t (upper - lower) would overflow for the widest boxes.
    point[i] = std::clamp((1 - t) * box.lower[i] + t * box.upper[i], box.lower[i], box.upper[i]);
  }
  return point;
}

}  // namespace plumb::property::rules
