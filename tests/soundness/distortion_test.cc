// Minimum distortions with the real engines against brute force in exact arithmetic, on tiny networks of every
// operation.
#include "verify/distortion.h"

#include <gtest/gtest.h>

#include "milp/milp_distortion.h"
#include "search/decide.h"
#include "solvers/solvers.h"
#include "support/exact_decision.h"
#include "support/random_query.h"
#include "support/rounds.h"
#include "support/scaled_distortion.h"

namespace plumb {
namespace {

using testing::Random;
using testing::uniform;

enum class Asked { kSearch, kUnitSearch, kMilp, kMilpWithNearest };

struct Problem {
  network::Network network;
  property::Box domain;
  std::vector<double> centre;
  property::UnsafeSet unsafe;
};

Problem random_problem(Random& random) {
  network::Network network = testing::tiny_network(random);
  const auto size = static_cast<std::size_t>(network.input_size());
  property::Box box = std::get<property::Box>(testing::random_part(random, size, testing::RegionKind::kBox));
  std::vector<double> centre;
  for (std::size_t i = 0; i < size; ++i) {
    const double share = static_cast<double>(uniform(random, 0, 1000)) / 1024;
    centre.push_back(static_cast<double>(static_cast<float>(box.lower[i] + share * (box.upper[i] - box.lower[i]))));
  }
  property::UnsafeSet unsafe = testing::random_unsafe(random, network);
  return {std::move(network), std::move(box), std::move(centre), std::move(unsafe)};
}

bool searches(Asked asked) { return asked == Asked::kSearch || asked == Asked::kUnitSearch; }

verify::Distortion solve(const Problem& problem, const property::Metric& metric, Asked asked) {
  const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(problem.network));
  const auto evaluators = std::make_shared<const attack::NetworkEvaluators>(shared(problem.network));
  // The networks have few inputs. By default the search would halve the region and start anew for each radius.
  search::DecideOptions options;
  if (asked == Asked::kUnitSearch) options.splitting = search::InputSplitting::kUnit;
  const search::SearchEngine search(
      bounded, evaluators, [] { return solvers::make_solver(solvers::kDefaultSolver); }, options);
  const milp::MilpEngine milp(bounded, evaluators, solvers::make_solver(solvers::kDefaultSolver), {});
  const verify::NarrowingDecide::Onward decide = [&](const property::Query& query, const Limits& limits,
                                                     search::Frontier& open) {
    return searches(asked) ? search.decide(query, limits, open) : milp.decide(query, limits);
  };
  verdict::MinimiseDistance minimise;
  if (asked == Asked::kMilpWithNearest) {
    minimise =
        milp::NearestByMilp(bounded,
                            solvers::make_solver(metric.norm == property::Norm::kL2 ? solvers::kDefaultQuadraticSolver
                                                                                    : solvers::kDefaultSolver),
                            {});
  }
  const verify::DistortionQuestion question{property::GrowingRegion::balls(metric, problem.centre, problem.domain),
                                            problem.unsafe};
  return minimum_distortion(shared(problem.network), evaluators, question, decide, minimise, {}, {.seconds = 20});
}

// Solvers have tolerances, so that their claims may be off by this much. Plumb's own proofs may not.
constexpr double kTolerance = 1e-5;

// The bracket must contain the true distortion; without one, there must be no witness.
void expect_bracket(const verify::Distortion& found, const std::optional<testing::ExactDistortion>& truth) {
  ASSERT_TRUE(truth || !found.witness);
  if (!truth) return;
  ASSERT_LE(found.rigorous_lower, truth->above());
  ASSERT_LE(found.lower, truth->above() + kTolerance) << found.reason;
  ASSERT_GE(found.upper, truth->below());
}

class DistortionByEngine : public ::testing::TestWithParam<Asked> {};
// Solvers are not asked for the nearest point where distances have scales.
class ScaledDistortionByEngine : public ::testing::TestWithParam<Asked> {};

TEST_P(DistortionByEngine, BracketsThatOfBruteForce) {
  Random random(11);
  int exact = 0, rounds = std::max(3, testing::rounds() / 10);
  for (int round = 0; round < rounds; ++round) {
    const Problem problem = random_problem(random);
    for (const property::Norm norm : {property::Norm::kLinf, property::Norm::kL1, property::Norm::kL2}) {
      const auto truth =
          testing::exact_distortion(problem.network, problem.domain, norm, problem.centre, problem.unsafe);
      const verify::Distortion found = solve(problem, norm, GetParam());
      exact += found.exact;
      SCOPED_TRACE(round);
      ASSERT_NO_FATAL_FAILURE(expect_bracket(found, truth));
      if (truth && searches(GetParam())) {
        ASSERT_EQ(found.evidence, verdict::Evidence::kRigorous);
      }
    }
  }
  EXPECT_GT(exact, rounds);
}

TEST_P(ScaledDistortionByEngine, BracketsThatOfBruteForce) {
  Random random(12);
  int exact = 0, rounds = std::max(3, testing::rounds() / 10);
  for (int round = 0; round < rounds; ++round) {
    const Problem problem = random_problem(random);
    const std::vector<int> exponents = testing::random_scale(random, problem.network.input_size());
    const auto truth =
        testing::exact_scaled_distortion(problem.network, problem.domain, exponents, problem.centre, problem.unsafe);
    const verify::Distortion found = solve(problem, {property::Norm::kLinf, testing::scale_of(exponents)}, GetParam());
    exact += found.exact;
    SCOPED_TRACE(round);
    ASSERT_NO_FATAL_FAILURE(expect_bracket(found, truth));
  }
  EXPECT_GT(exact, rounds / 3);
}

INSTANTIATE_TEST_SUITE_P(Engines, DistortionByEngine,
                         ::testing::Values(Asked::kSearch, Asked::kUnitSearch, Asked::kMilp, Asked::kMilpWithNearest));
INSTANTIATE_TEST_SUITE_P(Engines, ScaledDistortionByEngine,
                         ::testing::Values(Asked::kSearch, Asked::kUnitSearch, Asked::kMilp));

}  // namespace
}  // namespace plumb
