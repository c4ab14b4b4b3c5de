// No range that propagation implies excludes a point that is unsafe, in exact arithmetic; and an audit confirms all of
// it.
#include "search/propagation/propagation.h"

#include <gtest/gtest.h>

#include <map>

#include "base/numbers.h"
#include "bounds/bounds.h"
#include "bounds/unsafe_functionals.h"
#include "soundness/audited_engine.h"
#include "soundness/reduced_case.h"
#include "support/clause_network.h"
#include "support/exact_decision.h"
#include "support/random_query.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using reduction::Split;
using search::Propagation;
using testing::Random;
using testing::uniform;

// Whether an exact number lies in a range, which may be off by as much as `slack`.
bool contains(const Propagation::Range& range, const mpq_class& value, const mpq_class& slack = 0) {
  return mpq_class(range.lower) - slack <= value && value <= mpq_class(range.upper) + slack;
}

property::Query single_conjunction(Random& random) {
  const network::Network network = testing::tiny_network(random);
  const testing::RegionKind kinds[] = {testing::RegionKind::kBox, testing::RegionKind::kLinfBall,
                                       testing::RegionKind::kL1Ball, testing::RegionKind::kPolytope};
  const auto part =
      testing::random_part(random, static_cast<std::size_t>(network.input_size()), kinds[uniform(random, 0, 3)]);
  property::UnsafeSet unsafe = testing::random_unsafe(random, network);
  unsafe.conjunctions.resize(1);
  return {shared(network), property::Region(part), unsafe};
}

// Decides some units of ReLU nodes as they are at the point. (What a link of a maximum is at a point is known from its
// row only.)
bool decide_as_at(const testing::Truth& truth, const property::Query& query, const reduction::ReducedNetwork& reduced,
                  Random& random, Propagation& propagation) {
  for (std::int64_t k = 0; k < reduced.unit_count(); ++k) {
    const bool is_relu =
        std::holds_alternative<network::Relu>(query.network->node(reduced.units()[index(k)].place.node).op);
    if (!is_relu || uniform(random, 0, 2) > 0) continue;
    if (!propagation.decide(k, truth.value[index(k)] > 0 ? Split::kActive : Split::kInactive)) return false;
  }
  return true;
}

TEST(Propagation, KeepsUnsafePoints) {
  Random random(71);
  int points = 0, narrower = 0;
  for (int round = 0; round < testing::rounds(); ++round) {
    SCOPED_TRACE(round);
    const property::Query query = single_conjunction(random);
    const auto witness = testing::exact_witness(query);
    if (!witness) continue;
    bounds::RegionBounds bounds(std::make_shared<const bounds::BoundedNetwork>(query.network), query.region);
    compute_bounds(bounds, {});
    const auto unsafe = unsafe_functionals(bounds, query.unsafe);
    const auto reduced = reduction::ReducedNetwork::build(bounds, unsafe.rows, testing::kManyBytes);
    const testing::Truth truth = testing::truth_at(*query.network, *reduced, {*witness, *witness});
    std::vector<std::int64_t> constraints;
    for (std::size_t f = 0; f < unsafe.first[1]; ++f)
      constraints.push_back(reduced->functional_row(static_cast<std::int64_t>(f)));
    Propagation propagation(*reduced, constraints);
    ++points;
    for (int time = 0; time < 3; ++time) {
      const std::size_t mark = propagation.mark();
      ASSERT_TRUE(time == 0 || decide_as_at(truth, query, *reduced, random, propagation));
      ASSERT_TRUE(propagation.propagate());
      narrower += propagation.mark() > mark ? 1 : 0;
      for (std::int64_t i = 0; i < reduced->space().size(); ++i) {
        const mpq_class x = (*witness)[index(reduced->space().scaled_input(i))];
        const mpq_class u = (x - mpq_class(reduced->space().centre(i))) / mpq_class(reduced->space().radius(i));
        ASSERT_TRUE(contains(propagation.input(i), u)) << "input " << i;
      }
      for (std::int64_t k = 0; k < reduced->unit_count(); ++k) {
        const mpq_class slack = truth.slack[index(k)] + mpq_class(reduced->error(k));
        ASSERT_TRUE(contains(propagation.unit(k), truth.row[index(k)], slack)) << "unit " << k;
      }
      if (time > 0) propagation.undo(mark);
    }
  }
  if (testing::counts_mean_something()) {
    EXPECT_GT(points, testing::rounds() / 6);
    EXPECT_GT(narrower, testing::rounds() / 5);
  }
}

class PropagationUnderAudit : public testing::AuditedEngine {};

TEST_F(PropagationUnderAudit, DecidesFormulas) {
  Random random(72);
  int by_propagation = 0;
  for (int round = 0; round < testing::rounds() / 5; ++round) {
    const testing::Formula formula = testing::random_formula(random, 9, uniform(random, 15, 45));
    const property::Query query = testing::satisfying_assignments(formula);
    const verdict::Verdict verdict = decided(query, testing::propagation_at_once());
    ASSERT_EQ(verdict.answer, testing::is_satisfiable(formula) ? verdict::Answer::kViolated : verdict::Answer::kHolds)
        << "round " << round << ": " << verdict.reason;
    by_propagation += verdict.reason == "propagation" ? 1 : 0;
  }
  EXPECT_GT(by_propagation, testing::rounds() / 10);
  EXPECT_GT(audited_.of(certificate::Kind::kBare), testing::rounds() / 10);
}

// Networks of several layers and maxima, over regions of all kinds.
TEST_F(PropagationUnderAudit, DecidesRandomQueries) {
  Random random(73);
  std::map<verdict::Answer, int> by_propagation;
  for (int round = 0; round < testing::rounds(); ++round) {
    SCOPED_TRACE(round);
    const property::Query query = single_conjunction(random);
    const verdict::Verdict verdict = decided(query, testing::propagation_at_once());
    if (verdict.answer == verdict::Answer::kUnknown) continue;
    ASSERT_EQ(verdict.answer == verdict::Answer::kViolated, testing::exact_witness(query).has_value())
        << verdict.reason;
    by_propagation[verdict.answer] += verdict.reason == "propagation" ? 1 : 0;
  }
  EXPECT_GT(by_propagation[verdict::Answer::kHolds], testing::often(testing::rounds() / 60));
  EXPECT_GT(by_propagation[verdict::Answer::kViolated], testing::often(testing::rounds() / 20));
  if (testing::counts_mean_something()) {
    EXPECT_GT(audited_.of(certificate::Kind::kImply), 0);
  }
  RecordProperty("implications_audited", std::to_string(audited_.of(certificate::Kind::kImply)));
}

}  // namespace
}  // namespace plumb
