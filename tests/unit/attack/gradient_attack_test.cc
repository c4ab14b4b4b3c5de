#include "attack/gradient_attack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>

#include "support/exact_decision.h"
#include "support/random_query.h"
#include "support/rounds.h"

namespace plumb::attack {
namespace {

using testing::Random;
using testing::random_unsafe;
using testing::rounds;
using Numbers = std::vector<double>;

AttackResult attack(const property::Query& query, const AttackOptions& options = {}) {
  return gradient_attack(query, std::make_shared<const NetworkEvaluators>(query.network), options);
}

bool has_l2_ball(const property::Region& region) {
  return std::any_of(region.parts().begin(), region.parts().end(), [](const property::SimpleRegion& part) {
    return std::holds_alternative<property::Ball>(part) && std::get<property::Ball>(part).norm == property::Norm::kL2;
  });
}

// Every region and every shape of unsafe set. The attack finds nothing where brute force in exact arithmetic finds
// nothing, and it finds most of the witnesses that exist.
TEST(GradientAttack, AgreesWithBruteForceOnTinyNetworks) {
  Random random(1);
  int reachable = 0, found = 0;
  for (int round = 0; round < rounds(); ++round) {
    const network::Network network = testing::tiny_network(random);
    const property::Region region = testing::random_region(random, static_cast<std::size_t>(network.input_size()));
    const property::Query query(shared(network), region, random_unsafe(random, network));
    const bool truth = testing::exact_witness(query).has_value();
    const AttackResult result = attack(query);
    ASSERT_TRUE(truth || !result.witness) << "round " << round;
    if (has_l2_ball(region) || *testing::exact_largest_slack(query) < mpq_class(1, 4)) continue;
    ++reachable;
    found += result.witness.has_value();
  }
  EXPECT_GT(reachable, testing::often(rounds() / 5));
  EXPECT_GT(found, reachable * 9 / 10);
}

// y = x, and no point has y <= -1: the descent takes two thousand million steps unless it is stopped.
TEST(GradientAttack, AStopEndsADescentAtItsNextStep) {
  std::vector<network::Node> nodes;
  nodes.push_back({"x", network::Input{0}, {}, {1}});
  nodes.push_back({"y", network::Relu{}, {0}, {1}});
  const network::Network network(std::move(nodes), {{"x", {1}, network::ElementType::kFloat32}}, {{"y", {1}, 1}});
  const property::Query query(shared(network), property::Region(property::Box{{0.0}, {1.0}}),
                              property::UnsafeSet{{{property::OutputInequality{{1.0}, {}, -1.0, false}}}});
  const auto evaluators = std::make_shared<const NetworkEvaluators>(shared(network));
  const AttackOptions endless{.steps = std::numeric_limits<int>::max(), .restarts = 1};
  std::atomic<bool> cancel = false;
  const Budget budget(Limits{.cancel = &cancel});
  std::thread other([&] { cancel = true; });
  EXPECT_FALSE(gradient_attack(query, evaluators, endless, &budget).witness);
  other.join();
  EXPECT_EQ(gradient_attack(query, evaluators, endless, &budget).evaluations, 0);
}

// The network y = W x.
network::Network linear(std::int64_t inputs, std::int64_t outputs, Numbers weight) {
  std::vector<network::Node> nodes;
  nodes.push_back({"x", network::Input{0}, {}, {inputs}});
  nodes.push_back(
      {"z", network::Dense{1, inputs, outputs, network::Coefficients(std::move(weight)), {}}, {0}, {outputs}});
  return {std::move(nodes), {{"x", {inputs}, network::ElementType::kFloat32}}, {{"y", {outputs}, 1}}};
}

// Both sums of x_i +- 3 t_i x_i, with signs t_i that alternate, are to be at least 15 in [-1, 1]^16. The gradient of
// the lesser one points along t or against it, and steps along t leave the sum of the x_i as it is. The mean of both
// points to the corner where all x_i are 1.
TEST(GradientAttack, WithMomentumMeetsInequalitiesThatPullApart) {
  constexpr std::int64_t kInputs = 16;
  Numbers weight;
  for (const double side : {3.0, -3.0}) {
    for (std::int64_t i = 0; i < kInputs; ++i) weight.push_back(1 + (i % 2 == 0 ? side : -side));
  }
  const property::UnsafeSet both{
      {{property::OutputInequality{{-1, 0}, {}, -15, false}, property::OutputInequality{{0, -1}, {}, -15, false}}}};
  const property::Query query(shared(linear(kInputs, 2, weight)),
                              property::Region(property::Box{Numbers(kInputs, -1), Numbers(kInputs, 1)}), both);
  EXPECT_FALSE(attack(query, {.steps = 100, .restarts = 1}).witness);
  EXPECT_TRUE(attack(query, {.steps = 100, .restarts = 1, .momentum = 0.9}).witness);
}

TEST(GradientAttack, DependsOnTheSeedAndNothingElse) {
  Random random(2);
  int witnesses = 0, differ = 0;
  for (int round = 0; round < 50; ++round) {
    const network::Network network = testing::random_network(random, 12);
    const Numbers centre = testing::random_point(random, network.input_size());
    const property::Box domain{Numbers(centre.size(), -2), Numbers(centre.size(), 2)};
    const property::Query query(shared(network),
                                property::Region(property::Ball{property::Norm::kLinf, centre, Rational(1, 4), domain}),
                                random_unsafe(random, network));
    const AttackResult first = attack(query, {10, 5, 0.25, 1}), again = attack(query, {10, 5, 0.25, 1}),
                       other = attack(query, {10, 5, 0.25, 2});
    ASSERT_EQ(first.slack, again.slack);
    ASSERT_EQ(first.witness.has_value(), again.witness.has_value());
    differ += first.slack != other.slack;
    if (!first.witness) continue;
    ++witnesses;
    ASSERT_EQ(first.witness->input, again.witness->input);
  }
  EXPECT_GT(witnesses, 5);
  EXPECT_GT(differ, 5);
}

// y = relu(x0 - 0.9) + relu(x1 - 0.9) shall be at least 0.05. The gradient is zero in most of the box, including the
// middle, where the only trial starts.
TEST(GradientAttack, WalksAtRandomWhereThereIsNoGradient) {
  const network::Network network(
      {{"x", network::Input{0}, {}, {2}},
       {"shift",
        network::Dense{1, 2, 2, network::Coefficients({1, 0, 0, 1}), network::Coefficients({-0.9, -0.9})},
        {0},
        {2}},
       {"relu", network::Relu{}, {1}, {2}},
       {"y", network::Dense{1, 2, 1, network::Coefficients({1, 1}), {}}, {2}, {1}}},
      {{"x", {2}, network::ElementType::kFloat32}}, {{"y", {1}, 3}});
  const property::Query query(shared(network), property::Region(property::Box{{0, 0}, {1, 1}}),
                              {{{{{-1.0}, {}, -0.05, false}}}});
  const AttackResult result = attack(query, {40, 1, 0.25, 1});
  ASSERT_TRUE(result.witness);
  EXPECT_GE(result.witness->slack, 0);
}

// y = x0 shall be at least 1/4 within [-1, 1]. The middle is safe, and one step from there is too short. Half of the
// random starts are near enough.
TEST(GradientAttack, StartsAtRandomIfAskedTo) {
  const network::Network network({{"x", network::Input{0}, {}, {1}}}, {{"x", {1}, network::ElementType::kFloat32}},
                                 {{"y", {1}, 0}});
  const property::Query query(shared(network), property::Region(property::Box{{-1}, {1}}),
                              {{{{{-1.0}, {}, -0.25, false}}}});
  int from_the_middle = 0, at_random = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    from_the_middle += attack(query, {1, 1, 0.125, seed}).witness.has_value();
    at_random += attack(query, {1, 1, 0.125, seed, true}).witness.has_value();
  }
  EXPECT_EQ(from_the_middle, 0);
  EXPECT_GT(at_random, 8);
  EXPECT_LT(at_random, 32);
}

TEST(GradientAttack, EveryPartOfAUnionIsAttacked) {
  const network::Network network({{"x", network::Input{0}, {}, {1}}}, {{"x", {1}, network::ElementType::kFloat32}},
                                 {{"y", {1}, 0}});
  std::vector<property::SimpleRegion> parts;
  for (int i = 0; i < 40; ++i) parts.emplace_back(property::Box{{static_cast<double>(i)}, {i + 0.5}});
  const property::Query query(shared(network), property::Region(parts),
                              {{{{{-1.0}, {}, -39.25, false}}}});  // y >= 39.25
  const AttackResult result = attack(query, {10, 1, 0.25, 1});
  ASSERT_TRUE(result.witness);
  EXPECT_EQ(result.witness->part, 39u);
}

TEST(GradientAttack, FindsNothingWhereNothingIsUnsafe) {
  const network::Network network({{"x", network::Input{0}, {}, {1}}}, {{"x", {1}, network::ElementType::kFloat32}},
                                 {{"y", {1}, 0}});
  EXPECT_FALSE(
      attack(property::Query(shared(network), property::Region(property::Box{{0}, {1}}), property::UnsafeSet{}))
          .witness);
  EXPECT_TRUE(attack(property::Query(shared(network), property::Region(property::Box{{0}, {1}}), {{{}}})).witness);
}

TEST(GradientAttack, OnARegionOfOnePointIsAnEvaluation) {
  const network::Network network({{"x", network::Input{0}, {}, {1}}}, {{"x", {1}, network::ElementType::kFloat32}},
                                 {{"y", {1}, 0}});
  const property::Region point(property::Box{{0.5}, {0.5}});
  EXPECT_TRUE(attack(property::Query(shared(network), point, {{{{{1.0}, {}, 0.5, false}}}})).witness);
  EXPECT_FALSE(attack(property::Query(shared(network), point, {{{{{1.0}, {}, 0.5, true}}}})).witness);
}

}  // namespace
}  // namespace plumb::attack
