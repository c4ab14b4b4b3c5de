// Gradient descents in lanes.
#include "search/tree/lane_attack.h"

#include <gtest/gtest.h>

#include <atomic>

#include "bounds/bounds.h"
#include "lanes/lane_network.h"
#include "support/random_network.h"

namespace plumb {
namespace {

using testing::Random;

// The functional is -1 everywhere, so that every step offers points; the first refuses and calls it off.
TEST(LaneAttack, AStopEndsADescentAtItsNextStep) {
  Random random(3);
  const network::Network network = testing::random_chain(random, {3, 8, 1});
  const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
  bounds::RegionBounds bounds(
      bounded, property::Region(property::Box{std::vector<double>(3, -1.0), std::vector<double>(3, 1.0)}));
  compute_bounds(bounds, {});
  bounds::Functionals functionals = output_functionals(bounds, std::vector<double>{0.0});
  functionals.constants = {-1.0};
  const auto reduced = reduction::ReducedNetwork::build(bounds, functionals, 1 << 30);
  const lanes::LaneNetwork<float> system(*reduced, {});
  lanes::Lanes<float> lanes = system.lanes();
  for (std::int64_t lane = 0; lane < system.width(); ++lane) system.ask_row(lanes, lane, system.units(), 1);
  std::atomic<bool> cancel = false;
  const Budget budget(Limits{.cancel = &cancel});
  int offered = 0;
  const auto call_off = [&](std::span<const double>) {
    ++offered;
    cancel = true;
    return false;
  };
  EXPECT_FALSE(search::descend(system, lanes, system.width(), 100, call_off, &budget));
  EXPECT_EQ(offered, system.width());
  EXPECT_FALSE(search::descend(system, lanes, system.width(), 2, call_off));
  EXPECT_EQ(offered, 4 * system.width());
}

}  // namespace
}  // namespace plumb
