// The fast engine against brute force in exact arithmetic: tiny networks of every operation, regions of every kind,
// unsafe sets of every shape.
#include <gtest/gtest.h>

#include <atomic>
#include <map>

#include "audit/auditor.h"
#include "bounds/bounds.h"
#include "lanes/lane_network.h"
#include "network/evaluator.h"
#include "search/decide.h"
#include "search/tree/lane_attack.h"
#include "solvers/solvers.h"
#include "support/exact_decision.h"
#include "support/exact_evaluator.h"
#include "support/random_query.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using testing::Random;
using testing::uniform;

class Engine : public ::testing::Test {
 protected:
  // Decided twice: on several threads, and on one under the eyes of an audit, which must confirm everything. Neither
  // changes anything.
  verdict::Verdict decided(const property::Query& query, const search::DecideOptions& options = {},
                           const Limits& limits = {}) {
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(query.network);
    const auto engine = [&](int threads) {
      search::DecideOptions with_threads = options;
      with_threads.search.threads = threads;
      return search::SearchEngine(
          bounded, std::make_shared<const attack::NetworkEvaluators>(query.network),
          [] { return solvers::make_solver(solvers::kDefaultSolver); }, with_threads);
    };
    audit::Auditor auditor(query);
    const verdict::Verdict audited = engine(1).decide(query, limits, auditor);
    add(auditor.counts());
    verdict::Verdict threaded = engine(3).decide(query, limits);
    expect_same(audited, threaded);
    return threaded;
  }

  audit::AuditCounts audited_;

 private:
  static void expect_same(const verdict::Verdict& one, const verdict::Verdict& other) {
    EXPECT_EQ(one.answer, other.answer);
    EXPECT_EQ(one.reason, other.reason);
    EXPECT_EQ(one.margin_lower, other.margin_lower);
    EXPECT_EQ(one.statistics.nodes, other.statistics.nodes);
    EXPECT_EQ(one.statistics.lps, other.statistics.lps);
    EXPECT_EQ(one.statistics.work, other.statistics.work);
    ASSERT_EQ(one.witness.has_value(), other.witness.has_value());
    if (one.witness) {
      EXPECT_EQ(one.witness->input, other.witness->input);
    }
  }

  void add(const audit::AuditCounts& counts) {
    audited_.closings += counts.closings;
    audited_.programs += counts.programs;
    audited_.refutations += counts.refutations;
    audited_.bounds += counts.bounds;
    audited_.cuts += counts.cuts;
    audited_.pieces += counts.pieces;
    audited_.witnesses += counts.witnesses;
    audited_.not_confirmed += counts.not_confirmed;
  }
};

// Without the attack, so that the search itself has to find witnesses.
search::DecideOptions no_attack() {
  search::DecideOptions options;
  options.attack_rounds = 0;
  options.splitting = search::InputSplitting::kUnit;
  return options;
}

// Nothing but the tree, and cuts from the first split on.
search::DecideOptions cuts_at_once() {
  search::DecideOptions options = no_attack();
  options.tighten_steps = 0;
  options.search.root.steps = 0;
  options.subproblems_before_cuts = 1;
  options.cuts.ascent.steps = 10;
  return options;
}

// Nothing is improved, so that every unit is split and leaves are linear programs.
search::DecideOptions leaves_alone() {
  search::DecideOptions options = no_attack();
  options.tighten_steps = 0;
  options.search.root.steps = options.search.child.steps = 0;
  options.subproblems_before_cuts = 1 << 20;
  return options;
}

// The region is halved wherever bounds alone do not decide.
search::DecideOptions halves_at_once() {
  search::DecideOptions options = no_attack();
  options.splitting = search::InputSplitting::kInput;
  options.tighten_steps = 1;
  options.subproblems_per_piece = 2;
  return options;
}

TEST_F(Engine, NeverContradictsBruteForce) {
  Random random(31);
  std::map<verdict::Answer, int> counts;
  std::map<std::string, int> reasons;
  for (int round = 0; round < testing::rounds(); ++round) {
    const network::Network network = testing::tiny_network(random);
    const property::Query query(shared(network),
                                testing::random_region(random, static_cast<std::size_t>(network.input_size())),
                                testing::random_unsafe(random, network));
    const bool reached = testing::exact_witness(query).has_value();
    const search::DecideOptions options[] = {search::DecideOptions{}, no_attack(), cuts_at_once(), leaves_alone(),
                                             halves_at_once()};
    const verdict::Verdict verdict = decided(query, options[uniform(random, 0, 4)], {.work = 2'000'000});
    ++counts[verdict.answer];
    ++reasons[verdict.reason.substr(0, 16)];
    if (verdict.answer == verdict::Answer::kHolds) {
      ASSERT_FALSE(reached) << "round " << round << ": " << verdict.reason;
      ASSERT_EQ(verdict.evidence, verdict::Evidence::kRigorous);
    }
    if (verdict.answer == verdict::Answer::kViolated) {
      ASSERT_TRUE(reached) << "round " << round << ": " << verdict.reason;
      ASSERT_TRUE(verdict.witness.has_value());
    }
  }
  EXPECT_GT(counts[verdict::Answer::kHolds], testing::rounds() / 4);
  EXPECT_GT(counts[verdict::Answer::kViolated], testing::rounds() / 4);
  // Touching by a hair, strictly or beyond what floats can say: rare.
  EXPECT_LT(counts[verdict::Answer::kUnknown], testing::rounds() / 10);
  for (const auto& [reason, count] : reasons) RecordProperty(reason, count);
  if (testing::counts_mean_something()) {
    EXPECT_GT(audited_.closings, testing::rounds() / 10);
    EXPECT_GT(audited_.programs, 0);
    EXPECT_GT(audited_.pieces, testing::rounds() * 11 / 10);
    EXPECT_LT(audited_.not_confirmed, testing::rounds() / 100 + 1);
  }
  RecordProperty("closings_audited", std::to_string(audited_.closings));
  RecordProperty("programs_audited", std::to_string(audited_.programs));
  RecordProperty("pieces_audited", std::to_string(audited_.pieces));
}

// Also of searches that are cut short.
TEST_F(Engine, ProvesTheMarginsThatItTells) {
  Random random(38);
  int known = 0;
  for (int round = 0; round < testing::rounds(); ++round) {
    SCOPED_TRACE(round);
    const network::Network network = testing::tiny_network(random);
    const property::SimpleRegion parts[] = {
        testing::random_part(random, static_cast<std::size_t>(network.input_size()), testing::RegionKind::kBox),
        testing::random_part(random, static_cast<std::size_t>(network.input_size()), testing::RegionKind::kPolytope)};
    const property::Region region(std::vector<property::SimpleRegion>(parts, parts + uniform(random, 1, 2)));
    const property::Query query(shared(network), region, testing::random_unsafe(random, network));
    const auto slack = testing::exact_largest_slack(query);
    ASSERT_TRUE(slack);
    const search::DecideOptions options[] = {no_attack(), cuts_at_once(), leaves_alone(), halves_at_once()};
    const Limits limits{.work = std::int64_t{1} << uniform(random, 0, 20)};
    const verdict::Verdict verdict = decided(query, options[uniform(random, 0, 3)], limits);
    if (std::isinf(verdict.margin_lower)) {
      EXPECT_LT(verdict.margin_lower, 0);
      continue;
    }
    ++known;
    EXPECT_LE(mpq_class(verdict.margin_lower), -*slack) << verdict.reason;
    EXPECT_NE(verdict.answer, verdict::Answer::kViolated);
  }
  if (testing::counts_mean_something()) {
    EXPECT_GT(known, testing::rounds() / 4);
  }
}

// Whether an output of a chain of dense layers goes below something near its least value: only a tree tells.
TEST_F(Engine, NeverContradictsBruteForceWithCuts) {
  Random random(35);
  int with_cuts = 0, reached_ones = 0;
  for (int round = 0; round < testing::rounds(); ++round) {
    const network::Network network = testing::random_chain(random, {2, 4, 4, 1});
    const property::Region region(property::Box{{-1, -1}, {1, 1}});
    const double least = testing::exact_minimum(network, region, {1})->low.get_d();
    const double bound = least + (uniform(random, 0, 1) == 0 ? 1e-3 : -1e-3);
    const property::Query query(
        shared(network), region,
        property::UnsafeSet{{property::Conjunction{property::OutputInequality{{1}, {}, bound, false}}}});
    const verdict::Verdict verdict = decided(query, cuts_at_once());
    const bool reached = bound > least;
    ASSERT_EQ(verdict.answer, reached ? verdict::Answer::kViolated : verdict::Answer::kHolds)
        << "round " << round << verdict.reason;
    with_cuts += verdict.statistics.cuts > 0;
    reached_ones += reached;
  }
  EXPECT_GT(with_cuts, testing::rounds() / 10);
  EXPECT_GT(reached_ones, testing::rounds() / 4);
}

// The region is halved again and again: pieces have next to no tree of their own.
search::DecideOptions halving_at_once() {
  search::DecideOptions options = no_attack();
  options.splitting = search::InputSplitting::kInput;
  options.attack_rounds = options.attack_steps = 1;  // a piece with a witness at a kink is halved for ever without
  options.tighten_steps = 0;
  options.search.root.steps = 0;
  options.subproblems_per_piece = 1;
  return options;
}

// Boxes, balls, polytopes and parameters that are halved must not lose a piece on the way.
TEST_F(Engine, NeverContradictsBruteForceWhereRegionsAreHalved) {
  Random random(37);
  int halved = 0, reached_ones = 0;
  const testing::RegionKind kinds[] = {testing::RegionKind::kBox, testing::RegionKind::kLinfBall,
                                       testing::RegionKind::kAffineImage, testing::RegionKind::kPolytope};
  for (int round = 0; round < testing::rounds(); ++round) {
    const network::Network network = testing::random_chain(random, {2, 4, 4, 1});
    const property::Region region(testing::random_part(random, 2, kinds[uniform(random, 0, 3)]));
    const double least = testing::exact_minimum(network, region, {1})->low.get_d();
    const double bound = least + (uniform(random, 0, 1) == 0 ? 1e-2 : -1e-2);
    const property::Query query(
        shared(network), region,
        property::UnsafeSet{{property::Conjunction{property::OutputInequality{{1}, {}, bound, false}}}});
    const verdict::Verdict verdict = decided(query, halving_at_once());
    const bool reached = bound > least;
    ASSERT_EQ(verdict.answer, reached ? verdict::Answer::kViolated : verdict::Answer::kHolds)
        << "round " << round << verdict.reason;
    halved += verdict.reason == "branch and bound on inputs";
    reached_ones += reached;
  }
  EXPECT_GT(halved, testing::rounds() / 10);
  EXPECT_GT(reached_ones, testing::rounds() / 4);
}

property::Region region_of_two_inputs(Random& random) {
  const property::Box square{{-1, -1}, {1, 1}};
  const std::vector<double> centre{std::uniform_real_distribution<double>(-1, 1)(random),
                                   std::uniform_real_distribution<double>(-1, 1)(random)};
  const Rational radius(uniform(random, 1, 8), 8);
  switch (uniform(random, 0, 3)) {
    case 0:
      return property::Region(property::Ball{property::Norm::kL1, centre, radius, square});
    case 1:
      return property::Region(property::Ball{property::Norm::kL2, centre, radius, square});
    default:
      return property::Region(square);
  }
}

// Two conjunctions of two inequalities each, which just hold at some point or just do not: each must be refuted by its
// own inequalities, together.
TEST_F(Engine, NeverContradictsBruteForceOnConjunctions) {
  Random random(36);
  int reached_ones = 0, held = 0, undecided = 0;
  for (int round = 0; round < testing::rounds(); ++round) {
    const network::Network network = testing::random_chain(random, {2, 6, 4, 3});
    const property::Region region = region_of_two_inputs(random);
    property::UnsafeSet unsafe;
    bool touches = false;  // by a hair, which may be beyond floats
    for (int c = 0; c < 2; ++c) {
      const std::vector<double> point = random_point(region.parts()[0], random);
      const auto outputs = testing::exact_outputs(network, testing::exact_point(point));
      const double room = uniform(random, 0, 1) == 0 ? 0x1p-10 : -0.0625 * static_cast<double>(uniform(random, 0, 4));
      touches = touches || room == 0;
      property::Conjunction conjunction;
      for (int i = 0; i < 2; ++i) {
        std::vector<double> row(3, 0.0);
        for (double& r : row) r = static_cast<double>(uniform(random, -1, 1));
        double value = 0;
        for (std::size_t k = 0; k < 3; ++k) value += row[k] * outputs[k].low.get_d();
        conjunction.push_back({row, {}, value + room, false});
      }
      unsafe.conjunctions.push_back(std::move(conjunction));
    }
    const property::Query query(shared(network), region, unsafe);
    const bool reached = testing::exact_witness(query).has_value();
    for (const search::DecideOptions& options : {no_attack(), cuts_at_once(), leaves_alone()}) {
      const verdict::Verdict verdict = decided(query, options);
      if (verdict.answer == verdict::Answer::kUnknown) {
        undecided += touches ? 0 : 1;
        continue;
      }
      ASSERT_EQ(verdict.answer == verdict::Answer::kViolated, reached) << "round " << round << ": " << verdict.reason;
      held += verdict.answer == verdict::Answer::kHolds && verdict.statistics.nodes > 1;
    }
    reached_ones += reached;
  }
  if (testing::counts_mean_something()) {
    EXPECT_GT(held, testing::rounds() / 40);
    EXPECT_GT(reached_ones, testing::rounds() / 10);
    EXPECT_LE(undecided, testing::rounds() / 100);
  }
}

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
    for (const search::DecideOptions& options : {search::DecideOptions{}, no_attack(), cuts_at_once()}) {
      const verdict::Verdict verdict = decided(query, options);
      ASSERT_EQ(verdict.answer, planted ? verdict::Answer::kViolated : verdict::Answer::kHolds)
          << "round " << round << verdict.reason;
    }
  }
}

// A margin of exactly zero is a tie, and a tie is a violation; a strict inequality is not violated by it.
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
    most_nodes = std::max(most_nodes, decided(query, cuts_at_once(), limits).statistics.nodes);
    most_nodes = std::max(most_nodes, decided(query, leaves_alone(), limits).statistics.nodes);
    most_pieces = std::max(most_pieces, decided(query, halves_at_once(), limits).statistics.nodes);
  }
  EXPECT_GT(most_nodes, 1000);
  EXPECT_GT(most_pieces, 100);
}

TEST_F(Engine, FindsTheSameThroughTheLayersWhereMemoryIsShort) {
  Random random(34);
  search::DecideOptions little = no_attack();
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
