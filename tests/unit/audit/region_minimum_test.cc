// The audit's own minima: at most the value at every point of the region, and as tight as the minima of the regions.
#include "audit/region_minimum.h"

#include <gtest/gtest.h>

#include "audit/region_points.h"
#include "support/random_query.h"

namespace plumb::audit {
namespace {

using audit::Interval;
using testing::Random;

std::vector<double> random_row(Random& random, std::size_t size) {
  std::vector<double> row;
  for (std::size_t i = 0; i < size; ++i) row.push_back(std::normal_distribution(0.0, 1.0)(random));
  return row;
}

double value(const std::vector<double>& row, const std::vector<double>& point) {
  double sum = 0;
  for (std::size_t i = 0; i < row.size(); ++i) sum += row[i] * point[i];
  return sum;
}

TEST(AuditMinimum, IsBelowEveryPointAndNoWorseThanTheRegionsOwn) {
  Random random(81);
  for (int round = 0; round < 300; ++round) {
    const property::Region region = testing::random_region(random, 3);
    for (const property::SimpleRegion& part : region.parts()) {
      const std::vector<double> row = random_row(random, 3);
      const double least = audit::minimum(part, {std::vector<Interval>(row.begin(), row.end()), {}, {}, {}});
      const double own = minimum(part, row);
      if (own == std::numeric_limits<double>::infinity()) {
        EXPECT_TRUE(audit::is_certainly_empty(part));
        continue;
      }
      EXPECT_GE(least, own - 1e-9 * (1 + std::abs(own))) << "round " << round << ", kind " << part.index();
      for (int i = 0; i < 20; ++i) {
        const std::vector<double> point = random_point(part, random);
        if (!contains(property::Region(part), point)) continue;
        EXPECT_LE(least, value(row, point) + 1e-9);
      }
    }
  }
}

TEST(AuditMinimum, KnowsCoordinates) {
  // 2 u with x = 1 + u / 2: u = 2 x - 2, between 0 and 2 for x in [1, 2].
  const property::SimpleRegion box = property::Box{{1}, {2}};
  const std::vector<events::CoordinateClaim> coordinates{{0, 1, 0.5}};
  EXPECT_NEAR(audit::minimum(box, {{Interval(0)}, {Interval(2)}, coordinates, {}}), 0, 1e-12);
  EXPECT_NEAR(audit::minimum(box, {{Interval(0)}, {Interval(-2)}, coordinates, {}}), -4, 1e-12);
  // Both terms involve the same input: 4 x - 2 u = 4 for every x.
  EXPECT_NEAR(audit::minimum(box, {{Interval(4)}, {Interval(-2)}, coordinates, {}}), 4, 1e-12);
}

}  // namespace
}  // namespace plumb::audit
