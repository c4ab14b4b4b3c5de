// reduced_case.h: random networks and regions with their reduced networks, and what is true about these at a point, in
// exact arithmetic.
#pragma once

#include <memory>
#include <vector>

#include "bounds/region_bounds.h"
#include "reduction/reduced_network.h"
#include "support/exact_evaluator.h"
#include "support/random_network.h"

namespace plumb::testing {

inline constexpr std::int64_t kManyBytes = 1 << 30;

struct ReducedCase {
  network::Network network;
  property::SimpleRegion region;
  std::vector<double> functionals;
  std::shared_ptr<const bounds::BoundedNetwork> bounded;
  std::unique_ptr<bounds::RegionBounds> bounds;
  std::unique_ptr<reduction::ReducedNetwork> reduced;
};

std::unique_ptr<ReducedCase> random_case(Random& random);

mpq_class exact_functional(const ReducedCase& c, std::size_t f, const std::vector<mpq_class>& input);

// A point of a region: as the network sees it, and in the coordinates of a reduced network, both exact.
struct ExactPoint {
  std::vector<mpq_class> input;
  std::vector<mpq_class> scaled;  // what the coordinates scale: the input, or an image's parameters
};

ExactPoint exact_point(Random& random, const property::SimpleRegion& region);
std::vector<double> random_corner(Random& random, const property::Box& box);

// Everything that is true about a reduced network at a point. The units of a maximum are differences of its members,
// known through their rows only: `slack` is what a row may be off because of that.
struct Truth {
  std::vector<mpq_class> row, value, slack, unit_slack;
};

Truth truth_at(const network::Network& network, const reduction::ReducedNetwork& reduced, const ExactPoint& point);

}  // namespace plumb::testing
