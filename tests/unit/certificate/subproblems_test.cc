#include "certificate/subproblems.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace plumb::certificate {
namespace {

using Decisions = Subproblems::Decisions;

TEST(Subproblems, AreNumberedInTheOrderOfTheirSplits) {
  Subproblems open(2);
  EXPECT_EQ(open.number(0, {}), 0);
  EXPECT_EQ(open.number(1, {}), 1);
  EXPECT_EQ(open.split(1, {}, 7), 2);
  EXPECT_EQ(open.number(1, {{7, false}}), 2);
  EXPECT_EQ(open.number(1, {{7, true}}), 3);
  EXPECT_EQ(open.split(0, {}, 7), 4);
  EXPECT_EQ(open.split(1, {{7, true}}, 3), 6);
  EXPECT_EQ(open.number(1, {{7, true}, {3, false}}), 6);
  EXPECT_EQ(open.number(1, {{3, true}, {7, true}}), 7) << "the order of the decisions does not matter";
}

TEST(Subproblems, ExistWhileTheyAreOpen) {
  Subproblems open(1);
  open.split(0, {}, 7);
  EXPECT_THROW(open.number(0, {}), InternalError);
  EXPECT_THROW(open.split(0, {}, 8), InternalError);
  open.close(0, {{7, true}});
  EXPECT_THROW(open.close(0, {{7, true}}), InternalError);
  EXPECT_FALSE(open.all_closed(0));
  open.close(0, {{7, false}});
  EXPECT_TRUE(open.all_closed(0));
}

TEST(Subproblems, InheritWhatRangesDecide) {
  Subproblems open(1);
  const Decisions low{{7, false}}, high{{7, true}};
  open.add_in_range(0, {}, {{1, Subproblems::Side::kActive}});
  open.split(0, {}, 7);
  open.add_in_range(0, low, {{2, Subproblems::Side::kInactive}});
  EXPECT_EQ(open.in_range(0, low).size(), 2U);
  ASSERT_EQ(open.in_range(0, high).size(), 1U);
  EXPECT_EQ(open.in_range(0, high)[0].unit, 1);
  open.forget_ranges(0, low);
  EXPECT_TRUE(open.in_range(0, low).empty());
}

}  // namespace
}  // namespace plumb::certificate
