#include "milp/encoding/maximum.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/random_network.h"
#include "unit/milp/satisfied.h"

namespace plumb::milp {
namespace {

using testing::coefficient;
using testing::satisfied;
using testing::uniform;
using Numbers = std::vector<double>;

struct OneMaximum {
  OneMaximum(const Numbers& lower, const Numbers& upper) {
    for (std::size_t i = 0; i < lower.size(); ++i) {
      members.push_back({expression_of(program.add_variable(lower[i], upper[i])), lower[i], upper[i]});
    }
    maximum = add_maximum(program, members, "y");
  }
  // The variables are the members, y and the indicators, in this order.
  bool allows(const Numbers& x, double y, std::size_t winner) const {
    Numbers point = x;
    point.push_back(y);
    for (std::size_t i = 0; i < x.size(); ++i) point.push_back(i == winner ? 1 : 0);
    return satisfied(program, point);
  }

  program::Program program;
  std::vector<Member> members;
  MaximumVariables maximum;
};

TEST(Maximum, TruePointsSatisfyTheRowsWithAWinnersIndicatorAndOthersDoNot) {
  testing::Random random(3);
  for (int round = 0; round < 300; ++round) {
    Numbers lower, upper, x;
    for (std::int64_t i = uniform(random, 2, 4); i > 0; --i) {
      lower.push_back(-static_cast<double>(uniform(random, 1, 8)) / 4);
      upper.push_back(static_cast<double>(uniform(random, 1, 8)) / 4);
      x.push_back(lower.back() + (upper.back() - lower.back()) * static_cast<double>(uniform(random, 0, 4)) / 4);
    }
    const OneMaximum unit(lower, upper);
    const double y = *std::ranges::max_element(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(unit.allows(x, y, i), x[i] == y);
      EXPECT_FALSE(unit.allows(x, y + 0.125, i));
      EXPECT_FALSE(unit.allows(x, y - 0.125, i));
    }
  }
}

// y <= x_i + (1 - a_i)(u_max,-i - l_i), where u_max,-i is the largest upper bound of the other members, without i.
TEST(Maximum, ALoserMayBeBelowByTheLargestOther) {
  const OneMaximum unit({-1, 0, -2}, {5, 2, 3});
  const auto big_m = [&](std::int32_t i) {
    return coefficient(unit.program, program::RowId{2 * i}, unit.maximum.indicators[static_cast<std::size_t>(i)]);
  };
  EXPECT_EQ(big_m(0), 3 - -1);
  EXPECT_EQ(big_m(1), 5 - 0);
  EXPECT_EQ(big_m(2), 5 - -2);
}

}  // namespace
}  // namespace plumb::milp
