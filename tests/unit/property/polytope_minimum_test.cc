// The minimum of a linear functional over affine images and polytopes: never above the true one, and hardly below it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "property/region.h"
#include "support/exact_region.h"
#include "unit/property/minimum_cases.h"

namespace plumb::property {
namespace {

using testing::exact_dot;

TEST(Minimum, OfAnAffineImageIsTightAndNeverTooHigh) {
  Random random(6);
  for (int trial = 0; trial < 1500; ++trial) {
    const std::size_t n = 1 + random() % 6, m = 1 + random() % 4;
    const AffineImage image{hostile_numbers(random, n), hostile_numbers(random, n * m), random_box(random, m)};
    const Numbers a = hostile_numbers(random, n);
    Exact truth;
    for (std::size_t i = 0; i < n; ++i) truth.add(mpq_class(a[i]) * mpq_class(image.offset[i]));
    for (std::size_t j = 0; j < m; ++j) {
      mpq_class slope = 0;
      const mpq_class lower(image.parameters.lower[j]), upper(image.parameters.upper[j]);
      const mpq_class farthest = std::max(mpq_class(abs(lower)), mpq_class(abs(upper)));
      for (std::size_t i = 0; i < n; ++i) {
        slope += mpq_class(a[i]) * mpq_class(image.generator[i * m + j]);
        truth.magnitude += abs(mpq_class(a[i]) * mpq_class(image.generator[i * m + j])) * farthest;
      }
      truth.value += std::min(mpq_class(slope * lower), mpq_class(slope * upper));
      // A slope below the smallest double is known to within n of them only.
      truth.magnitude += farthest * mpq_class(0x1p-1020);
    }
    expect_tight(minimum(Region(image), a), truth.value, truth.magnitude);
  }
}

// An image in which every input is a parameter is the polytope itself; scaled inputs scale the functional.
TEST(Minimum, OfAnImageOfAPolytopeIsThatOfThePolytope) {
  Random random(7);
  for (int trial = 0; trial < 1000; ++trial) {
    const std::size_t n = 1 + random() % 4;
    AffineImage image{Numbers(n, 0.0), Numbers(n * n, 0.0), random_box(random, n), {{hostile_numbers(random, n), 1}}};
    for (std::size_t i = 0; i < n; ++i) image.generator[i * n + i] = 0.5;
    const Numbers a = hostile_numbers(random, n);
    Numbers halves = a;
    for (double& h : halves) h /= 2;
    const double of_image = minimum(Region(image), a);
    const double of_polytope = minimum(Region(Polytope{image.parameters, image.inequalities}), halves);
    double magnitude = 1e-300;
    for (std::size_t i = 0; i < n; ++i) {
      magnitude += std::abs(a[i]) * std::max(std::abs(image.parameters.lower[i]), std::abs(image.parameters.upper[i]));
    }
    if (of_polytope == kInfinity) {
      ASSERT_EQ(of_image, kInfinity);
    } else {
      ASSERT_LE(of_image, of_polytope + 1e-14 * magnitude) << "trial " << trial;
      ASSERT_GE(of_image, of_polytope - 1e-14 * magnitude) << "trial " << trial;
    }
  }
}

// Any point of the simplex gives no less, and some corner gives hardly more.
TEST(Minimum, OverASimplexOfWeightsIsThatOfItsCorners) {
  Random random(8);
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t n = 1 + random() % 5, m = 1 + random() % 6;
    const AffineImage image{hostile_numbers(random, n),
                            hostile_numbers(random, n * m),
                            {Numbers(m, 0.0), Numbers(m, 1.0)},
                            {{Numbers(m, 1.0), 1}}};
    const Numbers a = hostile_numbers(random, n);
    mpq_class at_zero = exact_dot(a, image.offset), least = at_zero, magnitude = 0;
    for (std::size_t i = 0; i < n; ++i) magnitude += abs(mpq_class(a[i]) * mpq_class(image.offset[i]));
    for (std::size_t j = 0; j < m; ++j) {
      mpq_class corner = at_zero;
      for (std::size_t i = 0; i < n; ++i) {
        const mpq_class term = mpq_class(a[i]) * mpq_class(image.generator[i * m + j]);
        corner += term;
        magnitude += abs(term);
      }
      least = std::min(least, corner);
    }
    magnitude += mpq_class(0x1p-1000);
    expect_tight(minimum(Region(image), a), least, magnitude);
  }
}

TEST(Minimum, OfAPolytopeUsesAnInequality) {
  // x + y >= 1 in the unit square: the least of 2 x + y is 1, at (0, 1); of x + y it is 1 as well.
  const Region region(Polytope{{{0, 0}, {1, 1}}, {{{-1, -1}, -1}}});
  EXPECT_NEAR(minimum(region, Numbers{2, 1}), 1, 1e-14);
  EXPECT_NEAR(minimum(region, Numbers{1, 1}), 1, 1e-14);
  EXPECT_NEAR(minimum(region, Numbers{-1, -1}), -2, 1e-14);
}

// The least value over the corners of the box inside of one half-space, and the points where its boundary cuts an edge.
Exact exact_minimum(const Box& box, const LinearInequality& inequality, const Numbers& a) {
  const std::size_t n = a.size();
  Exact best;
  bool any = false;
  const auto consider = [&](const std::vector<mpq_class>& x) {
    mpq_class g_x = 0, a_x = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (x[i] < mpq_class(box.lower[i]) || x[i] > mpq_class(box.upper[i])) return;
      g_x += mpq_class(inequality.coefficients[i]) * x[i];
      a_x += mpq_class(a[i]) * x[i];
    }
    if (g_x > mpq_class(inequality.bound)) return;
    if (!any || a_x < best.value) best.value = a_x;
    any = true;
  };
  for (unsigned corner = 0; corner < (1U << n); ++corner) {
    std::vector<mpq_class> x(n);
    mpq_class g_x = 0;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = mpq_class((corner >> i & 1U) != 0 ? box.upper[i] : box.lower[i]);
      g_x += mpq_class(inequality.coefficients[i]) * x[i];
    }
    consider(x);
    for (std::size_t i = 0; i < n; ++i) {
      if (inequality.coefficients[i] == 0) continue;
      std::vector<mpq_class> y = x;
      y[i] += (mpq_class(inequality.bound) - g_x) / mpq_class(inequality.coefficients[i]);
      consider(y);
    }
  }
  EXPECT_TRUE(any);
  for (std::size_t i = 0; i < n; ++i) {
    const mpq_class lower(box.lower[i]), upper(box.upper[i]);
    best.magnitude += abs(mpq_class(a[i])) * std::max(mpq_class(abs(lower)), mpq_class(abs(upper)));
  }
  return best;
}

TEST(Minimum, OfAPolytopeWithOneInequalityIsTightAndNeverTooHigh) {
  Random random(8);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int trial = 0; trial < 1000; ++trial) {
    const std::size_t n = 1 + random() % 4;
    const double width = trial % 2 == 0 ? 1e8 : 1;
    const Box box{Numbers(n, -width), Numbers(n, width)};
    LinearInequality inequality{Numbers(n), unit(random)};
    Numbers a(n);
    const double multiplier = unit(random) + 1;
    for (std::size_t i = 0; i < n; ++i) {
      inequality.coefficients[i] = unit(random);
      // Half of the functionals are a multiple of the inequality up to rounding: their coefficients cancel.
      a[i] = trial % 4 < 2 ? -multiplier * inequality.coefficients[i] : unit(random);
    }
    // Zero is inside or near: the half-space meets the box.
    if (minimum(Region(box), inequality.coefficients) > inequality.bound) continue;
    const Exact truth = exact_minimum(box, inequality, a);
    // With a multiplier of many times a, that much more is added up.
    double most = 1;
    for (std::size_t i = 0; i < n; ++i) most = std::max(most, std::abs(a[i] / inequality.coefficients[i]));
    expect_tight(minimum(Region(Polytope{box, {inequality}}), a), truth.value,
                 truth.magnitude + mpq_class(most * static_cast<double>(n) * (width + 1)));
  }
}

TEST(Minimum, OfAPolytopeIsNeverAboveItsPoints) {
  Random random(7);
  int points = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const std::size_t n = 1 + random() % 5;
    Polytope polytope{random_box(random, n), {}};
    for (std::size_t k = 0; k < 1 + random() % 3; ++k) {
      // Inequalities that hold at one point of the box with nothing to spare.
      const Numbers g = hostile_numbers(random, n), x = random_point(SimpleRegion(polytope.box), random);
      polytope.inequalities.push_back({g, exact_dot(g, x).get_d()});
    }
    const Region region(polytope);
    const Numbers a = hostile_numbers(random, n);
    const double bound = minimum(region, a);
    EXPECT_GE(bound, minimum(Region(polytope.box), a));
    for (int i = 0; i < 5; ++i) {
      const Numbers x = random_point(region.parts().front(), random);
      if (!contains(region, x)) continue;
      ++points;
      ASSERT_LT(bound, kInfinity);
      EXPECT_LE(mpq_class(bound), exact_dot(a, x));
    }
  }
  EXPECT_GT(points, 4000);
}

TEST(Minimum, OfWhatIsCertainlyEmptyIsInfinite) {
  EXPECT_EQ(minimum(Region(Polytope{{{0, 0}, {1, 1}}, {{{1, 1}, -0.5}}}), Numbers{1, 1}), kInfinity);
  // Touching at one corner is not empty.
  EXPECT_LE(minimum(Region(Polytope{{{0, 0}, {1, 1}}, {{{1, 1}, 0}}}), Numbers{1, 1}), 0);
}

}  // namespace
}  // namespace plumb::property
