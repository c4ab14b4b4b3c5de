#include "assembly/empty_region.h"

#include <gtest/gtest.h>

#include <atomic>

#include "support/random_network.h"

namespace plumb::assembly {
namespace {

// x + y <= 0.2 and x + y >= 0.5 contradict each other, but neither excludes the whole box. Only a linear program shows
// that the polytope is empty.
property::Region empty_polytope() {
  return property::Region(property::Polytope{property::Box{{0, 0}, {1, 1}}, {{{1, 1}, 0.2}, {{-1, -1}, -0.5}}});
}

TEST(EmptyRegion, IsProvenByALinearProgram) {
  EXPECT_TRUE(is_certainly_empty(empty_polytope()));
  EXPECT_FALSE(is_certainly_empty(
      property::Region(property::Polytope{property::Box{{0, 0}, {1, 1}}, {{{1, 1}, 0.5}, {{-1, -1}, -0.2}}})));
}

TEST(EmptyRegion, IsNotSoughtBeyondTheLimits) {
  const std::atomic<bool> cancelled = true;
  EXPECT_FALSE(is_certainly_empty(empty_polytope(), {.cancel = &cancelled}));
  EXPECT_FALSE(is_certainly_empty(empty_polytope(), {.seconds = 0}));
}

TEST(EmptyRegion, LeavesTheEngineTheTimeThatIsLeft) {
  testing::Random random(3);
  const property::Query query(network::shared(testing::random_chain(random, {2, 2, 2})),
                              property::Region(property::Box{{0, 0}, {1, 1}}), property::misclassified(0, 2));
  double given = kInfinity;
  const verdict::Decide decide = aware_of_emptiness(
      [&](const property::Query&, const Limits& limits) {
        given = limits.seconds;
        return verdict::Verdict();
      },
      false);
  decide(query, {.seconds = 100});
  EXPECT_LT(given, 100);
  EXPECT_GT(given, 50);
}

}  // namespace
}  // namespace plumb::assembly
