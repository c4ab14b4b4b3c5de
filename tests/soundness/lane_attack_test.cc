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

// y = 3 |t x| - s x + 15 over [-1, 1]^16, where s is the sum and t has signs that alternate. Gradients point along t or
// against it, and steps along t leave s x as it is; so plain steps go to and fro. The mean of gradients points to the
// corner where all x_i are 1, whose value is -1.
TEST(LaneAttack, WithMomentumGetsOutOfAValley) {
  constexpr std::int64_t kInputs = 16;
  std::vector<double> weights;
  for (const double side : {3.0, -3.0}) {
    for (std::int64_t i = 0; i < kInputs; ++i) weights.push_back(i % 2 == 0 ? side : -side);
  }
  weights.resize(3 * kInputs, 1);
  const network::Network network(
      {{"x", network::Input{0}, {}, {kInputs}},
       {"a",
        network::Dense{1, kInputs, 3, network::Coefficients(weights), network::Coefficients({0, 0, kInputs})},
        {0},
        {3}},
       {"r", network::Relu{}, {1}, {3}},
       {"y",
        network::Dense{1, 3, 1, network::Coefficients({1, 1, -1}), network::Coefficients({15 + kInputs})},
        {2},
        {1}}},
      {{"x", {kInputs}}}, {{"y", {1}, 3}});
  const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
  bounds::RegionBounds bounds(
      bounded, property::Region(property::Box{std::vector<double>(kInputs, -1), std::vector<double>(kInputs, 1)}));
  compute_bounds(bounds, {});
  const auto reduced =
      reduction::ReducedNetwork::build(bounds, output_functionals(bounds, std::vector<double>{1.0}), 1 << 30);
  const lanes::LaneNetwork<float> system(*reduced, {});
  const auto finds = [&](double momentum) {
    Random random(4);
    lanes::Lanes<float> lanes = system.lanes();
    for (std::int64_t lane = 0; lane < system.width(); ++lane) {
      system.ask_row(lanes, lane, system.units(), 1);
      search::randomise_inputs(system, lanes, lane, random);
    }
    const auto accept = [](std::span<const double>) { return true; };
    return search::descend(system, lanes, system.width(), 50, accept, nullptr, momentum);
  };
  EXPECT_FALSE(finds(0));
  EXPECT_TRUE(finds(0.9));
}

}  // namespace
}  // namespace plumb
