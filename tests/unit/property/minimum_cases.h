// minimum_cases.h: hostile boxes and functionals, and what a good bound on a minimum is, for the tests of minima.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "property/region.h"
#include "support/exact_region.h"

namespace plumb::property {

inline Rational rational(const char* text) { return Rational::parse(text, "epsilon"); }

using Numbers = std::vector<double>;
using Random = std::mt19937_64;

inline Box random_box(Random& random, std::size_t n) {
  Box box;
  for (std::size_t i = 0; i < n; ++i) {
    const double a = testing::hostile_number(random), b = random() % 6 == 0 ? a : testing::hostile_number(random);
    box.lower.push_back(std::min(a, b));
    box.upper.push_back(std::max(a, b));
  }
  return box;
}

inline Numbers hostile_numbers(Random& random, std::size_t n) {
  Numbers numbers(n);
  for (double& x : numbers) x = testing::hostile_number(random);
  return numbers;
}

// The least value over a box, exactly, and the sum of the magnitudes of its terms.
struct Exact {
  mpq_class value = 0, magnitude = 0;

  void add(const mpq_class& term) {
    value += term;
    magnitude += abs(term);
  }
};

inline Exact exact_minimum(const Box& box, const Numbers& a) {
  Exact sum;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum.add(mpq_class(a[i]) * mpq_class(a[i] > 0 ? box.lower[i] : box.upper[i]));
  return sum;
}

// Never above the true minimum; below by at most 1e-12 of what was added up, and underflow.
inline void expect_tight(double bound, const mpq_class& value, const mpq_class& magnitude) {
  ASSERT_TRUE(std::isfinite(bound));
  const mpq_class slack = value - mpq_class(bound);
  EXPECT_GE(slack, 0) << slack.get_d();
  EXPECT_LE(slack, magnitude * mpq_class(1e-12) + mpq_class(0x1p-1040)) << slack.get_d() << " of " << magnitude.get_d();
}

}  // namespace plumb::property
