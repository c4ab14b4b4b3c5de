#include "milp/encoding/relu.h"

#include <gtest/gtest.h>

#include "support/random_network.h"
#include "unit/milp/satisfied.h"

namespace plumb::milp {
namespace {

using testing::coefficient;
using testing::satisfied;
using testing::uniform;

struct OneRelu {
  OneRelu(double lower, double upper, BigM form) {
    x = program.add_variable(lower, upper);
    relu = add_relu(program, expression_of(x), lower, upper, form, "y");
  }
  // The variables are x, y and a, in this order.
  bool allows(double argument, double value, double indicator) const {
    return satisfied(program, std::vector<double>{argument, value, indicator});
  }

  program::Program program;
  program::VariableId x;
  ReluVariables relu;
};

TEST(Relu, TruePointsSatisfyTheRowsWithTheirIndicatorAndOthersDoNot) {
  testing::Random random(1);
  for (int round = 0; round < 300; ++round) {
    const double lower = -static_cast<double>(uniform(random, 1, 80)) / 8;
    const double upper = static_cast<double>(uniform(random, 1, 80)) / 8;
    for (const BigM form : {BigM::kAsymmetric, BigM::kSymmetric}) {
      const OneRelu unit(lower, upper, form);
      const double x = lower + (upper - lower) * static_cast<double>(uniform(random, 0, 16)) / 16;
      const double y = std::max(x, 0.0);
      EXPECT_EQ(unit.allows(x, y, 1), x >= 0) << lower << " " << x << " " << upper;
      EXPECT_EQ(unit.allows(x, y, 0), x <= 0) << lower << " " << x << " " << upper;
      // For either value of the indicator, only max(x, 0) is allowed.
      for (const double wrong : {y - 0.125, y + 0.125, -x, x}) {
        if (wrong == y) continue;
        EXPECT_FALSE(unit.allows(x, wrong, 0) || unit.allows(x, wrong, 1)) << x << " " << wrong;
      }
    }
  }
}

// y <= u a and y <= x - l (1 - a): together they relax to the triangle over [l, u].
TEST(Relu, TheRelaxationIsTheTriangle) {
  const OneRelu unit(-1, 3, BigM::kAsymmetric);
  const program::Program relaxed = unit.program.relaxation();
  const auto allowed = [&](double x, double y) {
    for (int k = 0; k <= 64; ++k) {
      if (satisfied(relaxed, std::vector<double>{x, y, k / 64.0})) return true;
    }
    return false;
  };
  EXPECT_TRUE(allowed(1, 1.5));  // on the line from (-1, 0) to (3, 3)
  EXPECT_FALSE(allowed(1, 1.5625));
  EXPECT_FALSE(allowed(1, 0.9375));
}

TEST(Relu, SymmetricBoundsAreTheLargerMagnitude) {
  const OneRelu asymmetric(-1, 3, BigM::kAsymmetric), symmetric(-1, 3, BigM::kSymmetric);
  const program::RowId active_row{0}, value_row{2};
  EXPECT_EQ(coefficient(asymmetric.program, active_row, asymmetric.relu.indicator), 1);
  EXPECT_EQ(coefficient(symmetric.program, active_row, symmetric.relu.indicator), 3);
  const OneRelu below(-3, 1, BigM::kSymmetric);
  EXPECT_EQ(coefficient(below.program, value_row, below.relu.indicator), -3);
  EXPECT_EQ(below.program.upper(below.relu.value), 3);
}

// A solver would treat a bound of 1e-17 as zero.
TEST(Relu, BoundsNearZeroAreWidened) {
  const OneRelu unit(-1e-17, 1e-17, BigM::kAsymmetric);
  EXPECT_EQ(coefficient(unit.program, program::RowId{2}, unit.relu.indicator), -kLeastBigM);
}

}  // namespace
}  // namespace plumb::milp
