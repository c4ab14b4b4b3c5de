// The fast engine against brute force in exact arithmetic: tiny networks of every operation, regions of every kind,
// unsafe sets of every shape.
#include <gtest/gtest.h>

#include <algorithm>

#include <map>

#include "soundness/audited_engine.h"
#include "support/exact_decision.h"
#include "support/exact_evaluator.h"
#include "support/random_query.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using testing::Random;
using testing::uniform;
using Engine = testing::AuditedEngine;

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
    const search::DecideOptions options[] = {search::DecideOptions{}, testing::no_attack(), testing::cuts_at_once(),
                                             testing::leaves_alone(), testing::halves_at_once()};
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
  EXPECT_LT(counts[verdict::Answer::kUnknown], 3 + testing::rounds() / 10);
  for (const auto& [reason, count] : reasons) RecordProperty(reason, count);
  EXPECT_GT(audited_.closings(), testing::often(testing::rounds() / 10));
  EXPECT_GT(audited_.of(certificate::Kind::kProven), testing::often(testing::rounds() / 2));
  if (testing::counts_mean_something()) {
    EXPECT_GT(audited_.of(certificate::Kind::kProgram), 0);
  }
  RecordProperty("closings_audited", std::to_string(audited_.closings()));
  RecordProperty("programs_audited", std::to_string(audited_.of(certificate::Kind::kProgram)));
  RecordProperty("pieces_audited", std::to_string(audited_.of(certificate::Kind::kProven)));
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
    const search::DecideOptions options[] = {testing::no_attack(), testing::cuts_at_once(), testing::leaves_alone(),
                                             testing::halves_at_once()};
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
  EXPECT_GT(known, testing::often(testing::rounds() / 4));
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
    const verdict::Verdict verdict = decided(query, testing::cuts_at_once());
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
  search::DecideOptions options = testing::no_attack();
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
  for (int round = 0; round < std::max(80, testing::rounds()); ++round) {
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
    for (const search::DecideOptions& options :
         {testing::no_attack(), testing::cuts_at_once(), testing::leaves_alone()}) {
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
  EXPECT_GT(held, testing::often(testing::rounds() / 40));
  EXPECT_GT(reached_ones, testing::often(testing::rounds() / 10));
  if (testing::counts_mean_something()) {
    EXPECT_LE(undecided, testing::rounds() / 100);
  }
}

}  // namespace
}  // namespace plumb
