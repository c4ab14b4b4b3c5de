#include "cli/rounded.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/exact_region.h"
#include "vnnlib/decimal.h"

namespace plumb::cli {
namespace {

using vnnlib::Decimal;

TEST(Rounded, AnExactNumberStaysAsItIs) {
  for (const double x : {0.0, 0.5, -0.125, 3.0, 1e6, -40.0}) {
    EXPECT_EQ(lower_text(x, 7), upper_text(x, 7));
    EXPECT_EQ(vnnlib::Decimal::parse(lower_text(x, 7)), vnnlib::Decimal::exactly(x));
  }
}

TEST(Rounded, TheLastDigitGoesOutward) {
  EXPECT_EQ(lower_text(0.123456789, 4), "0.1234");
  EXPECT_EQ(upper_text(0.123456789, 4), "0.1235");
  EXPECT_EQ(lower_text(-0.123456789, 4), "-0.1235");
  EXPECT_EQ(upper_text(-0.123456789, 4), "-0.1234");
  EXPECT_EQ(upper_text(9.9999, 3), "10");
  EXPECT_EQ(upper_text(0.1, 6), "0.100001");  // the double nearest to 0.1 lies above it
  EXPECT_EQ(lower_text(std::numeric_limits<double>::infinity(), 6), "-");
}

TEST(Rounded, EndsStayEndsAndAreWithinOneDigit) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 3000; ++trial) {
    double x = testing::hostile_number(random);
    if (trial % 50 == 0) x = std::copysign(std::numeric_limits<double>::max(), x);
    const int digits = 1 + trial % 15;
    const vnnlib::Decimal exact = vnnlib::Decimal::exactly(x), low = *vnnlib::Decimal::parse(lower_text(x, digits)),
                          high = *vnnlib::Decimal::parse(upper_text(x, digits));
    EXPECT_LE(low, exact) << x;
    EXPECT_GE(high, exact) << x;
    if (std::abs(x) == std::numeric_limits<double>::max()) continue;  // no double lies further out
    const auto as_number = [](const nlohmann::ordered_json& json) { return *vnnlib::Decimal::parse(json.dump()); };
    EXPECT_LE(as_number(lower_json(x)), exact) << x;
    EXPECT_GE(as_number(upper_json(x)), exact) << x;
    const double width = std::pow(10, 1 - digits) * std::abs(x);
    EXPECT_LE((high - low).nearest(), width * (1 + 1e-9)) << x;
  }
}

TEST(Rounded, MeansAreEndsToo) {
  MeanOfEnds mean;
  mpq_class lower = 0, upper = 0;
  std::mt19937_64 random(2);
  for (int i = 0; i < 100; ++i) {
    const double low = testing::hostile_number(random), high = testing::hostile_number(random);
    mean.add(low, high);
    lower += mpq_class(low);
    upper += mpq_class(high);
  }
  EXPECT_LE(mpq_class(mean.lower()), lower / 100);
  EXPECT_GE(mpq_class(mean.upper()), upper / 100);
}

}  // namespace
}  // namespace plumb::cli
