#include "base/rounding.h"
#include "base/numbers.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace plumb {
namespace {

TEST(Rounding, GammaIsAnUpperBoundOnItsFormula) {
  for (const std::int64_t n : {1, 2, 3, 7, 100, 784, 4096, 1'000'000, 268'435'456}) {
    const mpq_class nu = mpq_class(static_cast<double>(n)) * mpq_class(kUnitRoundoff);
    const mpq_class formula = nu / (1 - nu);
    EXPECT_GE(mpq_class(gamma(n)), formula) << n;
    EXPECT_LE(mpq_class(gamma(n)), formula * mpq_class(1.000001)) << n;
  }
}

TEST(Rounding, GammaBoundsTheErrorOfARealSum) {
  // 0.1 added ten times is not 1. The computed sum differs from the exact one by no more than gamma allows.
  double sum = 0;
  for (int i = 0; i < 10; ++i) sum += 0.1;
  const mpq_class exact = 10 * mpq_class(0.1);
  EXPECT_NE(mpq_class(sum), exact);
  EXPECT_LE(abs(mpq_class(sum) - exact), mpq_class(gamma(10)) * exact);
}

TEST(Rounding, UpAndDownAreTheNeighbouringDoubles) {
  for (const double x : {0.0, -0.0, 1.0, -1.0, 0.1, -0.1, 5e-324, -5e-324, 2.2250738585072014e-308,
                         -2.2250738585072014e-308, 1.7976931348623157e308, -1.7976931348623157e308, 1e-310, 0x1p52}) {
    EXPECT_EQ(round_up(x), std::nextafter(x, kInfinity)) << x;
    EXPECT_EQ(round_down(x), std::nextafter(x, -kInfinity)) << x;
  }
  EXPECT_EQ(round_up(kInfinity), kInfinity);
  EXPECT_EQ(round_up(-kInfinity), std::nextafter(-kInfinity, kInfinity));
  EXPECT_TRUE(std::isnan(round_up(std::nan(""))));
}

TEST(Rounding, UpwardOperationsAreNeverBelowTheExactResult) {
  const double a = 0.1, b = 0.7, tiny = 1e-200;
  EXPECT_GE(mpq_class(loose_sum_up(a, b)), mpq_class(a) + mpq_class(b));
  EXPECT_GE(mpq_class(loose_product_up(a, b)), mpq_class(a) * mpq_class(b));
  EXPECT_GT(loose_product_up(tiny, tiny), 0.0);  // an underflow to zero would be too small
}

// Numbers of all magnitudes, and pairs that cancel fully or nearly.
std::vector<double> hostile_numbers() {
  std::mt19937_64 random(3);
  std::vector<double> numbers = {0.0, -0.0, 1, -1, 0.1, -0.1, 3, 1e16, -1e16, 5e-324, 1e-310, 1.7976931348623157e308};
  for (int i = 0; i < 60; ++i) {
    const int exponent = static_cast<int>(random() % 2000) - 1000;
    numbers.push_back(std::ldexp(std::uniform_real_distribution<double>(-1, 1)(random), exponent));
  }
  return numbers;
}

TEST(Rounding, DirectedOperationsAreTheClosestDoublesOnTheirSide) {
  constexpr double kMost = std::numeric_limits<double>::max();
  // `below` and `above` must enclose the exact value. If `is_tight`, they must be equal where it is representable, and
  // neighbours otherwise. Products below 2^-960 need not be tight.
  const auto expect_closest = [&](double below, double above, const mpq_class& exact, bool is_tight) {
    EXPECT_TRUE(below == -kInfinity || mpq_class(below) <= exact);
    EXPECT_TRUE(above == kInfinity || mpq_class(above) >= exact);
    if (!is_tight || abs(exact) > mpq_class(kMost)) return;
    EXPECT_TRUE(mpq_class(below) == exact ? above == below : round_up(below) == above) << below << " " << above;
  };
  const std::vector<double> numbers = hostile_numbers();
  for (const double a : numbers) {
    for (const double b : numbers) {
      expect_closest(sum_down(a, b), sum_up(a, b), mpq_class(a) + mpq_class(b), true);
      const bool is_tight = std::abs(a * b) >= 0x1p-960;
      expect_closest(product_down(a, b), product_up(a, b), mpq_class(a) * mpq_class(b), is_tight);
    }
    EXPECT_EQ(sum_down(a, -a), 0);
    EXPECT_EQ(sum_up(a, -a), 0);
  }
}

TEST(Rounding, DirectedOperationsTakeInfinityForUnknown) {
  EXPECT_EQ(sum_down(-kInfinity, 1), -kInfinity);
  EXPECT_EQ(sum_up(kInfinity, -1), kInfinity);
  EXPECT_EQ(product_down(-kInfinity, 0), 0);  // a real number times zero
  EXPECT_EQ(product_down(-kInfinity, 2), -kInfinity);
  EXPECT_EQ(product_up(kInfinity, 2), kInfinity);
}

}  // namespace
}  // namespace plumb
