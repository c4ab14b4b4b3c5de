#include "property/distance.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace plumb::property {
namespace {

using Numbers = std::vector<double>;

// Numbers of very different magnitudes, so that differences and sums round.
Numbers random_numbers(std::mt19937_64& random, std::size_t count) {
  std::uniform_real_distribution<double> unit(-1, 1);
  Numbers numbers(count);
  for (double& x : numbers) x = std::ldexp(unit(random), static_cast<int>(random() % 60) - 30);
  return numbers;
}

TEST(Distance, IsNeverBelowTheTruthAndHardlyAboveIt) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t size = 1 + random() % 6;
    const Numbers a = random_numbers(random, size), b = random_numbers(random, size);
    mpq_class sum = 0, squares = 0, most = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const mpq_class apart = abs(mpq_class(a[i]) - mpq_class(b[i]));
      sum += apart;
      squares += apart * apart;
      most = std::max(most, apart);
    }
    const mpq_class l1 = distance(Norm::kL1, a, b), l2 = distance(Norm::kL2, a, b), linf = distance(Norm::kLinf, a, b);
    const mpq_class above(1 + 1e-14);
    EXPECT_TRUE(l1 >= sum && l1 <= sum * above);
    EXPECT_TRUE(l2 * l2 >= squares && l2 * l2 <= squares * above);
    EXPECT_TRUE(linf >= most && mpq_class(std::nextafter(linf.get_d(), 0)) < most);
  }
}

// Divided by scales, also where the quotient or its remainder leaves the normal numbers.
TEST(Distance, InScalesIsNeverBelowTheTruthAndExactWhereADoubleIs) {
  std::mt19937_64 random(2);
  int exact = 0;
  for (int round = 0; round < 4000; ++round) {
    const bool whole = round % 2 != 0;  // the scale is a small whole number, so that many quotients are doubles
    const auto numerator = static_cast<std::int64_t>(1 + random() % (whole ? 8 : 1000));
    const auto denominator = static_cast<std::int64_t>(whole ? 1 : 1 + random() % 1000);
    const double x = std::ldexp(static_cast<double>(random() % 4096), -static_cast<int>(random() % 1080));
    const Metric metric(Norm::kLinf, {Rational(numerator, denominator)});
    const double divisor = metric.scale[0].round_down();
    const mpq_class quotient = mpq_class(x) / mpq_class(divisor);
    const double measured = distance(metric, Numbers{0.0}, Numbers{x});
    ASSERT_GE(mpq_class(measured), quotient) << x << " / " << divisor;
    if (mpq_class(x / divisor) == quotient && x > 0x1p-900) {
      EXPECT_EQ(measured, x / divisor);
      ++exact;
    }
    if (measured > 0) {
      EXPECT_LE(mpq_class(std::nextafter(std::nextafter(measured, 0), 0)), quotient) << x << " / " << divisor;
    }
  }
  EXPECT_GT(exact, 100);
}

TEST(Distance, OfAPointToItselfIsZero) {
  const Numbers x{0.1, -3, 1e300};
  for (const Norm norm : {Norm::kL1, Norm::kL2, Norm::kLinf}) EXPECT_EQ(distance(norm, x, x), 0);
}

TEST(Distance, TooSmallToBeSquaredIsNotZero) {
  EXPECT_GE(distance(Norm::kL2, Numbers{0.0}, Numbers{0x1p-1000}), 0x1p-1000);
}

}  // namespace
}  // namespace plumb::property
