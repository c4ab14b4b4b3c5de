#include "support/exact_polytope.h"

#include <gtest/gtest.h>

#include "support/random_network.h"
#include "support/rounds.h"

namespace plumb::testing {
namespace {

using Point = std::vector<mpq_class>;

ExactAffine affine(std::vector<int> coefficients, int constant) {
  return {Point(coefficients.begin(), coefficients.end()), mpq_class(constant)};
}

TEST(ExactPolytope, MinimisesOverATriangle) {
  ExactPolytope triangle({0, 0}, {10, 10});
  ASSERT_TRUE(triangle.restrict_to(affine({1, 2}, -4)));  // x + 2 y <= 4
  ASSERT_TRUE(triangle.restrict_to(affine({3, 1}, -6)));  // 3 x + y <= 6
  EXPECT_EQ(triangle.minimize(affine({-1, -1}, 0)), mpq_class(-14, 5));
  EXPECT_EQ(triangle.point(), (Point{mpq_class(8, 5), mpq_class(6, 5)}));
}

TEST(ExactPolytope, AConstraintThatCannotBeMetIsRefused) {
  ExactPolytope box({-1, -1}, {1, 1});
  EXPECT_TRUE(box.restrict_to(affine({1, 1}, 2)));  // x + y <= -2: the corner alone
  EXPECT_EQ(box.point(), (Point{-1, -1}));
  EXPECT_FALSE(box.restrict_to(affine({-1, 0}, 0)));
  EXPECT_TRUE(box.restrict_to(affine({0, 0}, 0)));
  EXPECT_FALSE(box.restrict_to(affine({0, 0}, 1)));
  EXPECT_EQ(box.minimize(affine({-1, 0}, 0)), 1);
}

TEST(ExactPolytope, ABoxWithoutWidthIsAPoint) {
  ExactPolytope point({3}, {3});
  EXPECT_EQ(point.minimize(affine({2}, 1)), 7);
  EXPECT_EQ(point.minimize(affine({-2}, 1)), -5);
}

// A random polytope in `n` dimensions that contains a known point.
ExactPolytope random_polytope(Random& random, std::size_t n) {
  Point lower, upper, inside;
  for (std::size_t i = 0; i < n; ++i) {
    lower.emplace_back(uniform(random, -4, 0));
    upper.emplace_back(lower.back() + uniform(random, 0, 5));
    inside.push_back(lower.back() + (upper.back() - lower.back()) / uniform(random, 1, 3));
  }
  ExactPolytope polytope(lower, upper);
  for (int k = 0; k < 4; ++k) {
    ExactAffine f;
    for (std::size_t i = 0; i < n; ++i) f.coefficients.emplace_back(uniform(random, -3, 3));
    f.constant = -f.at(inside) - (uniform(random, 0, 2) == 0 ? 0 : 1);
    EXPECT_TRUE(polytope.restrict_to(f));
  }
  return polytope;
}

// The solution of f_k(x) = 0 for all k, if there is exactly one.
std::optional<Point> common_zero(std::vector<ExactAffine> rows, std::size_t n) {
  for (ExactAffine& row : rows) row.coefficients.resize(n, 0);
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t r = column;
    while (r < n && rows[r].coefficients[column] == 0) ++r;
    if (r == n) return std::nullopt;
    std::swap(rows[column], rows[r]);
    rows[column] = mpq_class(1 / rows[column].coefficients[column]) * rows[column];
    for (std::size_t other = 0; other < n; ++other) {
      if (other != column) rows[other] = rows[other] - rows[other].coefficients[column] * rows[column];
    }
  }
  Point x;
  for (const ExactAffine& row : rows) x.push_back(-row.constant);
  return x;
}

// All vertices: points at which n constraints are tight and none is violated.
std::vector<Point> vertices(const std::vector<ExactAffine>& constraints, std::size_t n) {
  std::vector<Point> result;
  std::vector<bool> chosen(constraints.size(), false);
  std::fill(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(n), true);
  do {
    std::vector<ExactAffine> tight;
    for (std::size_t k = 0; k < constraints.size(); ++k) {
      if (chosen[k]) tight.push_back(constraints[k]);
    }
    const auto x = common_zero(tight, n);
    if (x && std::all_of(constraints.begin(), constraints.end(), [&](const auto& f) { return f.at(*x) <= 0; })) {
      result.push_back(*x);
    }
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return result;
}

TEST(ExactPolytope, LeastValueIsThatOfTheBestVertex) {
  Random random(1);
  for (int round = 0; round < rounds(); ++round) {
    const auto n = static_cast<std::size_t>(uniform(random, 1, 3));
    ExactPolytope polytope = random_polytope(random, n);
    ExactAffine f;
    for (std::size_t i = 0; i < n; ++i) f.coefficients.emplace_back(uniform(random, -3, 3));
    std::optional<mpq_class> least;
    for (const Point& vertex : vertices(polytope.constraints(), n)) {
      if (!least || f.at(vertex) < *least) least = f.at(vertex);
    }
    ASSERT_TRUE(least);
    ASSERT_EQ(polytope.minimize(f), *least) << "round " << round;
    ASSERT_EQ(f.at(polytope.point()), *least) << "round " << round;
  }
}

// p is the nearest point to c if and only if no point v of the polytope has (v - p) . (c - p) > 0. It suffices to check
// the vertices.
TEST(ExactPolytope, NearestPointSatisfiesTheVariationalInequality) {
  Random random(2);
  for (int round = 0; round < rounds(); ++round) {
    const auto n = static_cast<std::size_t>(uniform(random, 1, 3));
    const ExactPolytope polytope = random_polytope(random, n);
    Point centre;
    for (std::size_t i = 0; i < n; ++i) centre.emplace_back(uniform(random, -9, 9));
    const auto nearest = nearest_point(centre, polytope.constraints());
    ASSERT_TRUE(nearest) << "round " << round;
    mpq_class squared = 0;
    for (std::size_t i = 0; i < n; ++i) squared += (nearest->point[i] - centre[i]) * (nearest->point[i] - centre[i]);
    ASSERT_EQ(squared, nearest->squared_distance);
    for (const ExactAffine& f : polytope.constraints()) ASSERT_LE(f.at(nearest->point), 0) << "round " << round;
    for (const Point& v : vertices(polytope.constraints(), n)) {
      mpq_class product = 0;
      for (std::size_t i = 0; i < n; ++i) product += (v[i] - nearest->point[i]) * (centre[i] - nearest->point[i]);
      ASSERT_LE(product, 0) << "round " << round;
    }
  }
}

TEST(ExactPolytope, NothingIsNearestInNothing) {
  EXPECT_FALSE(nearest_point({0}, {affine({1}, 1), affine({-1}, 0)}));  // x <= -1 and x >= 0
}

}  // namespace
}  // namespace plumb::testing
