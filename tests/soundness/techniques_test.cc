// Every technique of the search, alone and left out, against brute force in exact arithmetic and under the audit.
#include <gtest/gtest.h>

#include <string>

#include "search/techniques.h"
#include "soundness/audited_engine.h"
#include "support/exact_decision.h"
#include "support/random_query.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using testing::Random;
using testing::uniform;

search::DecideOptions left_out(search::Technique technique) {
  search::DecideOptions options;
  leave_out(technique, options);
  return options;
}

search::DecideOptions alone(search::Technique technique) {
  search::DecideOptions options;
  for (const search::NamedTechnique& other : search::named_techniques()) {
    if (other.technique != technique) leave_out(other.technique, options);
  }
  return options;
}

class Techniques : public testing::AuditedEngine, public ::testing::WithParamInterface<search::NamedTechnique> {
 protected:
  // Whether an output of a deep chain goes below something near its least value: only trees tell.
  void compare(const search::DecideOptions& options, std::uint64_t seed) {
    Random random(seed);
    const int rounds = std::max(2, testing::rounds() / 4);
    int reached_ones = 0;
    for (int round = 0; round < rounds; ++round) {
      SCOPED_TRACE(round);
      const network::Network network = testing::random_chain(random, {2, 4, 4, 4, 1});
      const property::Region region(property::Box{{-1, -1}, {1, 1}});
      const double least = testing::exact_minimum(network, region, {1})->low.get_d();
      const bool reached = uniform(random, 0, 1) == 0;
      const double bound = least + (reached ? 1e-3 : -1e-3);
      const property::Query query(
          shared(network), region,
          property::UnsafeSet{{property::Conjunction{property::OutputInequality{{1}, {}, bound, false}}}});
      search::DecideOptions by_units = options;
      by_units.splitting = search::InputSplitting::kUnit;
      const bool forward = options.forward != bounds::ForwardUse::kNever;
      if (forward) by_units.forward = bounds::ForwardUse::kAlways;  // the network is too small for them to pay
      const verdict::Verdict verdict = decided(query, by_units);
      ASSERT_EQ(verdict.answer, reached ? verdict::Answer::kViolated : verdict::Answer::kHolds) << verdict.reason;
      reached_ones += reached;
    }
    EXPECT_GT(reached_ones, testing::often(rounds / 4));
    EXPECT_LT(reached_ones, rounds);
    EXPECT_GT(audited_.closings(), testing::often(rounds / 4));
  }
};

TEST_P(Techniques, NeverContradictBruteForceAlone) { compare(alone(GetParam().technique), 71); }

TEST_P(Techniques, NeverContradictBruteForceLeftOut) { compare(left_out(GetParam().technique), 72); }

INSTANTIATE_TEST_SUITE_P(Search, Techniques, ::testing::ValuesIn(search::named_techniques()), [](const auto& one) {
  std::string name = one.param.name;
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace plumb
