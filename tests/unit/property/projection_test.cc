// Points for the attack: they lie in the region and near the intended point.
#include <gtest/gtest.h>

#include <cmath>

#include "property/region.h"
#include "support/exact_region.h"

namespace plumb::property {
namespace {

using Numbers = std::vector<double>;
using Random = std::mt19937_64;

double distance(const Numbers& x, const Numbers& y) {
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) squares += (x[i] - y[i]) * (x[i] - y[i]);
  return std::sqrt(squares);
}

Numbers normal_numbers(Random& random, std::size_t n, double scale) {
  std::normal_distribution<double> normal(0, scale);
  Numbers numbers(n);
  for (double& x : numbers) x = normal(random);
  return numbers;
}

SimpleRegion image_like_ball(Random& random, Norm norm, std::size_t n) {
  const Box domain{Numbers(n, 0.0), Numbers(n, 1.0)};
  Numbers centre = random_point(SimpleRegion(domain), random);
  for (double& c : centre) c = random() % 3 == 0 ? 0 : c;
  return Ball{norm, centre, Rational::parse(norm == Norm::kLinf ? "0.1" : "1.5", "epsilon"), domain};
}

TEST(Projection, LandsInsideOfEveryBall) {
  Random random(1);
  for (int trial = 0; trial < 600; ++trial) {
    const SimpleRegion part = image_like_ball(random, static_cast<Norm>(trial % 3), 1 + random() % 100);
    const Region region(part);
    EXPECT_TRUE(contains(region, project(part, normal_numbers(random, region.size(), 0.5))));
    EXPECT_TRUE(contains(region, random_point(part, random)));
  }
}

TEST(Projection, IsTheNearestPoint) {
  // p is the nearest point of a convex region if (y - p).(x - p) <= 0 for every x of it.
  Random random(2);
  for (int trial = 0; trial < 300; ++trial) {
    const SimpleRegion part = image_like_ball(random, static_cast<Norm>(trial % 3), 1 + random() % 20);
    const Numbers y = normal_numbers(random, Region(part).size(), 1);
    const Numbers p = project(part, y);
    Numbers outward(y.size());
    double here = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      outward[i] = p[i] - y[i];
      here += outward[i] * p[i];
    }
    EXPECT_GE(minimum(part, outward), here - 1e-9);
  }
}

TEST(Projection, KeepsWhatIsInside) {
  Random random(3);
  for (int trial = 0; trial < 300; ++trial) {
    const SimpleRegion part = image_like_ball(random, static_cast<Norm>(trial % 3), 1 + random() % 20);
    const Numbers x = random_point(part, random);
    EXPECT_LE(distance(project(part, x), x), 1e-12);
  }
}

TEST(Projection, ReachesABallWhoseCentreLiesOutsideOfTheDomain) {
  for (const Norm norm : {Norm::kL1, Norm::kL2, Norm::kLinf}) {
    const SimpleRegion part = Ball{norm, {-0.25, 0.5}, Rational(1, 2), {{0, 0}, {1, 1}}};
    for (const Numbers& y : {Numbers{3, 3}, Numbers{-3, 0.4}, Numbers{0.1, -5}}) {
      EXPECT_TRUE(contains(Region(part), project(part, y)));
    }
  }
}

TEST(Projection, WithoutRadiusIsTheCentre) {
  for (const Norm norm : {Norm::kL1, Norm::kL2, Norm::kLinf}) {
    const SimpleRegion part = Ball{norm, {0.3, 0.7}, Rational(), {{0, 0}, {1, 1}}};
    EXPECT_EQ(project(part, Numbers{5, -5}), (Numbers{0.3, 0.7}));
    Random random(4);
    EXPECT_EQ(random_point(part, random), (Numbers{0.3, 0.7}));
  }
}

TEST(Projection, FillsTheBallAtRandom) {
  // Some points come close to the sphere, and not all lie on it.
  Random random(5);
  for (const Norm norm : {Norm::kL1, Norm::kL2, Norm::kLinf}) {
    const SimpleRegion part = Ball{norm, {0, 0}, Rational(1), {{-2, -2}, {2, 2}}};
    double nearest = 10, farthest = 0, sum = 0;
    for (int i = 0; i < 2000; ++i) {
      const Numbers x = random_point(part, random);
      nearest = std::min(nearest, distance(x, {0, 0}));
      farthest = std::max(farthest, distance(x, {0, 0}));
      sum += x[0] + x[1];
    }
    EXPECT_LT(nearest, 0.2);
    EXPECT_GT(farthest, 0.9);
    EXPECT_LT(std::abs(sum / 2000), 0.1);
  }
}

TEST(Projection, OntoAPolytopeSatisfiesItsInequalities) {
  Random random(6);
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t n = 2 + random() % 10;
    Polytope polytope{{Numbers(n, -1.0), Numbers(n, 1.0)}, {}};
    for (int k = 0; k < 3; ++k)
      polytope.inequalities.push_back({normal_numbers(random, n, 1), 0.1});  // zero lies inside
    const Region region(polytope);
    EXPECT_TRUE(contains(region, project(region.parts().front(), normal_numbers(random, n, 2))));
    EXPECT_TRUE(contains(region, random_point(region.parts().front(), random)));
  }
}

TEST(Projection, OntoAnAffineImageIsLeastSquares) {
  // The line (t, 2 t) for t in [0, 1]: from (1, 0) the foot is t = 0.2; from (9, 9) it is the end.
  const SimpleRegion line = AffineImage{{0, 0}, {1, 2}, {{0}, {1}}};
  EXPECT_LE(distance(project(line, Numbers{1, 0}), {0.2, 0.4}), 1e-15);
  EXPECT_EQ(project(line, Numbers{9, 9}), (Numbers{1, 2}));
  Random random(7);
  for (int i = 0; i < 100; ++i) {
    const Numbers x = random_point(line, random);
    EXPECT_EQ(x[1], 2 * x[0]);
    EXPECT_TRUE(contains(Region(line), x));
  }
}

}  // namespace
}  // namespace plumb::property
