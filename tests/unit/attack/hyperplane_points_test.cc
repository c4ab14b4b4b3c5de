#include "attack/hyperplane_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <gmpxx.h>

#include <random>

namespace plumb::attack {
namespace {

mpq_class value(const property::LinearInequality& plane, const std::vector<double>& point) {
  mpq_class sum(0);
  for (std::size_t i = 0; i < point.size(); ++i) sum += mpq_class(plane.coefficients[i]) * mpq_class(point[i]);
  return sum;
}

TEST(HyperplanePoints, AreOnThePlaneExactly) {
  std::mt19937_64 random(3);
  const auto integer = [&](int most) {
    return static_cast<double>(std::uniform_int_distribution<int>(-most, most)(random));
  };
  int found = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::size_t n = 2 + random() % 3;
    property::LinearInequality plane{{}, std::ldexp(integer(1000), -static_cast<int>(random() % 6))};
    property::Box box;
    std::vector<double> near;
    for (std::size_t i = 0; i < n; ++i) {
      plane.coefficients.push_back(integer(50) * std::ldexp(1.0, static_cast<int>(random() % 4)));
      near.push_back(std::ldexp(integer(1 << 20), -20));
      box.lower.push_back(-1000);
      box.upper.push_back(1000);
    }
    const auto point = point_on_hyperplane(plane, box, near, -24);
    if (!point) continue;
    ++found;
    ASSERT_EQ(value(plane, *point), mpq_class(plane.bound)) << "round " << round;
  }
  EXPECT_GT(found, 1500);
}

TEST(HyperplanePoints, AreNearWhereThatIsPossible) {
  // x = 0.3 y, in the form that a property gives.
  const property::LinearInequality plane{{10, -3}, 0};
  const auto point = point_on_hyperplane(plane, property::Box{{-1, 0.7}, {1, 1}}, std::vector{0.24, 0.8}, -24);
  ASSERT_TRUE(point);
  EXPECT_EQ(value(plane, *point), 0);
  EXPECT_NEAR((*point)[0], 0.24, 1e-6);
  EXPECT_NEAR((*point)[1], 0.8, 1e-6);
}

TEST(HyperplanePoints, AreNotFoundWhereThereAreNone) {
  EXPECT_FALSE(
      point_on_hyperplane({{3, 0}, 1}, property::Box{{-1, -1}, {1, 1}}, std::vector{0.3, 0.0}, -24));  // x = 1/3
  EXPECT_FALSE(point_on_hyperplane({{6, 3}, 1}, property::Box{{-1, -1}, {1, 1}}, std::vector{0.3, 0.0}, -24));
}

}  // namespace
}  // namespace plumb::attack
