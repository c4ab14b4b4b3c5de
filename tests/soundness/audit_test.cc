// The fast engine on networks that are too large for brute force: an audit must confirm everything that it claims, for
// all operations, regions, ways to search and limits.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "audit/audit.h"
#include "events/listener.h"
#include "events/listeners.h"
#include "search/decide.h"
#include "solvers/solvers.h"
#include "soundness/tight_query.h"
#include "support/pair_cuts.h"
#include "support/random_query.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using testing::Random;
using testing::uniform;

network::Network any_network(Random& random) {
  switch (uniform(random, 0, 2)) {
    case 0:
      return testing::tiny_network(random);
    case 1:
      return testing::random_chain(
          random, {uniform(random, 2, 6), uniform(random, 4, 10), uniform(random, 4, 10), uniform(random, 1, 3)});
    default:
      return testing::random_network(random, static_cast<int>(uniform(random, 3, 14)));
  }
}

// Conjunctions that random points of the region miss by a fraction of the range of values seen there. Such queries need
// search trees.
property::UnsafeSet barely_missed(Random& random, const network::Network& network, const property::Region& region) {
  const network::Evaluator<double> evaluator(shared(network));
  network::Evaluator<double>::Workspace workspace;
  std::vector<std::vector<double>> outputs;
  for (int i = 0; i < 50; ++i) {
    const auto last = static_cast<std::int64_t>(region.parts().size()) - 1;
    const property::SimpleRegion& part = region.parts()[static_cast<std::size_t>(uniform(random, 0, last))];
    outputs.emplace_back(static_cast<std::size_t>(network.output_size()));
    evaluator.evaluate(random_point(part, random), outputs.back(), workspace);
  }
  property::UnsafeSet unsafe;
  for (std::int64_t c = uniform(random, 1, 3); c > 0; --c) {
    property::Conjunction conjunction(static_cast<std::size_t>(uniform(random, 1, 2)));
    for (property::OutputInequality& inequality : conjunction) {
      for (std::int64_t k = 0; k < network.output_size(); ++k) {
        inequality.outputs.push_back(static_cast<double>(uniform(random, -2, 2)));
      }
      inequality.strict = uniform(random, 0, 3) == 0;
    }
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (const std::vector<double>& y : outputs) {
      double worst = -std::numeric_limits<double>::infinity();
      for (const property::OutputInequality& inequality : conjunction) {
        double value = 0;
        for (std::size_t k = 0; k < y.size(); ++k) value += inequality.outputs[k] * y[k];
        worst = std::max(worst, value);
      }
      least = std::min(least, worst);
      most = std::max(most, worst);
    }
    const double margin = (most - least) * std::pow(10.0, -static_cast<double>(uniform(random, 0, 3)));
    for (property::OutputInequality& inequality : conjunction) inequality.bound = least - margin;
    unsafe.conjunctions.push_back(std::move(conjunction));
  }
  return unsafe;
}

search::DecideOptions any_options(Random& random) {
  constexpr std::array kSplitting{search::InputSplitting::kAuto, search::InputSplitting::kUnit,
                                  search::InputSplitting::kInput};
  constexpr std::array<std::int64_t, 3> kBeforeCuts{1, 8, 1 << 20};
  const auto steps = [&](std::int64_t most) { return static_cast<int>(uniform(random, 0, most)); };
  search::DecideOptions options;
  options.attack_rounds = steps(3) == 0 ? 1 : 0;
  options.splitting = kSplitting[static_cast<std::size_t>(steps(2))];
  options.tighten_steps = steps(3);
  options.search.root.steps = steps(5);
  options.search.child.steps = steps(4);
  if (steps(4) == 0)
    options.tighten_steps = options.search.root.steps = options.search.child.steps = 0;  // search down to the leaves
  options.subproblems_before_cuts = kBeforeCuts[static_cast<std::size_t>(steps(2))];
  options.subproblems_per_unit = steps(3) == 0 ? 0 : uniform(random, 1, 16);
  options.subproblems_before_halving = uniform(random, 2, 8);
  options.subproblems_per_piece = uniform(random, 2, 8);
  options.cuts.ascent.steps = 3 + steps(15);
  options.cuts.rounds = 1 + steps(3);
  if (steps(2) == 0) options.cuts.families.push_back(testing::pair_cuts());
  if (steps(5) == 0) options.memory = 1;  // forces bounding through the layers
  return options;
}

// Half of the queries are about any network and region; the others hold, and only a tree tells.
property::Query any_query(Random& random) {
  if (uniform(random, 0, 1) == 0)
    return testing::near_the_least_value(
        testing::random_chain(random, {3, uniform(random, 3, 5), uniform(random, 3, 5), 1}), false);
  const network::Network network = any_network(random);
  const property::Region region = testing::random_region(random, static_cast<std::size_t>(network.input_size()));
  return {shared(network), region, barely_missed(random, network, region)};
}

TEST(Audit, ConfirmsWhateverTheSearchProves) {
  using certificate::Kind;
  Random random(91);
  audit::AuditCounts counts;
  std::int64_t held = 0, violated = 0;
  const int rounds = 4 * testing::rounds();  // cuts and linear programs are rare
  for (int round = 0; round < rounds; ++round) {
    const property::Query query = any_query(random);
    const search::SearchEngine engine(
        std::make_shared<const bounds::BoundedNetwork>(query.network),
        std::make_shared<const attack::NetworkEvaluators>(query.network),
        [] { return solvers::make_solver(solvers::kDefaultSolver); }, any_options(random));
    audit::Audit audit(query);
    const Limits limits{.seconds = 0.5, .work = 1'000'000};
    try {
      const verdict::Verdict verdict = engine.decide(query, limits, audit.listener());
      ASSERT_EQ(audit.confirm(verdict), "") << "round " << round;
      held += verdict.answer == verdict::Answer::kHolds;
      violated += verdict.answer == verdict::Answer::kViolated;
    } catch (const std::exception& error) {
      FAIL() << "round " << round << ": " << error.what();
    }
    counts += audit.counts();
  }
  EXPECT_GT(held, testing::often(rounds / 10));
  EXPECT_GT(violated, testing::often(rounds / 100));
  EXPECT_GT(counts.closings(), testing::often(rounds / 2));
  EXPECT_GT(counts.of(Kind::kProgram), testing::often(rounds / 100));
  EXPECT_GT(counts.of(Kind::kNarrow), testing::often(rounds / 10));
  EXPECT_GT(counts.of(Kind::kBare), 0);
  EXPECT_GT(counts.of(Kind::kTight), testing::often(rounds / 100));
  EXPECT_GT(counts.of(Kind::kElements), 0);
  EXPECT_GT(counts.cuts(), testing::counts_mean_something() ? 0 : -1);  // few trees are left for them
  EXPECT_GT(counts.of(Kind::kProven), testing::often(rounds / 10));
}

// Where memory is short, subproblems in the queue lose their ranges. What is claimed about them later must not use
// them.
TEST(Audit, ConfirmsASearchThatForgetsRanges) {
  struct Forgetting : events::Listener {
    bool wants_details() const override { return true; }
    void narrowed(const events::Narrowing&) override { ++narrowings; }
    void ranges_forgotten(std::size_t, const std::vector<events::UnitDecision>&) override { ++forgotten; }
    int narrowings = 0, forgotten = 0;
  };
  Random random(92);
  search::DecideOptions options;
  options.attack_rounds = options.tighten_steps = 0;
  options.splitting = search::InputSplitting::kUnit;
  options.search.root.steps = options.search.child.steps = 1;
  options.subproblems_before_cuts = 1 << 20;
  options.memory = 1 << 15;  // enough for the rows, but not for two batches
  Forgetting listener;
  constexpr int kRounds = 31;  // memory is short in few of them
  for (int round = 0; round < kRounds; ++round) {
    const network::Network network = testing::random_chain(random, {3, 8, 8, 1});
    const property::Region region(property::Box{{-1, -1, -1}, {1, 1, 1}});
    const property::Query query(shared(network), region, barely_missed(random, network, region));
    const search::SearchEngine engine(
        std::make_shared<const bounds::BoundedNetwork>(query.network),
        std::make_shared<const attack::NetworkEvaluators>(query.network),
        [] { return solvers::make_solver(solvers::kDefaultSolver); }, options);
    audit::Audit audit(query);
    events::Listeners both({&audit.listener(), &listener});
    try {
      const verdict::Verdict verdict = engine.decide(query, {.work = 1'000'000}, both);
      EXPECT_EQ(audit.confirm(verdict), "") << "round " << round;
    } catch (const std::exception& error) {
      FAIL() << "round " << round << ": " << error.what();
    }
  }
  EXPECT_GT(listener.narrowings, kRounds);
  EXPECT_GT(listener.forgotten, kRounds);
}

}  // namespace
}  // namespace plumb
