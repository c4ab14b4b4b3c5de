// Branching rules other than the default: the search gives them true information, and a search that uses one is still
// correct.
#include "search/tree/branching.h"

#include <gtest/gtest.h>

#include "base/numbers.h"
#include "bounds/bounds.h"
#include "search/decide.h"
#include "solvers/solvers.h"
#include "soundness/tight_query.h"
#include "support/random_network.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using testing::Random;
using testing::uniform;

// Bounds both children of every unit, and splits the unit whose worse child has the best bound.
class BestWorseChild : public search::BranchingRule {
 public:
  explicit BestWorseChild(int steps) : steps_(steps) {}

  std::vector<search::Branch> shortlist(const search::BranchingQuestion& question) const override {
    std::vector<std::int32_t> units;
    for (const search::BranchCandidate& candidate : question.candidates) units.push_back(candidate.unit);
    const std::vector<search::ChildBounds> children = question.look_ahead.bound_children(units, steps_);
    const auto best = std::ranges::max_element(
        children, {}, [](const search::ChildBounds& child) { return std::min(child.active, child.inactive); });
    note(units, children);
    return {{units[index(best - children.begin())], 1.0}};
  }
  search::Branch choose(std::span<const search::Branch> shortlist, double, const search::PseudoCosts&) const override {
    return shortlist[0];
  }

 private:
  virtual void note(const std::vector<std::int32_t>&, const std::vector<search::ChildBounds>&) const {}
  int steps_;
};

class NotedChildren final : public BestWorseChild {
 public:
  NotedChildren() : BestWorseChild(0) {}
  mutable std::vector<std::int32_t> units;
  mutable std::vector<search::ChildBounds> bounds;

 private:
  void note(const std::vector<std::int32_t>& of, const std::vector<search::ChildBounds>& found) const override {
    units = of;
    bounds = found;
  }
};

TEST(LookAhead, SeesTheBoundsThatTheChildrenStartFrom) {
  Random random(7);
  int compared = 0;
  for (int round = 0; round < testing::rounds() / 10; ++round) {
    const network::Network network = testing::random_chain(random, {3, 12, 8, 1});
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
    bounds::RegionBounds bounds(bounded, property::Region(property::Box{{-1, -1, -1}, {1, 1, 1}}));
    compute_bounds(bounds, {});
    const auto reduced =
        reduction::ReducedNetwork::build(bounds, output_functionals(bounds, std::vector<double>{1.0}), 1 << 30);
    if (reduced->unit_count() == 0) continue;
    const auto system = lanes::default_back_end()->float_system({*reduced});
    const auto proof = lanes::default_back_end()->double_system({*reduced});
    const std::vector<search::TreeTarget> targets{{system->units(), 1, {}, kInfinity}};  // nothing is proven
    const std::vector<search::PseudoCosts> costs(1, search::PseudoCosts(system->units()));
    const NotedChildren rule;
    search::SubproblemBatch<float> batch(*system, *proof, targets, rule, costs);
    batch.take({search::Subproblem{}});
    batch.work({{.steps = 5}});
    ASSERT_EQ(std::ssize(rule.units), system->units());
    search::Subproblem child = batch.subproblem(0);
    child.start = batch.best_choices(0);
    const std::vector<std::int32_t> units = rule.units;
    const std::vector<search::ChildBounds> ahead = rule.bounds;
    for (std::size_t i = 0; i < units.size(); ++i) {
      for (const auto& [side, bound] : {std::pair{reduction::Split::kActive, ahead[i].active},
                                        std::pair{reduction::Split::kInactive, ahead[i].inactive}}) {
        child.decisions = std::make_shared<const search::Decision>(search::Decision{nullptr, units[i], side});
        batch.take({child});
        batch.work({{.steps = 0}});
        ASSERT_EQ(batch.bound(0), bound) << "round " << round << ", unit " << units[i];
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, testing::often(testing::rounds()));
}

TEST(BranchingRule, ThatLooksAheadGivesTheTrueVerdictForAnyNumberOfThreads) {
  Random random(44);
  std::int64_t subproblems = 0;
  for (int round = 0; round < testing::rounds() / 5; ++round) {
    const network::Network network = testing::random_chain(random, {3, 6, 6, 1});
    const bool violated = uniform(random, 0, 1) == 0;
    const property::Query query = testing::near_the_least_value(network, violated);
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
    std::vector<std::int64_t> nodes, work;
    for (const int threads : {1, 3}) {
      search::DecideOptions options;
      options.splitting = search::InputSplitting::kUnit;
      options.attack_rounds = options.tighten_steps = 0;
      options.propagate = false;
      options.search.threads = threads;
      options.search.branching = std::make_shared<BestWorseChild>(round % 3);
      const search::SearchEngine engine(
          bounded, std::make_shared<const attack::NetworkEvaluators>(shared(network)),
          [] { return solvers::make_solver(solvers::kDefaultSolver); }, options);
      const verdict::Verdict verdict = engine.decide(query, {});
      ASSERT_EQ(verdict.answer, violated ? verdict::Answer::kViolated : verdict::Answer::kHolds)
          << "round " << round << ": " << verdict.reason;
      nodes.push_back(verdict.statistics.nodes);
      work.push_back(verdict.statistics.work);
    }
    ASSERT_EQ(nodes[0], nodes[1]) << "round " << round;
    ASSERT_EQ(work[0], work[1]) << "round " << round;
    subproblems += nodes[0];
  }
  EXPECT_GT(subproblems, testing::often(testing::rounds()));
}

}  // namespace
}  // namespace plumb
