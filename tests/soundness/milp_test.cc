// The MILP engine and its encodings against brute force in exact arithmetic, on tiny networks of every operation,
// regions of every kind and unsafe sets of every shape.
#include <gtest/gtest.h>

#include "solvers/solvers.h"
#include "support/exact_decision.h"
#include "support/exact_region.h"
#include "support/random_query.h"
#include "support/rounds.h"
#include "verify/milp_engine.h"

namespace plumb {
namespace {

using testing::Random;

std::shared_ptr<const Solver> solver(const std::string& name) { return make_solver(name); }

Query random_query(Random& random, const Network& network) {
  const auto size = static_cast<std::size_t>(network.input_size());
  return Query(network, testing::random_region(random, size), testing::random_unsafe(random, network));
}

bool has_l2_ball(const Region& region) {
  return std::ranges::any_of(region.parts(), [](const SimpleRegion& part) {
    const auto* ball = std::get_if<Ball>(&part);
    return ball != nullptr && ball->norm == Norm::kL2;
  });
}

// Bounds and solver alone: an attack would find most witnesses first.
MilpOptions without_attack() {
  MilpOptions options;
  options.attack.restarts = 0;
  return options;
}

Verdict decide(const Query& query, const MilpOptions& options, const std::string& name = kDefaultSolver) {
  const BoundedNetwork bounded(query.network);
  return MilpEngine(bounded, std::make_shared<const NetworkEvaluators>(query.network), solver(name), options)
      .decide(query, {});
}

// A tie can be decided by luck only: a solver has tolerances, and a witness must be unsafe in float32 as well.
bool is_near_a_tie(const Query& query) {
  if (has_l2_ball(query.region)) return true;
  for (const Conjunction& conjunction : query.unsafe.conjunctions) {
    if (conjunction.empty()) return false;
  }
  const auto slack = testing::exact_largest_slack(query);
  return slack && abs(*slack) < mpq_class(1, 100000);
}

struct Tally {
  int holds = 0, violated = 0, unknown = 0, by_solver = 0;
};

void expect_truth(const Query& query, const Verdict& verdict, bool reached, Tally& tally) {
  switch (verdict.answer) {
    case Answer::kHolds:
      ++tally.holds;
      tally.by_solver += verdict.evidence == Evidence::kSolver;
      EXPECT_FALSE(reached) << verdict.reason;
      break;
    case Answer::kViolated: {
      ++tally.violated;
      EXPECT_TRUE(reached) << verdict.reason;
      ASSERT_TRUE(verdict.witness);
      EXPECT_TRUE(holds(query.unsafe, verdict.witness->input, verdict.witness->outputs));
      EXPECT_TRUE(!verdict.witness->parameters.empty() || contains(query.region, verdict.witness->input));
      break;
    }
    case Answer::kUnknown:
      ++tally.unknown;
      EXPECT_TRUE(is_near_a_tie(query)) << verdict.reason;
      break;
  }
}

// Every way of asking.
std::vector<std::pair<std::string, MilpOptions>> all_ways() {
  using enum BoundMethod;
  std::vector<std::pair<std::string, MilpOptions>> ways;
  const auto add = [&](std::string name) -> MilpOptions& {
    ways.emplace_back(std::move(name), without_attack());
    return ways.back().second;
  };
  add("default");
  add("intervals").methods = {kInterval};
  add("linear").methods = {kInterval, kLinear};
  MilpOptions& layered = add("layered, intervals");
  layered.network = NetworkForm::kLayered;
  layered.methods = {kInterval};
  add("layered").network = NetworkForm::kLayered;
  MilpOptions& together = add("together");
  together.conjunctions = ConjunctionForm::kTogether;
  together.methods = {kInterval};
  MilpOptions& symmetric = add("symmetric");
  symmetric.big_m = BigM::kSymmetric;
  symmetric.methods = {kInterval};
  return ways;
}

// The same question with all bounds moved so that the largest slack is about `slack`: bounds of units decide few of
// these.
Query moved_to_slack(const Query& query, double slack) {
  if (has_l2_ball(query.region)) return query;
  const auto largest = testing::exact_largest_slack(query);
  if (!largest) return query;
  UnsafeSet unsafe = query.unsafe;
  for (Conjunction& conjunction : unsafe.conjunctions) {
    for (OutputInequality& inequality : conjunction) inequality.bound += slack - largest->get_d();
  }
  return Query(query.network, query.region, unsafe);
}

TEST(MilpEngine, DecidesTinyNetworksAsBruteForceDoes) {
  const auto ways = all_ways();
  Random random(1);
  std::map<std::string, Tally> tallies;
  for (int round = 0; round < testing::rounds(); ++round) {
    SCOPED_TRACE(round);
    const Network network = testing::tiny_network(random);
    const Query any = random_query(random, network);
    const Query query = round % 3 == 0 ? any : moved_to_slack(any, round % 3 == 1 ? -0.0625 : 0.0625);
    const bool reached = testing::exact_witness(query).has_value();
    for (const auto& [name, options] : ways) {
      SCOPED_TRACE(name);
      expect_truth(query, decide(query, options), reached, tallies[name]);
    }
  }
  for (const auto& [name, tally] : tallies) {
    SCOPED_TRACE(name);
    std::printf("%s: holds %d (solver %d), violated %d, unknown %d\n", name.c_str(), tally.holds, tally.by_solver,
                tally.violated, tally.unknown);
    EXPECT_GT(tally.holds, 0);
    EXPECT_GT(tally.by_solver, 0);
    EXPECT_GT(tally.violated, 0);
    EXPECT_LT(tally.unknown, testing::rounds() / 10);
  }
}

}  // namespace
}  // namespace plumb
