// The minimum of a linear functional over boxes and unions: never above the true one, and hardly below it.
#include <gtest/gtest.h>

#include "base/numbers.h"
#include "property/region.h"
#include "unit/property/minimum_cases.h"

namespace plumb::property {
namespace {

TEST(Minimum, OfABoxIsTightAndNeverTooHigh) {
  Random random(1);
  for (int trial = 0; trial < 3000; ++trial) {
    const std::size_t n = 1 + random() % 40;
    const Box box = random_box(random, n);
    const Numbers a = hostile_numbers(random, n);
    const Exact truth = exact_minimum(box, a);
    expect_tight(minimum(Region(box), a), truth.value, truth.magnitude);
  }
}

TEST(Minimum, OfABoxHoldsWherePlainSummationIsWrong) {
  // The exact sum is -1; each of the small terms is lost beside 2^53 when summed from the left.
  Box box{{0x1p53}, {0x1p53}};
  Numbers a{1};
  for (int i = 0; i < 1000; ++i) {
    box.lower.push_back(-1);
    box.upper.push_back(-1);
    a.push_back(0.5);
  }
  box.lower.push_back(-0x1p53);
  box.upper.push_back(-0x1p53);
  a.push_back(1);
  double plain = 0;
  for (std::size_t i = 0; i < a.size(); ++i) plain += a[i] * box.lower[i];
  ASSERT_GT(plain, -500);  // so the test has teeth
  EXPECT_LE(minimum(Region(box), a), -500);
}

TEST(Minimum, CountsEveryProductThatUnderflows) {
  // Each product is a little less than half of the smallest double and vanishes; together they are 450 of them.
  const std::size_t n = 1000;
  const Box box{Numbers(n, -0.9 * 0x1p-538), Numbers(n, 1.0)};
  const Numbers a(n, 0x1p-537);
  ASSERT_EQ(a[0] * box.lower[0], 0);  // so the test has teeth
  const double bound = minimum(Region(box), a);
  EXPECT_LE(mpq_class(bound), exact_minimum(box, a).value);
  EXPECT_GT(bound, -0x1p-1060);
}

TEST(Minimum, OfNumbersTooLargeIsMinusInfinity) {
  const Box box{{-1e300, 0}, {1e300, 1}};
  EXPECT_EQ(minimum(Region(box), Numbers{1e300, 1}), -kInfinity);
  EXPECT_EQ(minimum(Region(box), Numbers{0, 0}), 0);
}

TEST(Minimum, OfAUnionIsTheLeastOfItsParts) {
  const Region region(std::vector<SimpleRegion>{Box{{0}, {1}}, Box{{-3}, {-2}}});
  EXPECT_NEAR(minimum(region, Numbers{1}), -3, 1e-15 * 4);
  EXPECT_NEAR(minimum(region, Numbers{-1}), -1, 1e-15);
}

}  // namespace
}  // namespace plumb::property
