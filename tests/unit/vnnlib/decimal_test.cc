#include "vnnlib/decimal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace plumb::vnnlib {
namespace {

Decimal decimal(const std::string& text) { return Decimal::parse(text).value(); }

TEST(Decimal, ReadsWhatPeopleAndProgramsWrite) {
  for (const char* text : {"0.25", ".25", "+0.25", "25e-2", "2.5E-1", "0.0000025e+5", "00.2500"}) {
    EXPECT_EQ(decimal(text), decimal("0.25")) << text;
  }
  EXPECT_EQ(decimal("-5.").nearest(), -5);
  EXPECT_TRUE(decimal("-0.0").is_zero());
  EXPECT_FALSE(decimal("-0.0").is_negative());
}

TEST(Decimal, RefusesWhatIsNoNumber) {
  for (const char* text : {"", "-", ".", "e5", "1e", "1e+", "1e5.0", "--1", "1.2.3", "0x10", "inf", "nan",
                           "1e9999999999", "1e2001", "12a"}) {
    EXPECT_FALSE(Decimal::parse(text)) << text;
  }
  EXPECT_FALSE(Decimal::parse(std::string(1001, '7')));
  EXPECT_TRUE(Decimal::parse(std::string(1000, '7')));
}

TEST(Decimal, ArithmeticIsExact) {
  EXPECT_EQ(decimal("0.1") + decimal("0.2"), decimal("0.3"));
  EXPECT_EQ(decimal("1e30") + decimal("1e-30") - decimal("1e30"), decimal("1e-30"));
  EXPECT_EQ(decimal("-1.5") * decimal("0.2"), decimal("-0.3"));
  EXPECT_EQ(decimal("99999999999999999999") * decimal("99999999999999999999"),
            decimal("9999999999999999999800000000000000000001"));
  EXPECT_EQ(*decimal("0.8").reciprocal(), decimal("1.25"));
  EXPECT_EQ(*decimal("-2000").reciprocal(), decimal("-0.0005"));
  EXPECT_EQ(*decimal("2.220446049250313080847263336181640625e-16").reciprocal(), decimal("4503599627370496"));
  EXPECT_FALSE(decimal("3").reciprocal());
  EXPECT_FALSE(decimal("1234567890123456789").reciprocal());
  EXPECT_FALSE(decimal("0").reciprocal());
}

TEST(Decimal, OrderIsThatOfTheNumbers) {
  const std::vector<std::string> ascending{"-1e10",  "-2",  "-1.5",       "-1e-9", "0",
                                           "3e-500", "0.1", "0.10000001", "0.2",   "1e3"};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      EXPECT_EQ(decimal(ascending[i]) <=> decimal(ascending[j]), i <=> j) << ascending[i] << " " << ascending[j];
    }
  }
}

// The doubles around a decimal enclose it and are neighbours. This is checked with the exact value of each double.
TEST(Decimal, RoundingIsDirectedAndTight) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string text = random() % 2 == 0 ? "-" : "";
    const auto digits = 1 + random() % 25;
    for (std::uint64_t d = 0; d < digits; ++d) text += static_cast<char>('0' + random() % 10);
    text += "e" + std::to_string(static_cast<int>(random() % 80) - 40);
    const Decimal number = decimal(text);
    const double down = number.round_down(), up = number.round_up(), nearest = number.nearest();
    ASSERT_LE(Decimal::exactly(down), number) << text;
    ASSERT_GE(Decimal::exactly(up), number) << text;
    ASSERT_TRUE(up == down || up == std::nextafter(down, std::numeric_limits<double>::infinity())) << text;
    ASSERT_EQ(number.is_double(), up == down) << text;
    ASSERT_TRUE(nearest == down || nearest == up) << text;
  }
}

TEST(Decimal, NumbersBeyondTheDoublesRoundToTheirEnds) {
  const double infinity = std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::max();
  EXPECT_EQ(decimal("1e400").round_up(), infinity);
  EXPECT_EQ(decimal("1e400").round_down(), most);
  EXPECT_EQ(decimal("-1e400").round_up(), -most);
  EXPECT_EQ(decimal("1e-400").round_down(), 0);
  EXPECT_EQ(decimal("1e-400").round_up(), 0x1p-1074);
  EXPECT_EQ(decimal("-1e-400").round_down(), -0x1p-1074);
}

TEST(Decimal, DoublesAreTheirExactValues) {
  EXPECT_EQ(Decimal::exactly(0.5), decimal("0.5"));
  EXPECT_EQ(Decimal::exactly(0.1), decimal("0.1000000000000000055511151231257827021181583404541015625"));
  EXPECT_EQ(Decimal::exactly(-0x1p-1074).nearest(), -0x1p-1074);
  EXPECT_TRUE(Decimal::exactly(0x1.123456789abcdp-1000).is_double());
  EXPECT_TRUE(Decimal::exactly(0).is_zero());
}

}  // namespace
}  // namespace plumb::vnnlib
