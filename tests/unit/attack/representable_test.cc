#include "attack/representable.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/numbers.h"
#include "support/random_network.h"

namespace plumb::attack {
namespace {

using testing::Random;
using testing::uniform;
using Numbers = std::vector<double>;

bool is_float32(double x) { return static_cast<double>(static_cast<float>(x)) == x; }

TEST(Representable, Float32NeighboursAreTheNearestOnBothSides) {
  Random random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::uniform_real_distribution<double> unit(-2, 2);
    const double x = std::ldexp(unit(random), static_cast<int>(uniform(random, -160, 120)));
    const double below = representable_below(x, network::ElementType::kFloat32);
    const double above = representable_above(x, network::ElementType::kFloat32);
    ASSERT_TRUE(is_float32(below) && is_float32(above) && below <= x && x <= above) << x;
    if (is_float32(x)) {
      ASSERT_TRUE(below == x && above == x) << x;
    } else {
      ASSERT_EQ(std::nextafter(static_cast<float>(below), std::numeric_limits<float>::infinity()),
                static_cast<float>(above))
          << x;
    }
    ASSERT_EQ(nearest_representable(x, network::ElementType::kFloat32) == below, x - below <= above - x) << x;
  }
}

TEST(Representable, NumbersBeyondTheTypeHaveNoNeighbourOutside) {
  const double largest = static_cast<double>(std::numeric_limits<float>::max());
  EXPECT_EQ(representable_below(1e300, network::ElementType::kFloat32), largest);
  EXPECT_EQ(representable_above(1e300, network::ElementType::kFloat32), kInfinity);
  EXPECT_EQ(nearest_representable(-1e300, network::ElementType::kFloat32), -largest);
}

TEST(Representable, Float16HasElevenBits) {
  EXPECT_EQ(representable_below(2049, network::ElementType::kFloat16), 2048);
  EXPECT_EQ(representable_above(2049, network::ElementType::kFloat16), 2050);
  EXPECT_EQ(representable_below(65536, network::ElementType::kFloat16), 65504);
  EXPECT_EQ(representable_above(1e-9, network::ElementType::kFloat16), 0x1p-24);
  EXPECT_EQ(representable_above(-0.1, network::ElementType::kFloat16), -0x1.998p-4);
}

TEST(Representable, DoublesAreLeftAlone) { EXPECT_EQ(nearest_representable(0.1, network::ElementType::kFloat64), 0.1); }

property::Box random_box(Random& random, std::size_t size) {
  std::uniform_real_distribution<double> place(-1, 1);
  property::Box box;
  for (std::size_t i = 0; i < size; ++i) {
    const double a = place(random), b = place(random);
    box.lower.push_back(std::min(a, b));
    box.upper.push_back(std::max(a, b));
  }
  return box;
}

property::SimpleRegion random_part(Random& random, std::size_t size, int kind) {
  const property::Box box = random_box(random, size);
  if (kind == 0) return box;
  Numbers centre = property::random_point(property::SimpleRegion(box), random);
  if (kind <= 3) {
    const property::Norm norm = kind == 1   ? property::Norm::kLinf
                                : kind == 2 ? property::Norm::kL1
                                            : property::Norm::kL2;
    return property::Ball{norm, std::move(centre), Rational(1, uniform(random, 3, 1000)), box};
  }
  property::Polytope polytope{box, {}};
  for (int k = 0; k < 3; ++k) {
    property::LinearInequality inequality{testing::random_weights(random, static_cast<std::int64_t>(size)), 0};
    for (std::size_t i = 0; i < size; ++i) inequality.bound += inequality.coefficients[i] * centre[i];
    inequality.bound += 0.01;
    polytope.inequalities.push_back(std::move(inequality));
  }
  return polytope;
}

TEST(RepresentablePoints, OfEveryKindOfRegionLieInItExactly) {
  Random random(2);
  for (int round = 0; round < 500; ++round) {
    const int kind = round % 5;
    const std::size_t size = static_cast<std::size_t>(uniform(random, 1, 30));
    const property::SimpleRegion part = random_part(random, size, kind);
    const RepresentablePoints rounding(part, std::vector<network::ElementType>(size, network::ElementType::kFloat32));
    // Points of the region, and points outside that are projected onto its boundary, where rounding matters most.
    Numbers point = property::random_point(part, random);
    if (round % 2 == 0) {
      for (double& x : point) x *= 3;
      point = project(part, point);
    }
    const auto rounded = rounding.nearest(point);
    ASSERT_TRUE(rounded) << "kind " << kind << ", round " << round;
    ASSERT_TRUE(contains(property::Region(part), rounded->point)) << "kind " << kind;
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_TRUE(!rounded->representable || is_float32(rounded->point[i]));
      ASSERT_NEAR(rounded->point[i], point[i], 1e-4) << "kind " << kind << ", round " << round;
    }
  }
}

// If each of many coordinates were rounded towards the centre, the errors would add up to about 2^-19.
TEST(RepresentablePoints, OfABallWithManyCoordinatesLieNearItsSphere) {
  Random random(9);
  constexpr std::size_t kSize = 784;
  std::uniform_real_distribution<double> pixel(0.5, 1);
  for (const property::Norm norm : {property::Norm::kL1, property::Norm::kL2}) {
    for (int round = 0; round < 10; ++round) {
      Numbers centre(kSize), direction(kSize);
      for (double& c : centre) c = static_cast<double>(static_cast<float>(pixel(random)));
      for (double& d : direction) d = pixel(random) - 0.75;
      const property::Ball ball{norm, centre, Rational(1, 4), {Numbers(kSize, 0), Numbers(kSize, 2)}};
      const property::SimpleRegion part(ball);
      const auto rounded =
          RepresentablePoints(part, std::vector<network::ElementType>(kSize, network::ElementType::kFloat32))
              .nearest(minimiser(part, direction));
      ASSERT_TRUE(rounded && contains(property::Region(part), rounded->point));
      double away = 0;
      for (std::size_t i = 0; i < kSize; ++i) {
        const double step = std::abs(rounded->point[i] - centre[i]);
        away += norm == property::Norm::kL1 ? step : step * step;
      }
      if (norm == property::Norm::kL2) away = std::sqrt(away);
      EXPECT_GT(away, 0.25 * (1 - 0x1p-21));
    }
  }
}

TEST(RepresentablePoints, ACoordinateWithoutAnyFloatKeepsItsDouble) {
  const property::SimpleRegion part = property::Box{{0.1, 0}, {0.1, 1}};
  const RepresentablePoints rounding(part, {network::ElementType::kFloat32, network::ElementType::kFloat32});
  const auto rounded = rounding.nearest(Numbers{0.1, 0.1});
  ASSERT_TRUE(rounded);
  EXPECT_FALSE(rounded->representable);
  EXPECT_EQ(rounded->point, (Numbers{0.1, static_cast<double>(0.1F)}));
}

TEST(RepresentablePoints, AnEmptyPolytopeHasNone) {
  const property::SimpleRegion part = property::Polytope{property::Box{{0}, {1}}, {{{1.0}, -1.0}}};
  const RepresentablePoints rounding(part, {network::ElementType::kFloat32});
  EXPECT_FALSE(rounding.nearest(Numbers{0.5}));
}

TEST(RepresentablePoints, ThatAreNotNumbersAreRefused) {
  const property::SimpleRegion part = property::Box{{0}, {1}};
  const RepresentablePoints rounding(part, {network::ElementType::kFloat32});
  EXPECT_FALSE(rounding.nearest(Numbers{std::nan("")}));
}

}  // namespace
}  // namespace plumb::attack
