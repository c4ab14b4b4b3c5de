// The fast engine where something is special: a single unsafe place, a tie, a region of one point, several threads,
// little memory.
#include <gtest/gtest.h>

#include <limits>

#include "network/evaluator.h"
#include "soundness/audited_engine.h"
#include "support/exact_decision.h"
#include "support/random_query.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using testing::Random;
using testing::uniform;
using Engine = testing::AuditedEngine;

// |x - p|_1 <= radius is the only unsafe place, and no gradient descent from elsewhere is sure to meet it: found where
// it is, refuted where it is not.
TEST_F(Engine, FindsAPlantedCounterexample) {
  Random random(38);
  std::uniform_real_distribution<double> anywhere(-0.9, 0.9);
  constexpr std::int64_t kInputs = 4;
  for (int round = 0; round < testing::rounds() / 10; ++round) {
    std::vector<double> weights, bias;
    for (std::int64_t i = 0; i < kInputs; ++i) {
      const double at = static_cast<double>(static_cast<float>(anywhere(random)));
      for (const double sign : {1.0, -1.0}) {
        for (std::int64_t j = 0; j < kInputs; ++j) weights.push_back(i == j ? sign : 0);
        bias.push_back(-sign * at);
      }
    }
    const network::Network network(
        {{"x", network::Input{0}, {}, {kInputs}},
         {"a",
          network::Dense{1, kInputs, 2 * kInputs, network::Coefficients(weights), network::Coefficients(bias)},
          {0},
          {2 * kInputs}},
         {"r", network::Relu{}, {1}, {2 * kInputs}},
         {"y",
          network::Dense{1, 2 * kInputs, 1, network::Coefficients(std::vector<double>(2 * kInputs, 1.0)),
                         network::Coefficients({0})},
          {2},
          {1}}},
        {{"x", {kInputs}}}, {{"y", {1}, 3}});
    const bool planted = round % 2 == 0;
    const double radius = planted ? 1e-5 : -1e-5;
    const property::Query query(
        shared(network),
        property::Region(property::Box{std::vector<double>(kInputs, -1), std::vector<double>(kInputs, 1)}),
        property::UnsafeSet{{property::Conjunction{property::OutputInequality{{1}, {}, radius, false}}}});
    for (const search::DecideOptions& options :
         {search::DecideOptions{}, testing::no_attack(), testing::cuts_at_once()}) {
      const verdict::Verdict verdict = decided(query, options);
      ASSERT_EQ(verdict.answer, planted ? verdict::Answer::kViolated : verdict::Answer::kHolds)
          << "round " << round << verdict.reason;
    }
  }
}

// A margin of exactly zero is a tie, and a tie is a violation; a strict inequality is not violated by it.
TEST_F(Engine, KnowsTies) {
  // y = relu(x) - x over [-1, 1]: the least value is 0, wherever x >= 0.
  const network::Network network({{"x", network::Input{0}, {}, {1}},
                                  {"r", network::Relu{}, {0}, {1}},
                                  {"y", network::Sum{network::Coefficients({1, -1})}, {1, 0}, {1}}},
                                 {{"x", {1}}}, {{"y", {1}, 2}});
  const property::Region region(property::Box{{-1}, {1}});
  const auto at_most = [](double bound, bool strict) {
    return property::UnsafeSet{{property::Conjunction{property::OutputInequality{{1}, {}, bound, strict}}}};
  };
  EXPECT_EQ(decided(property::Query(shared(network), region, at_most(0, false))).answer, verdict::Answer::kViolated);
  EXPECT_EQ(decided(property::Query(shared(network), region, at_most(-1e-3, false))).answer, verdict::Answer::kHolds);
  EXPECT_NE(decided(property::Query(shared(network), region, at_most(0, true))).answer, verdict::Answer::kViolated);
}

TEST_F(Engine, DecidesARegionOfOnePoint) {
  Random random(32);
  for (int round = 0; round < 50; ++round) {
    const network::Network network = testing::tiny_network(random);
    const std::vector<double> point = testing::random_point(random, network.input_size());
    const property::Query query(shared(network), property::Region(property::Box{point, point}),
                                testing::random_unsafe(random, network));
    const verdict::Verdict verdict = decided(query);
    const bool reached = testing::exact_witness(query).has_value();
    if (verdict.answer != verdict::Answer::kUnknown) {
      ASSERT_EQ(verdict.answer == verdict::Answer::kViolated, reached) << round;
    }
  }
}

// A work limit ends the same search at the same place, whatever the clock says.
// Trees so large that rounds have several batches, and as many pieces; decided() compares one thread with three.
TEST_F(Engine, IsTheSameForAnyNumberOfThreadsUnderTheSameWorkLimit) {
  Random random(33);
  std::int64_t most_nodes = 0, most_pieces = 0;
  for (int round = 0; round < 12; ++round) {
    const network::Network network = testing::random_chain(random, {3, 10, 10, 1});
    const property::Region region(property::Box{{-1, -1, -1}, {1, 1, 1}});
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 1000; ++k) {
      std::vector<double> point(3), output(1);
      for (double& x : point) x = static_cast<double>(uniform(random, -512, 512)) / 512;
      network::Evaluator<double>::Workspace workspace;
      network::Evaluator<double>(shared(network)).evaluate(point, output, workspace);
      least = std::min(least, output[0]);
    }
    const double bound = least - 0.02 * std::abs(least);
    const property::Query query(
        shared(network), region,
        property::UnsafeSet{{property::Conjunction{property::OutputInequality{{1}, {}, bound, false}}}});
    const Limits limits{.work = uniform(random, 1, 40) * 1'000'000};
    most_nodes = std::max(most_nodes, decided(query, testing::cuts_at_once(), limits).statistics.nodes);
    most_nodes = std::max(most_nodes, decided(query, testing::leaves_alone(), limits).statistics.nodes);
    most_pieces = std::max(most_pieces, decided(query, testing::halves_at_once(), limits).statistics.nodes);
  }
  EXPECT_GT(most_nodes, 1000);
  EXPECT_GT(most_pieces, 100);
}

// Conjunctions of several inequalities are attacked through the whole network; without that, trees find the witness.
TEST_F(Engine, FindsConjunctionsWithAndWithoutTheWholeNetwork) {
  Random random(37);
  search::DecideOptions without;
  without.attack_network = false;
  int attacked = 0;
  for (int round = 0; round < 10; ++round) {
    const network::Network network = testing::random_chain(random, {3, 10, 2});
    const std::vector<double> middle(3, 0.0);
    std::vector<double> output(2);
    network::Evaluator<double>::Workspace workspace;
    network::Evaluator<double>(shared(network)).evaluate(middle, output, workspace);
    const property::Query query(
        shared(network), property::Region(property::Box{{-1, -1, -1}, {1, 1, 1}}),
        property::UnsafeSet{{property::Conjunction{property::OutputInequality{{1, 0}, {}, output[0] - 0.01, false},
                                                   property::OutputInequality{{0, 1}, {}, output[1] - 0.01, false}}}});
    const verdict::Verdict with_it = decided(query), without_it = decided(query, without);
    EXPECT_EQ(with_it.answer, without_it.answer);
    EXPECT_NE(without_it.reason, "attack");
    attacked += with_it.reason == "attack";
  }
  EXPECT_GT(attacked, 5);
}

TEST_F(Engine, FindsTheSameThroughTheLayersWhereMemoryIsShort) {
  Random random(34);
  search::DecideOptions little = testing::no_attack();
  little.memory = 1;
  int decided_both = 0;
  for (int round = 0; round < testing::rounds() / 3; ++round) {
    const network::Network network = testing::tiny_network(random);
    const property::Query query(shared(network),
                                testing::random_region(random, static_cast<std::size_t>(network.input_size())),
                                testing::random_unsafe(random, network));
    const bool reached = testing::exact_witness(query).has_value();
    const verdict::Verdict verdict = decided(query, little);
    if (verdict.answer == verdict::Answer::kUnknown) continue;
    ASSERT_EQ(verdict.answer == verdict::Answer::kViolated, reached) << "round " << round << ": " << verdict.reason;
    ++decided_both;
  }
  EXPECT_GT(decided_both, testing::rounds() / 6);
}

}  // namespace
}  // namespace plumb
