// Membership in regions, and the boxes around them.
#include "property/region.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/numbers.h"
#include "support/exact_region.h"

namespace plumb::property {
namespace {

using testing::exact;
using testing::exactly_in;
using testing::hostile_number;

Rational rational(const char* text) { return Rational::parse(text, "epsilon"); }

Box cube(std::size_t size, double lower, double upper) {
  return {std::vector<double>(size, lower), std::vector<double>(size, upper)};
}

double next_above(double x) { return std::nextafter(x, kInfinity); }
double next_below(double x) { return std::nextafter(x, -kInfinity); }

TEST(BallBox, HasTheDoublesNextToTheExactSides) {
  std::mt19937_64 random(1);
  for (const char* text : {"0.1", "8/255", "2/255", "0", "0.25", "1e-20", "1e8", "99999999999999999999/7"}) {
    const Rational radius = rational(text);
    for (int trial = 0; trial < 500; ++trial) {
      // Includes centres so close to the radius that nearly everything cancels.
      const double c = trial % 4 == 0   ? radius.round_down()
                       : trial % 4 == 1 ? -next_above(radius.round_up())
                                        : hostile_number(random);
      for (const Norm norm : {Norm::kL1, Norm::kL2, Norm::kLinf}) {
        const Box box = enclosing_box(SimpleRegion(Ball{norm, {c}, radius, cube(1, -1e30, 1e30)}));
        const mpq_class lower = mpq_class(c) - exact(radius), upper = mpq_class(c) + exact(radius);
        EXPECT_LE(mpq_class(box.lower[0]), lower);
        EXPECT_GT(mpq_class(next_above(box.lower[0])), lower);
        EXPECT_GE(mpq_class(box.upper[0]), upper);
        EXPECT_LT(mpq_class(next_below(box.upper[0])), upper);
      }
    }
  }
}

TEST(BallBox, StaysInsideTheDomain) {
  const Ball ball{Norm::kLinf, {0.05, 0.5, 1.0}, rational("0.1"), cube(3, 0, 1)};
  const Box box = enclosing_box(Region(ball));
  EXPECT_EQ(box.lower[0], 0);
  EXPECT_EQ(box.upper[2], 1);
  EXPECT_EQ(box.upper[1], next_above(0.6));  // the double 0.6 is below six tenths
}

TEST(BallMembership, AgreesWithRationalArithmeticAtTheLastBit) {
  std::mt19937_64 random(2);
  int inside = 0, outside = 0;
  for (int trial = 0; trial < 6000; ++trial) {
    const std::size_t n = 1 + random() % 4;
    const Rational radius = rational(trial % 3 == 0 ? "0.1" : trial % 3 == 1 ? "8/255" : "99999999999999999999/1e19");
    Ball ball{static_cast<Norm>(random() % 3), {}, radius, cube(n, -1e9, 1e9)};
    std::vector<double> point;
    for (std::size_t i = 0; i < n; ++i) {
      ball.centre.push_back(hostile_number(random));
      point.push_back(ball.centre[i] + radius.nearest() * (random() % 2 == 0 ? 1.0 : -1.0) / static_cast<double>(n));
    }
    // Move the first coordinate until the point is on the boundary, then examine its neighbours.
    mpq_class rest = 0;
    for (std::size_t i = 1; i < n; ++i) rest += abs(mpq_class(point[i]) - mpq_class(ball.centre[i]));
    if (ball.norm == Norm::kL1) point[0] = mpq_class(mpq_class(ball.centre[0]) + exact(radius) - rest).get_d();
    if (ball.norm == Norm::kLinf) point[0] = ball.centre[0] + radius.nearest();
    for (int step = 0; step < 5; ++step) {
      const bool in = exactly_in(ball, point);
      EXPECT_EQ(contains(Region(ball), point), in);
      (in ? inside : outside) += 1;
      point[0] = step % 2 == 0 ? next_above(point[0]) : next_below(next_below(point[0]));
    }
  }
  EXPECT_GT(inside, 5000);
  EXPECT_GT(outside, 5000);
}

TEST(BallMembership, CountsTheBoundary) {
  // 3-4-5: the point lies on the sphere exactly.
  const std::vector<double> point{0.75, 1.0};
  const Box domain = cube(2, -2, 2);
  const std::vector<double> beyond{0.75, next_above(1.0)};
  EXPECT_TRUE(contains(Region(Ball{Norm::kL2, {0, 0}, rational("1.25"), domain}), point));
  EXPECT_FALSE(contains(Region(Ball{Norm::kL2, {0, 0}, rational("1.25"), domain}), beyond));
  EXPECT_TRUE(contains(Region(Ball{Norm::kL1, {0, 0}, rational("1.75"), domain}), point));
  EXPECT_FALSE(contains(Region(Ball{Norm::kL1, {0, 0}, rational("1.75"), domain}), beyond));
  EXPECT_TRUE(contains(Region(Ball{Norm::kLinf, {0, 0}, rational("1"), domain}), point));
  EXPECT_FALSE(contains(Region(Ball{Norm::kLinf, {0, 0}, rational("1"), domain}), beyond));
  // The double 0.1 is above one tenth.
  EXPECT_FALSE(contains(Region(Ball{Norm::kLinf, {0}, rational("0.1"), cube(1, 0, 1)}), std::vector<double>{0.1}));
  EXPECT_TRUE(
      contains(Region(Ball{Norm::kLinf, {0}, rational("0.1"), cube(1, 0, 1)}), std::vector<double>{next_below(0.1)}));
}

TEST(BallMembership, ReadsFloatsExactly) {
  const Region region(Ball{Norm::kLinf, {0}, rational("0.1"), cube(1, 0, 1)});
  EXPECT_FALSE(contains(region, std::vector<float>{0.1F}));
  EXPECT_TRUE(contains(region, std::vector<float>{std::nextafterf(0.1F, 0.0F)}));
}

TEST(BallMembership, RadiusZeroIsTheCentreAlone) {
  for (const Norm norm : {Norm::kL1, Norm::kL2, Norm::kLinf}) {
    const Region region(Ball{norm, {0.3, 1e-310}, Rational(), cube(2, -1, 1)});
    EXPECT_TRUE(contains(region, std::vector<double>{0.3, 1e-310}));
    EXPECT_FALSE(contains(region, std::vector<double>{0.3, next_above(1e-310)}));
    const Box box = enclosing_box(region);
    EXPECT_EQ(box.lower, (std::vector<double>{0.3, 1e-310}));
    EXPECT_EQ(box.upper, box.lower);
  }
}

TEST(Membership, IsFalseForWhatIsNoNumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(contains(Region(cube(1, -1, 1)), std::vector<double>{nan}));
  EXPECT_FALSE(contains(Region(AffineImage{{0}, {1}, cube(1, -1, 1)}), std::vector<double>{nan}));
  for (const Norm norm : {Norm::kL1, Norm::kL2, Norm::kLinf}) {
    EXPECT_FALSE(contains(Region(Ball{norm, {0}, Rational(1), cube(1, -1, 1)}), std::vector<double>{nan}));
    EXPECT_FALSE(contains(Region(Ball{norm, {0}, Rational(1), cube(1, -1, 1)}), std::vector<double>{kInfinity}));
  }
}

TEST(PolytopeMembership, SeesTheLastBitOfAnInequality) {
  // 1e8 x + 1e-8 y <= 1e8: at x = 1 every positive y violates it.
  const Region region(Polytope{cube(2, -1, 1), {{{1e8, 1e-8}, 1e8}}});
  EXPECT_TRUE(contains(region, std::vector<double>{1, 0}));
  EXPECT_FALSE(contains(region, std::vector<double>{1, std::numeric_limits<double>::denorm_min()}));
  EXPECT_TRUE(contains(region, std::vector<double>{next_below(1), 1}));
  EXPECT_FALSE(contains(region, std::vector<double>{-2, 0}));
}

TEST(AffineImageMembership, IsExactWhereEachInputHasOneParameter) {
  // Brightness of three pixels: one moves twice as far and down, one is fixed.
  const AffineImage image{{0.5, 0.25, 0.1}, {1, -2, 0}, cube(1, 0, 0.125)};
  const Region region(image);
  EXPECT_TRUE(contains(region, std::vector<double>{0.5, 0.25, 0.1}));
  EXPECT_TRUE(contains(region, std::vector<double>{0.625, 0, 0.1}));
  EXPECT_TRUE(contains(region, std::vector<double>{0.5625, 0.125, 0.1}));
  EXPECT_FALSE(contains(region, std::vector<double>{next_above(0.625), 0, 0.1}));
  EXPECT_FALSE(contains(region, std::vector<double>{next_below(0.5), 0.25, 0.1}));
  EXPECT_FALSE(contains(region, std::vector<double>{0.5625, next_above(0.125), 0.1}));
  EXPECT_FALSE(contains(region, std::vector<double>{0.5, 0.25, next_above(0.1)}));
  EXPECT_EQ(image_of(image, std::vector<double>{0.125}), (std::vector<double>{0.625, 0, 0.1}));
}

TEST(AffineImageBox, ContainsEveryImage) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 500; ++trial) {
    const std::size_t n = 1 + random() % 4, m = 1 + random() % 4;
    AffineImage image;
    for (std::size_t i = 0; i < n; ++i) image.offset.push_back(hostile_number(random));
    for (std::size_t i = 0; i < n * m; ++i) image.generator.push_back(hostile_number(random));
    for (std::size_t j = 0; j < m; ++j) {
      const double a = hostile_number(random), b = hostile_number(random);
      image.parameters.lower.push_back(std::min(a, b));
      image.parameters.upper.push_back(std::max(a, b));
    }
    const Box box = enclosing_box(Region(image));
    for (unsigned corner = 0; corner < (1U << m); ++corner) {
      for (std::size_t i = 0; i < n; ++i) {
        mpq_class x(image.offset[i]), magnitude = abs(x);
        for (std::size_t j = 0; j < m; ++j) {
          const double z = (corner >> j & 1U) != 0 ? image.parameters.upper[j] : image.parameters.lower[j];
          x += mpq_class(image.generator[i * m + j]) * mpq_class(z);
          magnitude += abs(mpq_class(image.generator[i * m + j]) * mpq_class(z));
        }
        EXPECT_GE(x, mpq_class(box.lower[i]));
        EXPECT_LE(x, mpq_class(box.upper[i]));
      }
    }
  }
}

// Non-negative weights with a sum of at most one: mixtures of the first corner with two others.
AffineImage mixture() { return {{0, 1}, {1, 0, 0, -1}, cube(2, 0, 1), {{{1, 1}, 1}}}; }

TEST(AffineImageOfAPolytope, HasTheBoxOfItsCornersAndKnowsItsParameters) {
  const AffineImage image{{0.5}, {1, 2}, cube(2, 0, 1), {{{1, 1}, 1}}};  // 0.5 + z1 + 2 z2 is at most 2.5
  const Box box = enclosing_box(Region(image));
  EXPECT_LE(box.lower[0], 0.5);
  EXPECT_NEAR(box.lower[0], 0.5, 1e-14);
  EXPECT_GE(box.upper[0], 2.5);
  EXPECT_NEAR(box.upper[0], 2.5, 1e-14);
  EXPECT_TRUE(contains_parameters(image, std::vector<double>{0.25, 0.75}));
  EXPECT_FALSE(contains_parameters(image, std::vector<double>{0.25, next_above(0.75)}));
  EXPECT_FALSE(contains_parameters(image, std::vector<double>{-0.25, 0.75}));
  // Whether parameters of a point exist is not decided, so that no point is accepted.
  EXPECT_FALSE(contains(Region(mixture()), std::vector<double>{0, 1}));
}

TEST(AffineImageOfAPolytope, IsMovedInByItsInequalities) {
  std::mt19937_64 random(4);
  const AffineImage image = mixture();
  const std::vector<double> z = nearest_parameters(image, std::vector<double>{2, -1});
  EXPECT_NEAR(z[0], 0.5, 1e-6);
  EXPECT_NEAR(z[1], 0.5, 1e-6);
  for (int trial = 0; trial < 100; ++trial) {
    const std::vector<double> x = random_point(SimpleRegion(image), random);
    EXPECT_LE(x[0] + (1 - x[1]), 1 + 1e-9);
  }
}

// Contradicting inequalities: the region has no point, but its box is still defined.
TEST(AffineImageOfAPolytope, MayBeEmpty) {
  const Region region(AffineImage{{0}, {1}, cube(1, 0, 1), {{{1}, 0.25}, {{-1}, -0.75}}});
  const Box box = enclosing_box(region);
  EXPECT_LE(box.lower[0], box.upper[0]);
  EXPECT_EQ(minimum(Region(AffineImage{{0}, {1}, cube(1, 0, 1), {{{1}, -1}}}), std::vector<double>{1}), kInfinity);
}

TEST(Union, IsEveryPartAndTheBoxAroundThem) {
  const Region region(std::vector<SimpleRegion>{cube(1, 0, 1), cube(1, 3, 4)});
  EXPECT_TRUE(contains(region, std::vector<double>{0.5}));
  EXPECT_FALSE(contains(region, std::vector<double>{2}));
  EXPECT_TRUE(contains(region, std::vector<double>{3}));
  const Box box = enclosing_box(region);
  EXPECT_EQ(box.lower[0], 0);
  EXPECT_EQ(box.upper[0], 4);
}

TEST(Region, RefusesWhatIsMalformed) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(Region(Box{{1}, {0}}), DataError);
  EXPECT_THROW(Region(Box{{0, 0}, {1}}), DataError);
  EXPECT_THROW(Region(Box{{nan}, {1}}), DataError);
  EXPECT_THROW(Region(Box{{0}, {kInfinity}}), DataError);
  EXPECT_THROW(Region(Ball{Norm::kL2, {0.5}, Rational(-1), cube(1, 0, 1)}), DataError);
  EXPECT_THROW(Region(Ball{Norm::kL2, {nan}, Rational(1), cube(1, 0, 1)}), DataError);
  EXPECT_THROW(Region(Ball{Norm::kL2, {0.5}, Rational(1), cube(2, 0, 1)}), DataError);
  EXPECT_THROW(Region(AffineImage{{0, 0}, {1, 1, 1}, cube(1, 0, 1)}), DataError);
  EXPECT_THROW(Region(AffineImage{{0}, {1e200}, cube(1, 0, 1e200)}), DataError);
  EXPECT_THROW(Region(AffineImage{{0}, {1}, cube(1, 0, 1), {{{1, 1}, 0}}}), DataError);
  EXPECT_THROW(Region(AffineImage{{0}, {1}, cube(1, 0, 1), {{{1}, nan}}}), DataError);
  EXPECT_THROW(Region(Polytope{cube(2, 0, 1), {{{1}, 1}}}), DataError);
  EXPECT_THROW(Region(Polytope{cube(1, 0, 1), {{{1}, kInfinity}}}), DataError);
  EXPECT_THROW(Region(std::vector<SimpleRegion>{}), DataError);
  EXPECT_THROW(Region(std::vector<SimpleRegion>{cube(1, 0, 1), cube(2, 0, 1)}), DataError);
}

TEST(Region, RefusesABallOutsideOfItsDomainAndOnlyThen) {
  // The double 0.1 is slightly more than one tenth away from zero, so that this ball misses the domain by the
  // difference.
  for (const Norm norm : {Norm::kL1, Norm::kL2, Norm::kLinf}) {
    EXPECT_THROW(Region(Ball{norm, {-0.1}, rational("0.1"), cube(1, 0, 1)}), DataError);
    const Region touching(Ball{norm, {-0.25}, rational("0.25"), cube(1, 0, 1)});
    const Box box = enclosing_box(touching);
    EXPECT_EQ(box.lower[0], 0);
    EXPECT_EQ(box.upper[0], 0);
    EXPECT_TRUE(contains(touching, std::vector<double>{0}));
  }
  // 3-4-5 again: the corner of the domain is the only common point.
  EXPECT_NO_THROW(Region(Ball{Norm::kL2, {-3, -4}, rational("5"), cube(2, 0, 1)}));
  EXPECT_THROW(Region(Ball{Norm::kL2, {-3, next_below(-4)}, rational("5"), cube(2, 0, 1)}), DataError);
  EXPECT_THROW(Region(Ball{Norm::kL1, {-3, -4}, rational("6.999"), cube(2, 0, 1)}), DataError);
}

}  // namespace
}  // namespace plumb::property
