// The fast engine on every instruction set of the machine. Verdicts are the same everywhere. With fused multiply-add
// the searches are the same down to the last subproblem, for every vector width.
#include <gtest/gtest.h>

#include "search/decide.h"
#include "solvers/solvers.h"
#include "soundness/tight_query.h"
#include "support/instruction_sets.h"
#include "support/random_network.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using testing::Random;
using testing::uniform;

bool has_fused_operations(std::int64_t target) { return (target & (HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL)) != 0; }

verdict::Verdict decided(const property::Query& query) {
  const auto bounded = std::make_shared<const bounds::BoundedNetwork>(query.network);
  search::DecideOptions options;
  options.splitting = search::InputSplitting::kUnit;
  options.attack_rounds = options.tighten_steps = 0;
  const search::SearchEngine engine(
      bounded, std::make_shared<const attack::NetworkEvaluators>(query.network),
      [] { return solvers::make_solver(solvers::kDefaultSolver); }, options);
  return engine.decide(query, {});
}

TEST(InstructionSets, GiveTheSameVerdictsAndTheSameSearch) {
  Random random(41);
  int searched = 0;
  for (int round = 0; round < testing::rounds() / 5; ++round) {
    const network::Network network = testing::random_chain(random, {3, 5, 5, 1});
    const property::Query query = testing::near_the_least_value(network, uniform(random, 0, 1) == 0);
    const verdict::Verdict usual = decided(query);
    searched += usual.statistics.nodes > 1;
    testing::with_each_instruction_set([&](std::int64_t target) {
      const verdict::Verdict verdict = decided(query);
      ASSERT_EQ(verdict.answer, usual.answer) << "round " << round << ": " << verdict.reason;
      if (!has_fused_operations(target)) return;
      ASSERT_EQ(verdict.statistics.nodes, usual.statistics.nodes) << "round " << round;
      ASSERT_EQ(verdict.statistics.work, usual.statistics.work) << "round " << round;
    });
  }
  EXPECT_GT(searched, testing::rounds() / 20);
}

}  // namespace
}  // namespace plumb
