// Propagation on networks that are clauses written as units (support/clause_network.h).
#include "search/propagation/propagation.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>

#include "base/numbers.h"
#include "bounds/bounds.h"
#include "bounds/unsafe_functionals.h"
#include "events/listener.h"
#include "search/propagation/propagation_search.h"
#include "support/clause_network.h"

namespace plumb::search {
namespace {

using reduction::Split;
using testing::Formula;

struct Case {
  explicit Case(const Formula& formula)
      : query(testing::satisfying_assignments(formula)),
        bounds(std::make_shared<const bounds::BoundedNetwork>(query.network), query.region) {
    compute_bounds(bounds, {});
    reduced = reduction::ReducedNetwork::build(bounds, unsafe_functionals(bounds, query.unsafe).rows, 1 << 20);
  }

  Propagation propagation() const { return {*reduced, {reduced->functional_row(0), reduced->functional_row(1)}}; }
  // The unit relu(2x - 1) of variable `v`, counted from 1. (Those of relu(x) are not quite decided, within rounding.)
  std::int64_t unit_of(int v) const {
    for (std::int64_t k = 0; k < reduced->unit_count(); ++k) {
      const auto columns = reduced->on_inputs().columns(k);
      const bool has_both_signs = reduced->units()[index(k)].lower < -0.5;
      if (columns.size() == 1 && reduced->space().scaled_input(columns[0]) == v - 1 && has_both_signs) return k;
    }
    throw std::logic_error("a variable without a unit");
  }

  property::Query query;
  bounds::RegionBounds bounds;
  std::optional<reduction::ReducedNetwork> reduced;
};

constexpr double kNear = 1e-6;

TEST(Propagation, FollowsAChainOfClauses) {
  const Case c({4, {{1, 2}, {-1, 3}, {-3, -4}, {1, 4}}});
  Propagation propagation = c.propagation();
  ASSERT_TRUE(propagation.propagate());
  for (int v = 1; v <= 4; ++v) EXPECT_TRUE(propagation.is_open(c.unit_of(v)));
  ASSERT_TRUE(propagation.decide(c.unit_of(1), Split::kActive) && propagation.propagate());
  // 1 implies 3, and 3 implies not 4. Nothing is known about 2.
  EXPECT_GT(propagation.input(0).lower, 1 - kNear);
  EXPECT_GT(propagation.input(2).lower, 1 - kNear);
  EXPECT_LT(propagation.input(3).upper, -1 + kNear);
  EXPECT_TRUE(propagation.is_open(c.unit_of(2)));
}

TEST(Propagation, MeetsAContradiction) {
  const Case c({2, {{1, 2}, {1, -2}, {-1, 2}, {-1, -2}}});
  Propagation propagation = c.propagation();
  ASSERT_TRUE(propagation.propagate());
  for (const Split side : {Split::kActive, Split::kInactive}) {
    const std::size_t mark = propagation.mark();
    EXPECT_FALSE(propagation.decide(c.unit_of(1), side) && propagation.propagate());
    propagation.undo(mark);
  }
}

TEST(Propagation, ForgetsWhatIsUndone) {
  const Case c({4, {{1, 2}, {-1, 3}, {-3, -4}, {1, 4}}});
  Propagation propagation = c.propagation();
  ASSERT_TRUE(propagation.propagate());
  const std::size_t mark = propagation.mark();
  const std::int64_t open = propagation.open_units();
  std::vector<Propagation::Range> before;
  for (std::int64_t k = 0; k < c.reduced->unit_count(); ++k) before.push_back(propagation.unit(k));
  // Twice: what was undone must not keep the second time from finding the same.
  for (int time = 0; time < 2; ++time) {
    ASSERT_TRUE(propagation.decide(c.unit_of(1), Split::kActive) && propagation.propagate());
    EXPECT_LT(propagation.input(3).upper, -1 + kNear);
    propagation.undo(mark);
    EXPECT_EQ(propagation.open_units(), open);
    for (std::int64_t k = 0; k < c.reduced->unit_count(); ++k) {
      EXPECT_EQ(propagation.unit(k).lower, before[index(k)].lower);
      EXPECT_EQ(propagation.unit(k).upper, before[index(k)].upper);
    }
  }
}

// Whether there is a satisfying assignment, by the search. Points count if their signs are such an assignment.
PropagationEnd search(const Formula& formula, const Case& c, std::int64_t& nodes) {
  Budget budget{Limits{}};
  Propagation propagation = c.propagation();
  if (!propagation.propagate()) return PropagationEnd::kRefuted;
  const auto satisfies = [&](std::span<const double> u) {
    std::vector<bool> assignment(index(formula.variables), false);
    for (std::size_t i = 0; i < u.size(); ++i)
      assignment[index(c.reduced->space().scaled_input(static_cast<std::int64_t>(i)))] = u[i] > 0;
    return is_satisfied(formula, assignment);
  };
  events::Listener nobody;
  PropagationReport report(propagation, 0, nobody);
  PropagationSearch tree(*c.reduced, propagation, report, budget, satisfies,
                         [](auto) { return PropagationEnd::kOpen; });
  const PropagationEnd end = tree.run();
  nodes += tree.nodes();
  return end;
}

TEST(PropagationSearch, AgreesWithTruthTables) {
  testing::Random random(12);
  int satisfiable = 0, unsatisfiable = 0, open = 0;
  std::int64_t nodes = 0;
  for (int round = 0; round < 200; ++round) {
    const Formula formula = testing::random_formula(random, 14, testing::uniform(random, 54, 68), 3);
    const bool truth = testing::is_satisfiable(formula);
    const PropagationEnd end = search(formula, Case(formula), nodes);
    if (end == PropagationEnd::kOpen) {
      ++open;
      continue;
    }
    ASSERT_EQ(end, truth ? PropagationEnd::kWitness : PropagationEnd::kRefuted) << "round " << round;
    ++(truth ? satisfiable : unsatisfiable);
  }
  EXPECT_GT(satisfiable, 50);
  EXPECT_GT(unsatisfiable, 50);
  EXPECT_LT(open, 10);
  EXPECT_LT(nodes, 200 * 10);
}

}  // namespace
}  // namespace plumb::search
