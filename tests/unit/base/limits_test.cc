#include "base/limits.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(Budget, LeavesOutSecondsThatDoNotCount) {
  double elsewhere = 0;
  const Budget budget({.seconds = 0, .not_counted = &elsewhere});
  EXPECT_EQ(budget.reached(), LimitReached::kTime);
  elsewhere = 1e9;  // the whole limit, and more than the test uses
  EXPECT_EQ(budget.reached(), LimitReached::kNone);
  EXPECT_GT(budget.seconds_left(), 0);
}

}  // namespace
}  // namespace plumb
