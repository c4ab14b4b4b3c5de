// Worst margins with the real engines against brute force in exact arithmetic, on tiny networks of every operation,
// regions of every kind, unsafe sets of every shape, labels and targets.
#include "verify/worst_margin.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attack/exact_judge.h"
#include "milp/milp_margin.h"
#include "search/decide.h"
#include "solvers/solvers.h"
#include "support/exact_decision.h"
#include "support/random_query.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using testing::Random;
using testing::uniform;

enum class Asked { kSearch, kUnitSearch, kMilp, kMilpWithObjective };

bool searches(Asked asked) { return asked == Asked::kSearch || asked == Asked::kUnitSearch; }

// Whether some part has inequalities. Without interior points it may contain no float32 point.
bool may_be_flat(const property::Region& region) {
  return std::ranges::any_of(region.parts(), [](const property::SimpleRegion& part) {
    const auto* image = std::get_if<property::AffineImage>(&part);
    return std::holds_alternative<property::Polytope>(part) || (image != nullptr && !image->inequalities.empty());
  });
}

bool has_strict(const property::UnsafeSet& unsafe) {
  return std::ranges::any_of(unsafe.conjunctions, [](const property::Conjunction& conjunction) {
    return std::ranges::any_of(conjunction, &property::OutputInequality::strict);
  });
}

bool has_l2_ball(const property::Region& region) {
  return std::ranges::any_of(region.parts(), [](const property::SimpleRegion& part) {
    const auto* ball = std::get_if<property::Ball>(&part);
    return ball != nullptr && ball->norm == property::Norm::kL2;
  });
}

// Sometimes labels, sometimes any conjunctions. Over l2 balls always labels: there brute force can only minimise
// functionals.
property::UnsafeSet unsafe_of(Random& random, const network::Network& network, bool sphere) {
  const std::int64_t outputs = network.output_size();
  const auto turn = uniform(random, 0, 2);
  if (outputs >= 2 && (sphere || turn == 0)) return property::misclassified(uniform(random, 0, outputs - 1), outputs);
  if (outputs >= 3 && turn == 1) {
    const std::vector<std::int64_t> targets{0, 1};
    return property::adversarial_set(uniform(random, 2, outputs - 1), targets, outputs);
  }
  property::UnsafeSet unsafe = testing::random_unsafe(random, network);
  if (!sphere) return unsafe;
  property::OutputInequality inequality = testing::random_inequality(random, network);
  inequality.inputs.clear();
  return property::UnsafeSet{{{inequality}}};
}

property::Query random_query(Random& random, const network::Network& network) {
  const property::Region region = testing::random_region(random, static_cast<std::size_t>(network.input_size()));
  return property::Query(shared(network), region, unsafe_of(random, network, has_l2_ball(region)));
}

testing::ExactInterval true_margin(const property::Query& query) {
  if (!has_l2_ball(query.region)) {
    const mpq_class margin = -*testing::exact_largest_slack(query);
    return {margin, margin};
  }
  std::optional<testing::ExactInterval> least;
  for (const property::Conjunction& conjunction : query.unsafe.conjunctions) {
    const std::vector<mpq_class> functional(conjunction[0].outputs.begin(), conjunction[0].outputs.end());
    testing::ExactInterval value = *testing::exact_minimum(*query.network, query.region, functional);
    value.low -= mpq_class(conjunction[0].bound);
    value.high -= mpq_class(conjunction[0].bound);
    least = least ? testing::ExactInterval{std::min(least->low, value.low), std::min(least->high, value.high)} : value;
  }
  return *least;
}

verify::WorstMargin solve(const property::Query& query, Asked asked) {
  const auto bounded = std::make_shared<const bounds::BoundedNetwork>(query.network);
  const auto evaluators = std::make_shared<const attack::NetworkEvaluators>(query.network);
  search::DecideOptions options;
  if (asked == Asked::kUnitSearch) options.splitting = search::InputSplitting::kUnit;
  const search::SearchEngine search(
      bounded, evaluators, [] { return solvers::make_solver(solvers::kDefaultSolver); }, options);
  const milp::MilpEngine milp(bounded, evaluators, solvers::make_solver(solvers::kDefaultSolver), {});
  const verify::NarrowingDecide::Onward decide = [&](const property::Query& moved, const Limits& limits,
                                                     search::Frontier& open) {
    return searches(asked) ? search.decide(moved, limits, open) : milp.decide(moved, limits);
  };
  verdict::MinimiseMargin minimise;
  if (asked == Asked::kMilpWithObjective)
    minimise = milp::LeastMarginByMilp(bounded, solvers::make_solver(solvers::kDefaultSolver), {});
  return verify::worst_margin(bounded, evaluators, query, decide, minimise, {}, {.seconds = 20});
}

// Solvers have tolerances, so that their claims may be off by this much. Plumb's own proofs may not.
constexpr double kTolerance = 1e-5;

class WorstMarginByEngine : public ::testing::TestWithParam<Asked> {};

TEST_P(WorstMarginByEngine, BracketsThatOfBruteForce) {
  Random random(21);
  const int rounds = std::max(10, testing::rounds() / 2);
  int exact = 0, negative = 0;
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    const network::Network network = testing::tiny_network(random);
    const property::Query query = random_query(random, network);
    const testing::ExactInterval truth = true_margin(query);
    const verify::WorstMargin found = solve(query, GetParam());
    SCOPED_TRACE(found.reason);
    exact += found.exact;
    negative += truth.high < 0;
    ASSERT_TRUE(found.rigorous_lower == -std::numeric_limits<double>::infinity() ||
                mpq_class(found.rigorous_lower) <= truth.high);
    ASSERT_LE(found.lower, truth.high.get_d() + kTolerance * (1 + std::abs(truth.high.get_d())));
    ASSERT_TRUE(found.point || may_be_flat(query.region));
    if (!found.point) continue;
    ASSERT_GE(mpq_class(found.upper), truth.low);
    ASSERT_TRUE(!found.violated || truth.low <= 0);
    ASSERT_TRUE(found.violated || found.upper > 0 || has_strict(query.unsafe));
    const auto& parts = query.region.parts();
    const auto* image = std::get_if<property::AffineImage>(&parts[found.point->part]);
    ASSERT_TRUE(image != nullptr ? contains_parameters(*image, found.point->parameters)
                                 : contains(query.region, found.point->input));
    ASSERT_TRUE(!found.exact || found.upper - found.lower <= std::max(1e-5, 1e-4 * std::abs(found.upper)));
    ASSERT_TRUE(!searches(GetParam()) || found.evidence == verdict::Evidence::kRigorous);
  }
  EXPECT_GT(exact, rounds * 9 / 10);
  EXPECT_TRUE(negative > rounds / 10 || !testing::counts_mean_something());
}

INSTANTIATE_TEST_SUITE_P(Engines, WorstMarginByEngine,
                         ::testing::Values(Asked::kSearch, Asked::kUnitSearch, Asked::kMilp,
                                           Asked::kMilpWithObjective));

TEST(WorstMargin, MovedBoundsContainAllMarginsUpToTheThreshold) {
  Random random(22);
  for (int round = 0; round < 1000; ++round) {
    const auto number = [&] {
      return std::ldexp(static_cast<double>(uniform(random, -1'000'000, 1'000'000)),
                        -static_cast<int>(uniform(random, 0, 60)));
    };
    const property::UnsafeSet unsafe{{{property::OutputInequality{{1.0}, {}, number(), true}}}};
    const double by = number();
    const property::UnsafeSet shifted = verify::moved(unsafe, by);
    EXPECT_GE(mpq_class(shifted.conjunctions[0][0].bound), mpq_class(unsafe.conjunctions[0][0].bound) + mpq_class(by));
    EXPECT_FALSE(shifted.conjunctions[0][0].strict);
  }
}

// With an engine that never decides, bounds and attack still give an interval, and it contains the truth.
TEST(WorstMargin, IsAnIntervalEvenIfTheEngineNeverDecides) {
  Random random(23);
  for (int round = 0; round < std::max(10, testing::rounds() / 3); ++round) {
    SCOPED_TRACE(round);
    const network::Network network = testing::tiny_network(random);
    const property::Query query = random_query(random, network);
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
    const verdict::Decide decide = [](const property::Query&, const Limits&) { return verdict::Verdict{}; };
    const verify::WorstMargin found = verify::worst_margin(
        bounded, std::make_shared<const attack::NetworkEvaluators>(shared(network)), query, decide, {}, {}, {});
    const testing::ExactInterval truth = true_margin(query);
    ASSERT_TRUE(std::isfinite(found.lower));
    ASSERT_TRUE(std::isfinite(found.upper) || may_be_flat(query.region)) << found.reason;
    ASSERT_LE(mpq_class(found.lower), truth.high);
    ASSERT_TRUE(std::isinf(found.upper) || mpq_class(found.upper) >= truth.low);
  }
}

// The weights use all bits of a float32, and the points are single. Here evaluation does round, sometimes to a value
// below the truth.
TEST(WorstMargin, MarginsOfPointsAreBoundedFromAbove) {
  Random random(24);
  int evaluated_below = 0;
  for (int round = 0; round < std::max(10, testing::rounds()); ++round) {
    const network::Network network = testing::random_chain(random, {5, 8, 3});
    const std::vector<double> point = testing::random_point(random, network.input_size());
    const property::UnsafeSet unsafe = property::misclassified(0, network.output_size());
    const auto outputs = testing::exact_outputs(network, testing::exact_point(point));
    const mpq_class margin = outputs[0].high - std::max(outputs[1].low, outputs[2].low);
    const double above = attack::ExactJudge(shared(network)).margin_at_most(property::Box{point, point}, unsafe);
    EXPECT_GE(mpq_class(above), margin);
    EXPECT_LE(above, margin.get_d() + 1e-9 * (1 + std::abs(margin.get_d())));
    std::vector<double> values(3);
    network::Evaluator<double>::Workspace workspace;
    network::Evaluator<double>(shared(network)).evaluate(point, values, workspace);
    evaluated_below += mpq_class(values[0] - std::max(values[1], values[2])) < margin;
  }
  EXPECT_TRUE(evaluated_below > 0 || !testing::counts_mean_something());
}

// The same for the whole bracket: in a region with a single point the least margin is the margin of that point.
TEST(WorstMargin, UpperEndsAreNotBelowTheTrueMarginWhereEvaluationRounds) {
  Random random(25);
  const verdict::Decide undecided = [](const property::Query&, const Limits&) { return verdict::Verdict{}; };
  for (int round = 0; round < std::max(10, testing::rounds()); ++round) {
    SCOPED_TRACE(round);
    const network::Network network = testing::random_chain(random, {5, 8, 3});
    const std::vector<double> point = testing::random_point(random, network.input_size());
    const property::Query query(shared(network), property::Region(property::Box{point, point}),
                                property::misclassified(0, network.output_size()));
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
    const verify::WorstMargin found = verify::worst_margin(
        bounded, std::make_shared<const attack::NetworkEvaluators>(shared(network)), query, undecided, {}, {}, {});
    const auto outputs = testing::exact_outputs(network, testing::exact_point(point));
    ASSERT_TRUE(found.point);
    EXPECT_GE(mpq_class(found.upper), outputs[0].high - std::max(outputs[1].low, outputs[2].low));
  }
}

}  // namespace
}  // namespace plumb
