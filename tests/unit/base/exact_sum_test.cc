#include "base/exact_sum.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <limits>

#include "support/exact_region.h"

namespace plumb {
namespace {

constexpr double kMost = std::numeric_limits<double>::max();
constexpr double kLeast = std::numeric_limits<double>::denorm_min();

TEST(ExactSum, SeesWhatRoundingHides) {
  ExactSum sum;
  sum.add(1e300);
  sum.add(kLeast);
  sum.subtract(1e300);
  EXPECT_EQ(sum.sign(), 1);
  sum.subtract(kLeast);
  EXPECT_EQ(sum.sign(), 0);
  sum.add_product(-kLeast, kLeast);
  EXPECT_EQ(sum.sign(), -1);
}

TEST(ExactSum, HoldsTheLargestProducts) {
  ExactSum sum;
  for (int i = 0; i < 1000; ++i) sum.add_product(kMost, kMost);
  sum.multiply(Rational::Integer{1} << 126);
  sum.multiply((Rational::Integer{1} << 127) - 1);
  EXPECT_EQ(sum.sign(), 1);
  ExactSum tie;
  tie.add_product(kMost, kMost);
  tie.multiply(3);
  for (int i = 0; i < 3; ++i) tie.add_product(-kMost, kMost);
  EXPECT_EQ(tie.sign(), 0);
  tie.add_product(kLeast, kLeast);
  EXPECT_EQ(tie.sign(), 1);
}

TEST(ExactSum, HasTheSignOfTheRationalSum) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 3000; ++trial) {
    ExactSum sum;
    mpq_class oracle = 0;
    for (int i = 0; i < 8; ++i) {
      const double a = testing::hostile_number(random), b = testing::hostile_number(random);
      sum.add_product(a, b);
      oracle += mpq_class(a) * mpq_class(b);
    }
    const std::uint64_t low = random(), high = random() >> (1 + random() % 62);
    sum.multiply((Rational::Integer{high} << 64) + low);
    oracle *= mpq_class(mpz_class(static_cast<unsigned long>(high)) * mpz_class("18446744073709551616") +
                        mpz_class(static_cast<unsigned long>(low)));
    // Subtract the nearest double: the rest is a small difference of large numbers.
    const double nearest = oracle.get_d();
    sum.subtract(nearest);
    oracle -= mpq_class(nearest);
    EXPECT_EQ(sum.sign(), sgn(oracle));
  }
}

TEST(ExactSum, SplitsIntegersExactly) {
  for (const char* text :
       {"0", "1", "1099511627775", "99999999999999999999", "1e20", "1e38", "99999999999999999999999999999999999999"}) {
    const Rational r = Rational::parse(text, "x");
    mpq_class sum = 0;
    for (const double piece : split(r.numerator())) sum += mpq_class(piece);
    EXPECT_EQ(sum, testing::exact(r)) << text;
  }
}

}  // namespace
}  // namespace plumb
