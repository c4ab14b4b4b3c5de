// Regions that cover others, decided exactly.
#include "audit/region_cover.h"

#include <gtest/gtest.h>

namespace plumb::audit {
namespace {

TEST(AuditCovers, ABoxAroundABallOnlyIfNothingOfItIsOutside) {
  const property::Box domain{{0, 0}, {1, 1}};
  const property::SimpleRegion ball = property::Ball{property::Norm::kLinf, {0.5, 0.05}, Rational(1, 10), domain};
  EXPECT_TRUE(audit::covers(enclosing_box(ball), ball));
  EXPECT_FALSE(audit::covers(property::Box{{0.4, 0}, {0.6, 0.14}}, ball));
  // 0.5 + 0.1 is above the double nearest to 0.6.
  EXPECT_EQ(audit::covers(property::Box{{0.25, 0}, {0.6, 0.25}}, ball), enclosing_box(ball).upper[0] <= 0.6);
  EXPECT_FALSE(audit::covers(property::Box{{0.25, 0.01}, {0.75, 0.25}}, ball));
  EXPECT_FALSE(audit::covers(property::Box{{0, 0}, {1, 1}},
                             property::Ball{property::Norm::kL2, {0.5, 0.5}, Rational(1, 10), domain}));
}

TEST(AuditHalves, MeetAndDifferInOneCoordinateOnly) {
  const property::SimpleRegion whole = property::Box{{0, 0}, {2, 2}};
  EXPECT_TRUE(audit::are_halves(whole, property::Box{{0, 0}, {1, 2}}, property::Box{{1, 0}, {2, 2}}));
  EXPECT_FALSE(audit::are_halves(whole, property::Box{{0, 0}, {0.5, 2}}, property::Box{{1, 0}, {2, 2}}));
  EXPECT_FALSE(audit::are_halves(whole, property::Box{{0, 0}, {1, 1}}, property::Box{{1, 1}, {2, 2}}));
  EXPECT_FALSE(audit::are_halves(whole, property::Box{{0, 0}, {1, 2}}, property::Box{{1, 0}, {1.5, 2}}));
}

}  // namespace
}  // namespace plumb::audit
