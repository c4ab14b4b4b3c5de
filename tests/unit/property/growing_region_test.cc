#include "property/growing_region.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace plumb::property {
namespace {

using Numbers = std::vector<double>;

Box cube(std::size_t size, double lower, double upper) { return {Numbers(size, lower), Numbers(size, upper)}; }

TEST(GrowingRegion, ReachesTheFarthestCorner) {
  const Numbers centre{0.25, 0.5};
  EXPECT_EQ(GrowingRegion::balls(Norm::kLinf, centre, cube(2, 0, 1)).reach(), 0.75);
  EXPECT_EQ(GrowingRegion::balls(Norm::kL1, centre, cube(2, 0, 1)).reach(), 1.25);
  EXPECT_EQ(GrowingRegion::balls(Norm::kL1, centre, {}).reach(), std::numeric_limits<double>::infinity());
  EXPECT_THROW(GrowingRegion::balls(Norm::kL1, Numbers{2, 0}, cube(2, 0, 1)), DataError);
}

TEST(GrowingRegion, ScalesTheRadiusOfEachInput) {
  const Metric metric{Norm::kLinf, {Rational(1, 3), Rational(2), Rational(0)}};
  const auto region = GrowingRegion::balls(metric, {0.25, 0.5, 0.75}, cube(3, 0, 1));
  EXPECT_GE(region.reach(), 2.25) << "of the first input";
  EXPECT_LT(region.reach(), 2.2500001);
  const SimpleRegion within = region.within(Rational(1, 8));
  const Box box = enclosing_box(within);
  EXPECT_GE(box.upper[0], 0.25 + 0.125 / 3);
  EXPECT_LT(box.upper[0], 0.2500001 + 0.125 / 3);
  EXPECT_EQ(box.upper[1], 0.75);
  EXPECT_EQ(box.upper[2], 0.75);
  EXPECT_EQ(region.distance(Numbers{0.25, 0.5, 0.7}), std::numeric_limits<double>::infinity());
  // Every point of a distance of at most 1/8 lies within it.
  EXPECT_TRUE(contains(Region(within), Numbers{0.25 + 0.125 / 3, 0.25, 0.75}));
}

TEST(GrowingRegion, OfAPatchChangesThePatchAlone) {
  const Numbers sample(16, 0.5);
  const auto region = GrowingRegion::of(Patch{1, 1, 2, 2}, Norm::kL1, sample, ImageShape{1, 4, 4}, cube(16, 0, 1));
  EXPECT_EQ(region.reach(), 2);
  const Box box = enclosing_box(region.within(Rational(1, 4)));
  EXPECT_EQ(box.upper[5], 0.75);
  EXPECT_EQ(box.upper[0], 0.5);
}

TEST(GrowingRegion, OfABallEndsAtItsRadius) {
  const auto region = GrowingRegion::of(NormBall{Norm::kL1, Rational(1, 8)}, {}, Numbers(4, 0.5), {}, cube(4, 0, 1));
  EXPECT_EQ(region.norm(), Norm::kL1);
  EXPECT_EQ(region.reach(), 0.125);
}

TEST(GrowingRegion, OfABrightnessIsAnInterval) {
  const auto region =
      GrowingRegion::of(Brightness{Rational(-1, 8), Rational(1, 2)}, Norm::kL2, Numbers(4, 0.5), {}, {});
  EXPECT_EQ(region.reach(), 0.5);
  const SimpleRegion within = region.within(Rational(1, 4));
  const auto& image = std::get<AffineImage>(within);
  EXPECT_EQ(image.parameters.lower[0], -0.125);
  EXPECT_EQ(image.parameters.upper[0], 0.25);
  EXPECT_EQ(region.distance(Numbers{-0.125}), 0.125);
}

// Images of parameters within the l1 radius are the same as images of parameters that are split by sign.
TEST(GrowingRegion, SplitsParametersBySignForTheL1Norm) {
  const AffineImage whole{{0, 0}, {1, 2, 3, 4}, {{-1, 0}, {0.5, 1}}, {{{1, -1}, 0.75}}};
  const auto region = GrowingRegion::images(Norm::kL1, whole);
  const SimpleRegion within = region.within(Rational(1, 2));
  const auto& image = std::get<AffineImage>(within);
  ASSERT_EQ(image.parameters.size(), 3u);  // z1+, z1-, z2
  EXPECT_EQ(image_of(image, Numbers{0, 0.25, 0.25}), image_of(whole, Numbers{-0.25, 0.25}));
  EXPECT_EQ(image_of(image, Numbers{0.5, 0, 0}), image_of(whole, Numbers{0.5, 0}));
  EXPECT_TRUE(contains_parameters(image, Numbers{0, 0.25, 0.25}));
  EXPECT_FALSE(contains_parameters(image, Numbers{0, 0.25, 0.5})) << "beyond the radius";
  EXPECT_EQ(region.distance(Numbers{0, 0.25, 0.25}), 0.5);
  EXPECT_EQ(region.reach(), 2.5);
  const auto all = GrowingRegion::images(Norm::kL1, whole).within(Rational(5));
  EXPECT_FALSE(contains_parameters(std::get<AffineImage>(all), Numbers{1, 0, 0})) << "the inequality is still there";
}

TEST(GrowingRegion, RefusesFamiliesWithoutADistance) {
  const AffineImage two{{0}, {1, 1}, cube(2, -1, 1)};
  EXPECT_THROW(GrowingRegion::images(Norm::kL2, two), ArgumentError);
  EXPECT_THROW(GrowingRegion::images(Norm::kLinf, AffineImage{{0}, {1}, cube(1, 0.5, 1)}), DataError);
  EXPECT_THROW(GrowingRegion::images(Norm::kLinf, AffineImage{{0}, {1}, cube(1, 0, 1), {{{1}, -1}}}), DataError);
}

}  // namespace
}  // namespace plumb::property
