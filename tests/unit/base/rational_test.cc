#include "base/rational.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "base/error.h"
#include "support/exact_rational.h"

namespace plumb {
namespace {

using testing::exact;
using Accept = Rational::Accept;

void expect_tight_rounding(const Rational& r, const mpq_class& value) {
  EXPECT_EQ(exact(r), value);
  const double up = r.round_up(), down = r.round_down(), nearest = r.nearest();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_GE(mpq_class(up), value);
  EXPECT_LT(mpq_class(std::nextafter(up, -infinity)), value);
  EXPECT_LE(mpq_class(down), value);
  EXPECT_GT(mpq_class(std::nextafter(down, infinity)), value);
  const mpq_class above = mpq_class(up) - value, below = value - mpq_class(down);
  EXPECT_TRUE(nearest == up || nearest == down);
  EXPECT_TRUE(above >= below || nearest == up);
  EXPECT_TRUE(below >= above || nearest == down);
}

TEST(Rational, IsExactlyTheNumberThatWasWritten) {
  const std::pair<const char*, mpq_class> written[] = {
      {"0.1", mpq_class(1, 10)},    {"8/255", mpq_class(8, 255)}, {"2/255", mpq_class(2, 255)},
      {"1e-3", mpq_class(1, 1000)}, {".25", mpq_class(1, 4)},     {"1/127.5", mpq_class(2, 255)},
      {"2.", mpq_class(2)},         {"0", mpq_class(0)},          {"0.0/7", mpq_class(0)},
      {"0e5", mpq_class(0)},        {"3/3", mpq_class(1)},        {"1E+2", mpq_class(100)},
  };
  for (const auto& [text, value] : written) expect_tight_rounding(Rational::parse(text, "epsilon"), value);
  EXPECT_EQ(exact(Rational::parse("-0.3", "domain", Accept::kAny)), mpq_class(-3, 10));
  EXPECT_FALSE(Rational::parse("-0", "domain", Accept::kAny).is_negative());
}

TEST(Rational, RoundsToTheDoublesAroundIt) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    // Numerators and denominators of every length up to 63 bits.
    const auto n = static_cast<std::int64_t>((random() >> 1) >> (random() % 63));
    const auto d = static_cast<std::int64_t>((random() >> 1) >> (random() % 63)) | 1;
    const bool negative = random() % 2 == 0;
    mpq_class value(mpz_class(static_cast<long>(n)), mpz_class(static_cast<long>(d)));
    value.canonicalize();
    expect_tight_rounding(Rational(negative ? -n : n, d), negative ? mpq_class(-value) : value);
  }
  expect_tight_rounding(Rational(std::numeric_limits<std::int64_t>::min()), mpq_class(-0x1p63));
}

TEST(Rational, KeepsThirtyDigitsAndMore) {
  const mpz_class ten(10);
  mpz_class power;
  mpz_pow_ui(power.get_mpz_t(), ten.get_mpz_t(), 30);
  expect_tight_rounding(Rational::parse("1e-30", "epsilon"), mpq_class(mpz_class(1), power));
  mpq_class third(mpz_class("333333333333333333333333333333"), power);
  third.canonicalize();
  expect_tight_rounding(Rational::parse("0.333333333333333333333333333333", "epsilon"), third);
  EXPECT_EQ(Rational::parse("0.1" + std::string(100, '0'), "epsilon"), Rational(1, 10));
  EXPECT_EQ(Rational::parse("5" + std::string(100, '0') + "e-101", "epsilon"), Rational(1, 2));
  std::mt19937_64 random(4);
  for (int i = 0; i < 20000; ++i) {
    const auto draw = [&] {
      std::string digits(1, static_cast<char>('1' + random() % 9));
      const std::size_t length = 1 + random() % 38;
      while (digits.size() < length) digits += static_cast<char>('0' + random() % 10);
      return digits;
    };
    const std::string above = draw(), below = draw();
    mpq_class value{mpz_class(above), mpz_class(below)};
    value.canonicalize();
    expect_tight_rounding(Rational::parse(above + "/" + below, "epsilon"), value);
  }
}

TEST(Rational, RoundsUpFromAHairAboveADouble) {
  const Rational hair = Rational::parse("1.0000000000000000001", "epsilon");
  EXPECT_EQ(hair.round_down(), 1.0);
  EXPECT_EQ(hair.nearest(), 1.0);
  EXPECT_EQ(hair.round_up(), 1.0 + 0x1p-52);
  const Rational below = Rational::parse("0.9999999999999999999", "epsilon");
  EXPECT_EQ(below.round_up(), 1.0);
  EXPECT_EQ(below.round_down(), 1.0 - 0x1p-53);
}

TEST(Rational, ComparesExactly) {
  EXPECT_EQ(Rational::parse("0.5", "x"), Rational(1, 2));
  EXPECT_EQ(Rational::parse("16/510", "x"), Rational(8, 255));
  EXPECT_LT(Rational::parse("0.99999999999999999998", "x"), Rational::parse("0.99999999999999999999", "x"));
  EXPECT_LT(Rational(-1, 2), Rational(-1, 3));
  EXPECT_LT(Rational(-1, 2), Rational());
  std::mt19937_64 random(2);
  for (int i = 0; i < 20000; ++i) {
    const auto draw = [&] { return static_cast<std::int64_t>(random() >> (1 + random() % 63)); };
    const Rational a(draw() - draw(), draw() | 1), b(draw() - draw(), draw() | 1);
    EXPECT_EQ(a < b, exact(a) < exact(b)) << a.to_string() << " " << b.to_string();
    EXPECT_EQ(a == b, exact(a) == exact(b));
  }
}

TEST(Rational, IsWrittenSoThatReadingItBackGivesTheSame) {
  EXPECT_EQ(Rational::parse("0.1", "x").to_string(), "0.1");
  EXPECT_EQ(Rational::parse("8/255", "x").to_string(), "8/255");
  EXPECT_EQ(Rational::parse("1e-3", "x").to_string(), "0.001");
  EXPECT_EQ(Rational::parse("3/2", "x").to_string(), "1.5");
  EXPECT_EQ(Rational(-12).to_string(), "-12");
  EXPECT_EQ(Rational().to_string(), "0");
  EXPECT_EQ(Rational(1, std::int64_t{1} << 60).to_string(), "1/1152921504606846976");
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i) {
    const Rational r(static_cast<std::int64_t>(random() >> (1 + random() % 63)),
                     static_cast<std::int64_t>(random() >> (1 + random() % 63)) | 1);
    EXPECT_EQ(Rational::parse(r.to_string(), "x"), r) << r.to_string();
  }
  for (const char* text :
       {"99999999999999999999/2", "1e20", "1e-20", "0.99999999999999999999", "1e38", "1e-38", "1e-30",
        "99999999999999999999999999999999999999/7", "0.12345678901234567890123456789012345678"}) {
    const Rational r = Rational::parse(text, "x");
    EXPECT_EQ(Rational::parse(r.to_string(), "x"), r) << r.to_string();
  }
}

TEST(Rational, RefusesWhatIsNoNumberAndNamesTheOption) {
  for (const char* text : {"",   "/", "1/0", "-1", "1/-255", "abc", "1/2/3", "nan", "inf",   "1e",    "0e",
                           "e5", ".", "1,5", " 1", "1 ",     "+1",  "0x10",  "--1", "1e2.5", "1e+-3", "1/0.0"}) {
    try {
      Rational::parse(text, "epsilon");
      ADD_FAILURE() << text;
    } catch (const ArgumentError& error) {
      EXPECT_EQ(error.where(), "epsilon");
      EXPECT_NE(error.problem().find("'" + std::string(text) + "'"), std::string::npos) << error.problem();
    }
  }
  EXPECT_THROW(Rational::parse("0", "scale", Accept::kPositive), ArgumentError);
  EXPECT_THROW(Rational::parse("--1", "domain", Accept::kAny), ArgumentError);
  EXPECT_THROW(Rational(1, 0), InternalError);
  for (const char* text : {"1e39", "1e-39", "1e1000000000000", "0.123456789012345678901234567890123456789",
                           "340282366920938463463374607431768211457"}) {
    EXPECT_THROW(Rational::parse(text, "epsilon"), ArgumentError) << text;
  }
}

TEST(Rational, ProductsAreExactOrRefused) {
  const auto parse = [](const char* text) { return Rational::parse(text, "x", Rational::Accept::kAny); };
  EXPECT_EQ(*parse("2/3").times(parse("-3/4")), parse("-1/2"));
  EXPECT_EQ(*parse("0").times(parse("1e30")), Rational());
  EXPECT_EQ(*parse("1e30").times(parse("1e-30")), Rational(1)) << "what cancels does not count";
  EXPECT_EQ(*parse("1e19").times(parse("1e19")), parse("1e38"));
  EXPECT_FALSE(parse("1e20").times(parse("1e19")));
  EXPECT_FALSE(parse("1e-20").times(parse("1e-19")));
}

}  // namespace
}  // namespace plumb
