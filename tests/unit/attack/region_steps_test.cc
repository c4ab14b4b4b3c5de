#include "attack/region_steps.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_query.h"

namespace plumb::attack {
namespace {

using testing::Random;
using testing::RegionKind;
using testing::uniform;
using Numbers = std::vector<double>;

double dot(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

TEST(RegionSteps, StartInTheRegion) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    const property::SimpleRegion part =
        testing::random_part(random, 3, static_cast<RegionKind>(uniform(random, 0, testing::kRegionKinds - 1)));
    const RegionSteps steps(part);
    for (const Numbers& start : {steps.middle(), steps.random(random)}) {
      const Numbers inputs = steps.inputs_of(start);
      if (const auto* image = std::get_if<property::AffineImage>(&part)) {
        ASSERT_TRUE(contains(property::Region(image->parameters), start)) << "round " << round;
        ASSERT_EQ(inputs, image_of(*image, start));
        continue;
      }
      const Numbers nearest = project(part, inputs);
      for (std::size_t i = 0; i < 3; ++i) ASSERT_NEAR(inputs[i], nearest[i], 1e-6) << "round " << round;
    }
  }
}

// Many shrinking steps along a fixed gradient converge to the best point of the region: the value of the dual norm.
TEST(RegionSteps, ReachTheMaximumOfALinearFunction) {
  Random random(2);
  for (int round = 0; round < 300; ++round) {
    const auto kind = static_cast<RegionKind>(round % testing::kRegionKinds);
    const property::SimpleRegion part = testing::random_part(random, 3, kind);
    const RegionSteps steps(part);
    Numbers gradient = testing::random_weights(random, 3), opposite;
    for (const double g : gradient) opposite.push_back(-g);
    Numbers variables = steps.middle();
    for (int step = 0; step < 300; ++step) variables = steps.step(variables, gradient, 0.3 * (1 - step / 300.0));
    const double most = -minimum(part, opposite), reached = dot(gradient, steps.inputs_of(variables));
    ASSERT_LE(reached, most + 1e-6) << "round " << round;
    // The bound over a polytope uses one inequality at a time, so that it need not be attained.
    const auto* image = std::get_if<property::AffineImage>(&part);
    if (kind != RegionKind::kPolytope && (image == nullptr || image->inequalities.empty())) {
      ASSERT_NEAR(reached, most, 0.02) << "round " << round;
    }
  }
}

TEST(RegionSteps, RandomStepsStayInside) {
  Random random(3);
  const property::SimpleRegion part =
      property::Ball{property::Norm::kL1, {0.5, 0.5}, Rational(1, 10), property::Box{{0, 0}, {1, 1}}};
  const RegionSteps steps(part);
  Numbers x = steps.middle();
  int moved = 0;
  for (int step = 0; step < 100; ++step) {
    const Numbers next = steps.random_step(x, 1, random);
    ASSERT_TRUE(contains(property::Region(part), next));
    moved += next != x;
    x = next;
  }
  EXPECT_GT(moved, 50);
}

}  // namespace
}  // namespace plumb::attack
