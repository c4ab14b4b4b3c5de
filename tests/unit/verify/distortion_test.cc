#include "verify/distortion.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/numbers.h"
#include "support/exact_decision.h"
#include "support/random_query.h"
#include "support/rounds.h"
#include "verify/linearised_step.h"

namespace plumb::verify {
namespace {

using testing::Random;
using testing::uniform;
using Numbers = std::vector<double>;

// An engine that is never wrong: brute force. Its answer is unknown where its point is not a witness in float32.
verdict::Verdict by_brute_force(const property::Query& query, const Limits&) {
  verdict::Verdict verdict;
  const auto solution = testing::exact_witness(query);
  if (!solution) {
    verdict.answer = verdict::Answer::kHolds;
    verdict.reason = "brute force";
    return verdict;
  }
  Numbers point;
  for (const mpq_class& x : *solution) point.push_back(x.get_d());
  verdict.witness = attack::WitnessCheck(query).polish(point);
  verdict.answer = verdict.witness ? verdict::Answer::kViolated : verdict::Answer::kUnknown;
  verdict.reason = verdict.witness ? "brute force" : "witness not confirmed";
  return verdict;
}

verdict::Verdict unknown(std::string reason) {
  verdict::Verdict verdict;
  verdict.reason = std::move(reason);
  return verdict;
}

struct Problem {
  network::Network network;
  property::SimpleRegion domain;  // a box, or an affine image
  Numbers centre;                 // inputs, or zeros for parameters
  property::Norm norm;
  property::UnsafeSet unsafe;

  property::GrowingRegion region() const {
    if (const auto* image = std::get_if<property::AffineImage>(&domain))
      return property::GrowingRegion::images(norm, *image);
    return property::GrowingRegion::balls(norm, centre, std::get<property::Box>(domain));
  }
  std::optional<testing::ExactDistortion> truth() const {
    return testing::exact_distortion(network, domain, norm, centre, unsafe);
  }
};

// The centre is rarely on the boundary of the unsafe set, because it is not a multiple of the network's numbers.
Problem ball_problem(Random& random, property::Norm norm) {
  network::Network network = testing::tiny_network(random);
  const auto size = static_cast<std::size_t>(network.input_size());
  const property::Box box = std::get<property::Box>(testing::random_part(random, size, testing::RegionKind::kBox));
  Numbers centre;
  for (std::size_t i = 0; i < size; ++i) {
    const double share = static_cast<double>(uniform(random, 0, 1000)) / 1024;
    centre.push_back(static_cast<double>(static_cast<float>(box.lower[i] + share * (box.upper[i] - box.lower[i]))));
  }
  property::UnsafeSet unsafe = testing::random_unsafe(random, network);
  return {std::move(network), box, std::move(centre), norm, std::move(unsafe)};
}

// Parameters around zero, with or without inequalities.
Problem image_problem(Random& random, property::Norm norm) {
  network::Network network = testing::tiny_network(random);
  const auto size = static_cast<std::size_t>(network.input_size());
  for (;;) {
    auto image = std::get<property::AffineImage>(testing::random_part(random, size, testing::RegionKind::kAffineImage));
    const Numbers zero(image.parameters.size(), 0.0);
    if (!contains_parameters(image, zero)) continue;
    property::UnsafeSet unsafe = testing::random_unsafe(random, network);
    return {std::move(network), std::move(image), zero, norm, std::move(unsafe)};
  }
}

Distortion solve(const Problem& problem, const verdict::Decide& decide, const verdict::MinimiseDistance& minimise = {},
                 const DistortionOptions& options = {}, const Limits& limits = {}) {
  return minimum_distortion(shared(problem.network),
                            std::make_shared<const attack::NetworkEvaluators>(shared(problem.network)),
                            {problem.region(), problem.unsafe}, decide, minimise, options, limits);
}

struct Tally {
  int exact = 0, open = 0, none = 0, decisions = 0;
};

// What must be true whatever the engine decides.
void expect_brackets(const Problem& problem, const Distortion& found, Tally& tally) {
  const auto truth = problem.truth();
  tally.decisions += static_cast<int>(found.decisions);
  if (found.witness) {
    ASSERT_TRUE(truth);
    EXPECT_TRUE(is_unsafe(problem.unsafe, found.witness->input, found.witness->outputs));
    EXPECT_EQ(problem.region().distance(variables_of(*found.witness)), found.upper);
  } else {
    EXPECT_EQ(found.upper, kInfinity);
  }
  // No point within `lower` is unsafe: the infimum is at least `lower`, and greater if it is attained.
  if (truth) {
    EXPECT_LE(found.lower, truth->above());
    EXPECT_GE(found.upper, truth->below());
  }
  if (found.exact && found.witness) {
    EXPECT_LE(found.upper - found.lower, 1e-6 * found.upper);
  }
  if (found.exact && !found.witness) {
    EXPECT_FALSE(truth);
  }
  tally.none += found.exact && !found.witness;
  tally.exact += found.exact && found.witness;
  tally.open += !found.exact;
}

class DistortionInNorm : public ::testing::TestWithParam<property::Norm> {};

TEST_P(DistortionInNorm, IsThatOfBruteForce) {
  Random random(1 + static_cast<unsigned>(GetParam()));
  Tally tally;
  const int rounds = testing::rounds() / (GetParam() == property::Norm::kL2 ? 4 : 2);
  for (int round = 0; round < rounds && !HasFailure(); ++round) {
    const Problem problem = ball_problem(random, GetParam());
    expect_brackets(problem, solve(problem, by_brute_force), tally);
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
  EXPECT_GT(tally.exact, rounds / 3);
  EXPECT_GT(tally.none, rounds / 20);
  EXPECT_LE(tally.open, rounds / 10) << tally.decisions;
}

INSTANTIATE_TEST_SUITE_P(AllNorms, DistortionInNorm,
                         ::testing::Values(property::Norm::kLinf, property::Norm::kL1, property::Norm::kL2));

TEST(DistortionOfParameters, IsThatOfBruteForce) {
  Random random(5);
  Tally tally;
  const int rounds = testing::rounds() / 2;
  for (int round = 0; round < rounds; ++round) {
    const Problem problem = image_problem(random, round % 2 == 0 ? property::Norm::kLinf : property::Norm::kL1);
    expect_brackets(problem, solve(problem, by_brute_force), tally);
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
  EXPECT_GT(tally.exact, testing::often(rounds / 3));
  if (testing::counts_mean_something()) {
    EXPECT_LE(tally.open, rounds / 5);
  }
}

// |x| against a threshold: y0 = relu(x) + relu(-x) reaches t at distance t from 0, on both sides.
network::Network absolute_value() {
  std::vector<network::Node> nodes;
  nodes.push_back({"x", network::Input{0}, {}, {1}});
  nodes.push_back(
      {"both", network::Dense{1, 1, 2, network::Coefficients({1, -1}), network::Coefficients({0, 0})}, {0}, {2}});
  nodes.push_back({"relu", network::Relu{}, {1}, {2}});
  nodes.push_back(
      {"sum", network::Dense{1, 2, 1, network::Coefficients({1, 1}), network::Coefficients({0})}, {2}, {1}});
  return network::Network(std::move(nodes), {{"x", {1}}}, {{"y", {1}, 3}});
}

property::UnsafeSet at_least(double threshold, bool strict = false) { return {{{{{-1}, {}, -threshold, strict}}}}; }

Problem threshold_problem(double centre, double threshold) {
  return {absolute_value(), property::Box{{-4}, {4}}, {centre}, property::Norm::kLinf, at_least(threshold)};
}

TEST(Distortion, OfAnUnsafeSampleIsZeroAndCostsNoDecision) {
  const Distortion found = solve(threshold_problem(2, 1.5), by_brute_force);
  EXPECT_TRUE(found.exact);
  EXPECT_EQ(found.lower, 0);
  EXPECT_EQ(found.upper, 0);
  EXPECT_EQ(found.decisions, 0);
  EXPECT_EQ(found.reason, "unsafe without any change");
}

TEST(Distortion, IsInfiniteWhereNothingIsUnsafe) {
  const Distortion found = solve(threshold_problem(0.5, 5), by_brute_force);
  EXPECT_TRUE(found.exact);
  EXPECT_EQ(found.upper, kInfinity);
  EXPECT_GE(found.lower, 4.5) << "the domain's reach";
  EXPECT_EQ(found.reason, "there is no unsafe point");
}

TEST(Distortion, TakesFewDecisions) {
  const Distortion found = solve(threshold_problem(0.3, 1.7), by_brute_force);
  EXPECT_TRUE(found.exact);
  EXPECT_NEAR(found.upper, 1.4, 1e-5);
  EXPECT_LE(found.decisions, 14) << "ten at growing radii, a few below the witness";
}

// A lucky attack would only find the far witness. The engine finds the near one.
TEST(Distortion, FollowsTheEnginesWitnesses) {
  DistortionOptions blind;
  blind.attack.steps = 0;
  blind.attack.restarts = 1;
  const Distortion found = solve(threshold_problem(0.3, 1.7), by_brute_force, {}, blind);
  EXPECT_TRUE(found.exact);
  EXPECT_NEAR(found.upper, 1.4, 1e-5);
}

TEST(Distortion, KeepsTheEvidenceOfItsLowerEnd) {
  // Rigorous up to 1, a solver's claim beyond.
  const verdict::Decide mixed = [](const property::Query& query, const Limits& limits) {
    verdict::Verdict verdict = by_brute_force(query, limits);
    if (std::get<property::Ball>(query.region.parts()[0]).radius > Rational(1))
      verdict.evidence = verdict::Evidence::kSolver;
    return verdict;
  };
  const Distortion found = solve(threshold_problem(0.3, 1.7), mixed);
  EXPECT_TRUE(found.exact);
  EXPECT_EQ(found.evidence, verdict::Evidence::kSolver);
  EXPECT_GT(found.rigorous_lower, 0.5);
  EXPECT_LE(found.rigorous_lower, 1);
}

TEST(Distortion, OfATimeOutIsWhatIsKnown) {
  // An engine that proves easy queries and reaches its limit close to the threshold.
  std::atomic<bool> cancel = false;
  const verdict::Decide slow = [&](const property::Query& query, const Limits& limits) {
    if (std::get<property::Ball>(query.region.parts()[0]).radius < Rational(13, 10))
      return by_brute_force(query, limits);
    // Queries with a short time limit come first, and a timeout there must not end the search.
    if (limits.seconds < kInfinity) return unknown("time limit");
    cancel = true;
    return unknown("interrupted");
  };
  Limits limits;
  limits.cancel = &cancel;
  const Distortion found = solve(threshold_problem(0.3, 1.7), slow, {}, {}, limits);
  EXPECT_FALSE(found.exact);
  EXPECT_EQ(found.reason, "interrupted");
  EXPECT_GT(found.lower, 0.5);
  EXPECT_LT(found.lower, 1.3);
  EXPECT_GE(found.upper, 1.4 - 1e-9);
  EXPECT_LT(found.upper, 2);
}

// A radius that the engine cannot decide stays open, and smaller ones are still proven.
TEST(Distortion, ProvesUpToWhereTheEngineCannotTell) {
  const verdict::Decide cautious = [](const property::Query& query, const Limits& limits) {
    const bool near = std::get<property::Ball>(query.region.parts()[0]).radius > Rational(139, 100);
    return near ? unknown("within tolerances") : by_brute_force(query, limits);
  };
  const Distortion found = solve(threshold_problem(0.3, 1.7), cautious);
  EXPECT_FALSE(found.exact);
  EXPECT_GT(found.lower, 1.38);
  EXPECT_LE(found.lower, 1.39);
  EXPECT_NEAR(found.upper, 1.4, 1e-5);
  EXPECT_EQ(found.reason, "smaller distances: within tolerances");
}

// The inequality is strict at the sample itself: unsafe points come arbitrarily close, and none is nearest. At first
// the engine finds only the far side, and then answers unknown for a while. Its next witness lies beyond the undecided
// radii and is moved to below them.
TEST(Distortion, ForgetsWhatWasUndecidedBeyondAWitnessThatWasMoved) {
  DistortionOptions blind;
  blind.attack.steps = 0;
  blind.attack.restarts = 1;
  bool knows = false;
  double undecided = 0;
  const verdict::Decide late = [&](const property::Query& query, const Limits& limits) {
    const double radius = std::get<property::Ball>(query.region.parts()[0]).radius.nearest();
    if (knows || radius < 1.3) return by_brute_force(query, limits);
    knows = undecided > 0 && radius > undecided;
    if (radius < 2 && !knows) {
      undecided = std::max(undecided, radius);
      return unknown("not yet");
    }
    verdict::Verdict verdict;
    verdict.answer = verdict::Answer::kViolated;
    verdict.witness = attack::WitnessCheck(query).confirm(Numbers{knows ? 0.3 + undecided : -1.75});
    return verdict;
  };
  const Distortion found = solve(threshold_problem(0.3, 1.7), late, {}, blind);
  EXPECT_TRUE(knows);
  EXPECT_TRUE(found.exact) << found.reason;
  EXPECT_NEAR(found.upper, 1.4, 1e-5);
}

// The engine answers unknown at random, above and below radii that it decides. Its other answers are kept, and the
// radii in between are asked about.
TEST(Distortion, IsFoundByAnEngineThatOftenCannotTell) {
  Random random(9);
  Tally tally;
  int wide = 0;
  for (int round = 0; round < testing::rounds() / 4; ++round) {
    const Problem problem = ball_problem(random, round % 2 == 0 ? property::Norm::kLinf : property::Norm::kL1);
    const property::GrowingRegion region = problem.region();
    double proven = 0, nearest = kInfinity;
    const verdict::Decide fickle = [&](const property::Query& query, const Limits& limits) {
      const double radius = std::get<property::Ball>(query.region.parts()[0]).radius.nearest();
      EXPECT_GT(radius, proven);
      EXPECT_LT(radius, nearest);
      if (uniform(random, 0, 2) == 0) return unknown("out of luck");
      verdict::Verdict verdict = by_brute_force(query, limits);
      if (verdict.answer == verdict::Answer::kHolds) proven = radius;
      if (verdict.answer == verdict::Answer::kViolated) nearest = region.distance(variables_of(*verdict.witness));
      return verdict;
    };
    const Distortion found = solve(problem, fickle);
    expect_brackets(problem, found, tally);
    wide += found.witness && !found.exact ? 1 : 0;
    if (!found.witness && !found.exact) {
      EXPECT_EQ(found.reason, "larger distances: out of luck");
    }
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
  EXPECT_LE(wide, tally.exact / 20);
}

TEST(Distortion, OfZeroThatIsNotAttainedEnds) {
  Problem problem = threshold_problem(1.5, 1.5);
  problem.unsafe = at_least(1.5, true);
  const Distortion found = solve(problem, by_brute_force);
  EXPECT_EQ(found.lower, 0);
  EXPECT_GT(found.upper, 0);
  EXPECT_LT(found.upper, 1e-4);
}

// A solver's proposal is used, but only after a check.
TEST(Distortion, ChecksASolversNearestPoint) {
  const Problem problem = threshold_problem(0.3, 1.7);
  const verdict::MinimiseDistance good = [](const property::Query&, const property::GrowingRegion&, const Limits&) {
    return verdict::NearestUnsafe{
        .lower = 1.39, .evidence = verdict::Evidence::kSolver, .point = {1.7}, .statistics = {}};
  };
  const verdict::MinimiseDistance lying = [](const property::Query&, const property::GrowingRegion&, const Limits&) {
    return verdict::NearestUnsafe{
        .lower = 0.1, .evidence = verdict::Evidence::kSolver, .point = {0.4}, .statistics = {}};
  };
  for (const verdict::MinimiseDistance& minimise : {good, lying}) {
    const Distortion found = solve(problem, by_brute_force, minimise);
    EXPECT_TRUE(found.exact);
    EXPECT_NEAR(found.upper, 1.4, 1e-5);
    EXPECT_TRUE(is_unsafe(problem.unsafe, found.witness->input, found.witness->outputs));
  }
}

// Three planes that meet: y_i = -x_i shall be at most -1 for all three. Steps along one gradient at a time approach the
// corner slowly. If the network is affine, the proposal is the answer.
TEST(LinearisedStep, FindsTheCornerWhereSeveralInequalitiesTie) {
  std::vector<network::Node> nodes;
  nodes.push_back({"x", network::Input{0}, {}, {3}});
  nodes.push_back(
      {"y",
       network::Dense{1, 3, 3, network::Coefficients({-1, 0, 0, 0, -2, 0, 0, 0, -4}), network::Coefficients({0, 0, 0})},
       {0},
       {3}});
  const network::Network network(std::move(nodes), {{"x", {3}}}, {{"y", {3}, 1}});
  // x1 >= 1, x2 >= 1/2, x3 >= 1/4: the distance from 0 is 1 in linf and 1.75 in l1.
  const property::Conjunction all{{{1, 0, 0}, {}, -1}, {{0, 1, 0}, {}, -1}, {{0, 0, 1}, {}, -1}};
  const attack::NetworkEvaluators evaluators(shared(network));
  const property::Box domain{{-4, -4, -4}, {4, 4, 4}};
  for (const auto& [norm, radius] : {std::pair{property::Norm::kLinf, 1.0}, std::pair{property::Norm::kL1, 1.75},
                                     std::pair{property::Norm::kL2, std::sqrt(1.3125)}}) {
    const auto region = property::GrowingRegion::balls(norm, {0, 0, 0}, domain);
    const auto step = linearised_step(network, evaluators, region, all, Numbers{3, 3, 3}, 10);
    ASSERT_TRUE(step);
    EXPECT_LE(step->radius, radius * 1.0001) << "weights give lower bounds";
    EXPECT_GE(step->radius, radius * 0.9);
    EXPECT_FALSE(linearised_step(network, evaluators, region, all, Numbers{3, 3, 3}, radius / 4));
  }
}

}  // namespace
}  // namespace plumb::verify
