// The nearest point of a polyhedron within a box, against projections in rational arithmetic.
#include "search/leaf/nearest_point.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/exact_polytope.h"
#include "support/random_network.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using testing::ExactAffine;
using testing::Random;
using testing::uniform;

struct Polyhedron {
  Polyhedron(Random& random, std::size_t size, std::size_t count)
      : centre(size), box{std::vector<double>(size, -1), std::vector<double>(size, 1)} {
    // Multiples of 1/8, so that points tie and rows repeat.
    const auto eighths = [&](std::int64_t most) { return static_cast<double>(uniform(random, -most, most)) / 8; };
    for (double& c : centre) c = eighths(8);
    for (std::size_t i = 0; i < count; ++i) {
      search::AffineRow& row = rows.emplace_back();
      for (std::size_t j = 0; j < size; ++j) row.slope.push_back(eighths(12));
      row.constant = eighths(10);
    }
  }

  std::optional<testing::ExactNearest> exact_nearest() const {
    std::vector<ExactAffine> constraints;
    for (std::size_t j = 0; j < centre.size(); ++j) {
      const ExactAffine x = ExactAffine::variable(j);
      constraints.push_back(ExactAffine({}, box.lower[j]) - x);
      constraints.push_back(x - ExactAffine({}, box.upper[j]));
    }
    for (const search::AffineRow& row : rows) {
      constraints.emplace_back(std::vector<mpq_class>(row.slope.begin(), row.slope.end()), row.constant);
    }
    return testing::nearest_point({centre.begin(), centre.end()}, constraints);
  }

  std::vector<double> centre;
  property::Box box;
  std::vector<search::AffineRow> rows;
};

TEST(NearestPoint, IsThatOfRationalArithmetic) {
  Random random(73);
  int away = 0, none = 0;
  for (int round = 0; round < testing::rounds(); ++round) {
    SCOPED_TRACE(round);
    const Polyhedron polyhedron(random, static_cast<std::size_t>(uniform(random, 1, 4)),
                                static_cast<std::size_t>(uniform(random, 0, 5)));
    const auto exact = polyhedron.exact_nearest();
    // Larger than any distance in the box.
    constexpr double kEnough = 100;
    const search::NearestPoint found = nearest_point(polyhedron.centre, polyhedron.box, polyhedron.rows,
                                                     std::vector<double>(polyhedron.rows.size(), 0.5), kEnough);
    if (!exact) {
      EXPECT_GT(found.dual, kEnough);
      ++none;
      continue;
    }
    EXPECT_NEAR(found.dual, exact->squared_distance.get_d() / 2, 1e-9);
    for (std::size_t j = 0; j < found.point.size(); ++j) EXPECT_NEAR(found.point[j], exact->point[j].get_d(), 1e-6);
    for (const search::AffineRow& row : polyhedron.rows) EXPECT_LE(row.at(found.point), 1e-9);
    away += exact->squared_distance > 0 ? 1 : 0;
  }
  EXPECT_GT(away, testing::often(testing::rounds() / 4));
  EXPECT_GT(none, testing::often(testing::rounds() / 10));
}

}  // namespace
}  // namespace plumb
