#include "data/scale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/thrown_error.h"

namespace plumb::data {
namespace {

using testing::HasSubstr;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// `value` as a multiple of 2^-48, which is an integer for every float of at least 2^-24.
__int128 in_units(float value) { return static_cast<__int128>(std::ldexp(static_cast<double>(value), 48)); }

TEST(Scale, GivesTheFloatNearestToEveryByteOver255) {
  const Scale scale = Scale::parse("1/255");
  EXPECT_EQ(scale.nearest_float(0), 0.0F);
  EXPECT_EQ(scale.nearest_float(255), 1.0F);
  for (int byte = 1; byte < 256; ++byte) {
    const float nearest = scale.nearest_float(byte);
    const __int128 exact_times_255 = static_cast<__int128>(byte) << 48;
    const auto distance = [&](float candidate) {
      const __int128 difference = in_units(candidate) * 255 - exact_times_255;
      return difference < 0 ? -difference : difference;
    };
    EXPECT_LT(distance(nearest), distance(std::nextafter(nearest, kInfinity))) << byte;
    EXPECT_LT(distance(nearest), distance(std::nextafter(nearest, -kInfinity))) << byte;
  }
}

TEST(Scale, AgreesWithDivisionWhereTheDenominatorIsANumber) {
  // IEEE division rounds correctly, so that raw / 255 in float and in double is the nearest value.
  const Scale scale = Scale::parse("1/255");
  for (int i = -3000; i < 3000; ++i) {
    const double raw = i * 0.37;
    EXPECT_EQ(scale.nearest_double(raw), raw / 255) << i;
    const auto single = static_cast<float>(raw);
    EXPECT_EQ(scale.nearest_float(single), single / 255.0F) << i;
  }
}

TEST(Scale, AgreesWithMultiplicationWhereTheScaleIsANumber) {
  for (const char* text : {"0.5", "3", "1024", "0.375", "3/8", "1.5e3", "125e-3"}) {
    const double factor = Scale::parse(text).nearest_double(1);
    for (int i = -300; i < 300; ++i) {
      const double raw = i * 1e-3;
      EXPECT_EQ(Scale::parse(text).nearest_double(raw), raw * factor) << text << " * " << raw;
    }
  }
}

TEST(Scale, ReadsDecimalsFractionsAndExponents) {
  EXPECT_EQ(Scale::parse("1/255").nearest_double(255), 1.0);
  EXPECT_EQ(Scale::parse("0.1").nearest_double(1), 0.1);
  EXPECT_EQ(Scale::parse(".25").nearest_double(1), 0.25);
  EXPECT_EQ(Scale::parse("2.").nearest_double(1), 2.0);
  EXPECT_EQ(Scale::parse("1e-3").nearest_double(1), 1e-3);
  EXPECT_EQ(Scale::parse("2E+3").nearest_double(1), 2e3);
  EXPECT_EQ(Scale::parse("1/127.5").nearest_double(127.5), 1.0);
  EXPECT_EQ(Scale::parse("100000000000/1e25").nearest_double(1), 1e-14);
  EXPECT_EQ(Scale::parse("0.0039215686274509803").nearest_double(1), 0.0039215686274509803);
}

TEST(Scale, RoundsTiesToEvenAndOnlyOnce) {
  // 2^24 + 1 lies half way between two floats. So does 3 (2^24 + 1) / 3, and intermediate rounding must not change the
  // result.
  EXPECT_EQ(Scale::parse("3/3").nearest_float(16777217), 16777216.0F);
  EXPECT_EQ(Scale::parse("2/1").nearest_float(16777217), 33554432.0F);
  EXPECT_EQ(Scale::parse("1/2").nearest_float(16777219), 8388610.0F);
  // Slightly above the tie, by less than a double can show: rounding twice would round down.
  EXPECT_EQ(Scale::parse("1.0000000000000000001").nearest_float(16777217), 16777218.0F);
}

TEST(Scale, HandlesTheEndsOfTheRange) {
  const Scale half = Scale::parse("1/2");
  EXPECT_EQ(half.nearest_float(0x1p-148), 0x1p-149F);
  EXPECT_EQ(half.nearest_float(0x1p-149), 0.0F);  // a tie with zero, which is even
  EXPECT_EQ(half.nearest_float(0x1.8p-149), 0x1p-149F);
  EXPECT_EQ(half.nearest_float(1e-300), 0.0F);
  EXPECT_EQ(Scale::parse("2/1").nearest_float(3e38), kInfinity);
  EXPECT_EQ(Scale::parse("1e20").nearest_double(-1e300), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::signbit(half.nearest_double(-0.0)));
}

TEST(Scale, OneKeepsNumbersAsTheyAre) {
  EXPECT_TRUE(Scale().is_one());
  EXPECT_TRUE(Scale::parse("255/255").is_one());
  EXPECT_FALSE(Scale::parse("1/255").is_one());
  EXPECT_EQ(Scale().nearest_double(0.1), 0.1);
  EXPECT_EQ(Scale().nearest_float(0.1), 0.1F);
}

TEST(Scale, RefusesWhatIsNoPositiveNumber) {
  for (const char* text : {"",   "/", "0",    "0/1", "1/0", "-1", "1/-255", "abc",   "1/2/3", "nan",   "inf",  "1e",
                           "e5", ".", "1..2", "1,5", " 1",  "1 ", "0x10",   "1e+-3", "+1",    "1e5e5", "1e2.5"}) {
    const auto error = thrown_by<ArgumentError>([&] { Scale::parse(text); });
    EXPECT_EQ(error.where(), "scale");
    EXPECT_THAT(error.problem(), HasSubstr("a number > 0")) << text;
    EXPECT_THAT(error.remedy(), HasSubstr("1/255")) << text;
  }
}

TEST(Scale, RefusesMoreDigitsThanItKeepsExactly) {
  for (const char* text : {"1e21", "1e-21", "1e1000000000000", "1e-2147483648", "1e-999",
                           "0.123456789012345678901234567890", "123456789012345678901234567890", "1/1e30"}) {
    const auto error = thrown_by<ArgumentError>([&] { Scale::parse(text); });
    EXPECT_THAT(error.problem(), HasSubstr("digits")) << text;
  }
}

}  // namespace
}  // namespace plumb::data
