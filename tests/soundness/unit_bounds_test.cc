// Bounds of units by trees of their own: never beyond a true value, for all operations, regions and limits; confirmed
// by an audit; the same for any number of threads; and strong where linear bounds are useless.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "audit/audit.h"
#include "bounds/bounds.h"
#include "events/listener.h"
#include "events/listeners.h"
#include "lanes/claims.h"
#include "search/unit_bounds/layer_tightening.h"
#include "soundness/audited_engine.h"
#include "soundness/reduced_case.h"
#include "support/exact_decision.h"
#include "support/random_query.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using testing::Random;
using testing::uniform;

// One network over one part of a region.
struct Case {
  std::shared_ptr<const network::Network> network;
  property::SimpleRegion region;
  bounds::RegionBounds bounds;

  Case(std::shared_ptr<const network::Network> of, property::SimpleRegion over)
      : network(std::move(of)),
        region(std::move(over)),
        bounds(std::make_shared<const bounds::BoundedNetwork>(network), property::Region(region)) {
    compute_bounds(bounds, {});
  }
};

search::LayerOptions few_steps(Random& random) {
  constexpr std::int64_t kSizes[] = {1, 3, 16, 100};
  search::LayerOptions options;
  options.trees.search.root.steps = static_cast<int>(uniform(random, 0, 8));
  options.trees.search.child.steps = static_cast<int>(uniform(random, 0, 4));
  options.trees.subproblems_per_side = kSizes[uniform(random, 0, 3)];
  options.trees.narrow_ranges = uniform(random, 0, 4) > 0;
  if (uniform(random, 0, 3) == 0) options.trees.search.queue_bytes = 1;  // one unit at a time
  if (uniform(random, 0, 5) == 0) options.most_bytes = uniform(random, 100, 3000);
  return options;
}

search::UnitTreeCounts tighten(bounds::RegionBounds& bounds, const search::LayerOptions& options, int rounds,
                               events::EventSink& events, const Limits& limits = {}) {
  Budget budget(limits);
  const auto back_end = lanes::default_back_end();
  search::LayerTightening layers(bounds, options, *back_end, budget, events);
  search::UnitTreeCounts counts;
  for (int round = 0; round < rounds && layers.may_gain(); ++round) counts += layers.tighten();
  return counts;
}

// Twice: on one thread with an audit, and on three. Both must come to the same bounds.
search::UnitTreeCounts tighten_audited(Case& c, search::LayerOptions options, audit::AuditCounts& audited) {
  constexpr int kRounds = 2;
  bounds::RegionBounds threaded = c.bounds;
  const property::OutputInequality never{
      std::vector<double>(static_cast<std::size_t>(c.network->output_size()), 0.0), {}, -1, false};
  const property::Query query(c.network, property::Region(c.region), property::UnsafeSet{{{never}}});
  audit::Audit audit(query);
  events::EventSink& listener = audit.listener();
  listener.query_begins(query);
  listener.piece_begins(c.region, 0);
  listener.bounded(lanes::node_claims(c.bounds));
  const search::UnitTreeCounts counts = tighten(c.bounds, options, kRounds, listener);
  listener.refuted_by_values(0, 1);
  listener.piece_ends(true);
  const verdict::Verdict holds = verdict::holds("nothing is unsafe", 1);
  listener.query_ends(holds);
  EXPECT_EQ(audit.confirm(holds), "");
  audited = audit.counts();
  options.trees.search.threads = 3;
  events::Listener nobody;
  EXPECT_EQ(tighten(threaded, options, kRounds, nobody).subproblems, counts.subproblems);
  for (network::NodeId id = 0; id < c.network->nodes().size(); ++id) {
    EXPECT_TRUE(std::ranges::equal(threaded.store.lower(id), c.bounds.store.lower(id))) << "node " << id;
    EXPECT_TRUE(std::ranges::equal(threaded.store.upper(id), c.bounds.store.upper(id))) << "node " << id;
  }
  return counts;
}

// Every operation; or a chain that is deep enough for bounds of units to matter.
std::pair<network::Network, property::SimpleRegion> any_case(Random& random) {
  if (uniform(random, 0, 1) == 0) {
    auto c = testing::random_case(random);
    return {std::move(c->network), std::move(c->region)};
  }
  const std::int64_t inputs = uniform(random, 2, 4);
  network::Network network =
      testing::random_chain(random, {inputs, uniform(random, 4, 8), uniform(random, 4, 8), uniform(random, 2, 8), 1});
  const auto kind = static_cast<testing::RegionKind>(uniform(random, 0, testing::kRegionKinds - 1));
  return {std::move(network), testing::random_part(random, static_cast<std::size_t>(inputs), kind)};
}

std::int64_t count_tighter(const bounds::RegionBounds& before, const bounds::RegionBounds& after) {
  std::int64_t tighter = 0;
  for (network::NodeId id = 0; id < before.network->network().nodes().size(); ++id) {
    for (std::size_t i = 0; i < before.store.lower(id).size(); ++i) {
      EXPECT_GE(after.store.lower(id)[i], before.store.lower(id)[i]);
      EXPECT_LE(after.store.upper(id)[i], before.store.upper(id)[i]);
      tighter += after.store.lower(id)[i] > before.store.lower(id)[i] + 1e-6;
      tighter += after.store.upper(id)[i] < before.store.upper(id)[i] - 1e-6;
    }
  }
  return tighter;
}

// Also the rows that are made from such bounds must be true: decided units are substituted in them.
void expect_true_rows(const Case& c, const testing::ExactPoint& point,
                      const std::vector<std::vector<testing::ExactInterval>>& values) {
  std::vector<double> functionals(static_cast<std::size_t>(c.network->output_size()), 1.0);
  const auto rows =
      reduction::ReducedNetwork::build(c.bounds, output_functionals(c.bounds, functionals), testing::kManyBytes);
  const testing::Truth truth = testing::truth_at(*c.network, *rows, point);
  testing::ExactInterval sum{0, 0};
  for (const network::NetworkOutput& output : c.network->outputs()) {
    for (const testing::ExactInterval& value : values[output.node]) sum = sum + value;
  }
  const auto row = static_cast<std::size_t>(rows->functional_row(0));
  const mpq_class error = mpq_class(rows->error(rows->functional_row(0))) + truth.slack[row];
  ASSERT_LE(sum.low, truth.row[row] + error);
  ASSERT_GE(sum.high, truth.row[row] - error);
}

TEST(UnitBounds, HoldTheTrueValuesOfAnyNetwork) {
  Random random(101);
  std::int64_t tighter = 0, decided = 0, elements = 0, large = 0;
  for (int round = 0; round < testing::rounds(); ++round) {
    auto [network, region] = any_case(random);
    Case c(shared(std::move(network)), std::move(region));
    if (c.bounds.store.region_is_empty()) continue;
    const bounds::RegionBounds before = c.bounds;
    audit::AuditCounts audited;
    const search::LayerOptions options = few_steps(random);
    try {
      decided += tighten_audited(c, options, audited).decided;
    } catch (const std::exception& error) {
      FAIL() << "round " << round << ": " << error.what();
    }
    tighter += count_tighter(before, c.bounds);
    elements += audited.of(certificate::Kind::kElements);
    large += options.most_bytes < 3000;
    for (int k = 0; k < 10; ++k) {
      const testing::ExactPoint point = testing::exact_point(random, c.region);
      const auto truth = testing::exact_values(*c.network, point.input);
      for (network::NodeId id = 0; id < truth.size(); ++id) {
        for (std::size_t i = 0; i < truth[id].size(); ++i) {
          ASSERT_LE(mpq_class(c.bounds.store.lower(id)[i]), truth[id][i].high) << "round " << round << ", node " << id;
          ASSERT_GE(mpq_class(c.bounds.store.upper(id)[i]), truth[id][i].low) << "round " << round << ", node " << id;
        }
      }
      expect_true_rows(c, point, truth);
    }
  }
  EXPECT_GT(tighter, testing::often(testing::rounds()));
  EXPECT_GT(decided, testing::often(testing::rounds() / 10));
  EXPECT_GT(elements, testing::often(testing::rounds() / 2));
  EXPECT_GT(large, testing::often(testing::rounds() / 20));
}

// The network that ends at a node.
network::Network up_to(const network::Network& network, network::NodeId id) {
  return {{network.nodes().begin(), network.nodes().begin() + static_cast<std::ptrdiff_t>(id) + 1},
          network.inputs(),
          {{"value", {network.size(id)}, id}}};
}

// The true range of each argument that trees have bounded, by brute force.
TEST(UnitBounds, ContainTheExactRangesInTinyNetworks) {
  Random random(102);
  std::int64_t tighter = 0, checked = 0;
  for (int round = 0; round < testing::rounds(); ++round) {
    const auto network = shared(testing::tiny_network(random));
    const auto kind = static_cast<testing::RegionKind>(uniform(random, 0, testing::kRegionKinds - 1));
    Case c(network, testing::random_part(random, static_cast<std::size_t>(network->input_size()), kind));
    const bounds::RegionBounds before = c.bounds;
    audit::AuditCounts audited;
    try {
      tighten_audited(c, few_steps(random), audited);
    } catch (const std::exception& error) {
      FAIL() << "round " << round << ": " << error.what();
    }
    tighter += count_tighter(before, c.bounds);
    for (network::NodeId id = 0; id < network->nodes().size(); ++id) {
      for (std::size_t i = 0; i < before.store.lower(id).size(); ++i) {
        const double lower = c.bounds.store.lower(id)[i], upper = c.bounds.store.upper(id)[i];
        if (lower == before.store.lower(id)[i] && upper == before.store.upper(id)[i]) continue;
        std::vector<mpq_class> one(before.store.lower(id).size(), 0);
        const network::Network part = up_to(*network, id);
        for (const int sign : {1, -1}) {
          one[i] = sign;
          const auto least = testing::exact_minimum(part, property::Region(c.region), one);
          if (!least) continue;
          ASSERT_LE(mpq_class(sign > 0 ? lower : -upper), least->high) << "round " << round << ", node " << id;
          ++checked;
        }
      }
    }
  }
  EXPECT_GT(tighter, testing::often(testing::rounds() / 30));
  EXPECT_GT(checked, testing::often(testing::rounds() / 30));
}

// Arguments of the second layer that are always negative, although linear bounds leave them undecided:
// relu(x + y) - relu(x) - relu(y) - 0.05.
network::Network cancelling(std::int64_t pairs) {
  std::vector<double> first, second, offsets(static_cast<std::size_t>(pairs), -0.05);
  for (std::int64_t p = 0; p < pairs; ++p) {
    for (const auto& [x, y] : {std::pair{1.0, 1.0}, {1.0, 0.0}, {0.0, 1.0}}) {
      for (std::int64_t i = 0; i < 2 * pairs; ++i) first.push_back(i == 2 * p ? x : i == 2 * p + 1 ? y : 0);
    }
    for (std::int64_t i = 0; i < 3 * pairs; ++i) second.push_back(i / 3 != p ? 0 : i % 3 == 0 ? 1 : -1);
  }
  const std::vector<double> sum(static_cast<std::size_t>(pairs), -1.0);
  return {{{"x", network::Input{0}, {}, {2 * pairs}},
           {"z1", network::Dense{1, 2 * pairs, 3 * pairs, network::Coefficients(first), {}}, {0}, {3 * pairs}},
           {"r1", network::Relu{}, {1}, {3 * pairs}},
           {"z2",
            network::Dense{1, 3 * pairs, pairs, network::Coefficients(second), network::Coefficients(offsets)},
            {2},
            {pairs}},
           {"r2", network::Relu{}, {3}, {pairs}},
           {"y", network::Dense{1, pairs, 1, network::Coefficients(sum), {}}, {4}, {1}}},
          {{"x", {2 * pairs}}},
          {{"y", {1}, 5}}};
}

property::Box around_zero(std::int64_t size) {
  return {std::vector<double>(static_cast<std::size_t>(size), -1.0),
          std::vector<double>(static_cast<std::size_t>(size), 1.0)};
}

TEST(UnitBounds, DecideInOneRoundWhatLinearBoundsCannot) {
  constexpr std::int64_t kPairs = 40;
  bounds::RegionBounds bounds(std::make_shared<const bounds::BoundedNetwork>(shared(cancelling(kPairs))),
                              property::Region(around_zero(2 * kPairs)));
  compute_bounds(bounds, {});
  for (const double upper : bounds.store.upper(3)) ASSERT_GT(upper, 0.5);
  Budget budget(Limits{});
  events::Listener nobody;
  const auto back_end = lanes::default_back_end();
  search::LayerTightening layers(bounds, {}, *back_end, budget, nobody);
  EXPECT_EQ(layers.tighten().decided, kPairs);
  for (const double upper : bounds.store.upper(3)) EXPECT_LE(upper, 0);
  for (const double slope : bounds.relu[4].upper_slope) EXPECT_EQ(slope, 0);
  EXPECT_TRUE(layers.may_gain());  // what was gained may help elsewhere
  EXPECT_EQ(layers.tighten().subproblems, 0);
  EXPECT_FALSE(layers.may_gain());
}

// The argument z2 is read again after a layer whose rows are too large, with which tightening ends. The second ReLU is
// decided as well, so its lines must be those of a decided one.
TEST(UnitBounds, RedrawTheLinesOfAllThatReadANode) {
  constexpr std::int64_t kPairs = 10, kWide = 200;
  Random random(105);
  const network::Network simple = cancelling(kPairs);
  std::vector<network::Node> nodes(simple.nodes().begin(), simple.nodes().begin() + 5);
  const network::Coefficients wide(testing::random_weights(random, 3 * kPairs * kWide));
  const network::Coefficients sum(std::vector<double>(kWide, 1.0)), own(std::vector<double>(kPairs, 1.0));
  nodes.push_back({"z3", network::Dense{1, 3 * kPairs, kWide, wide, {}}, {2}, {kWide}});
  nodes.push_back({"r3", network::Relu{}, {5}, {kWide}});
  nodes.push_back({"again", network::Relu{}, {3}, {kPairs}});
  nodes.push_back({"y", network::Dense{1, kPairs, 1, own, {}}, {7}, {1}});
  nodes.push_back({"v", network::Dense{1, kWide, 1, sum, {}}, {6}, {1}});
  const auto network = shared(network::Network(nodes, simple.inputs(), {{"y", {1}, 8}, {"v", {1}, 9}}));
  Case c(network, around_zero(2 * kPairs));
  search::LayerOptions options;
  options.most_bytes = 50'000;
  Budget budget(Limits{});
  events::Listener nobody;
  const auto back_end = lanes::default_back_end();
  search::LayerTightening layers(c.bounds, options, *back_end, budget, nobody);
  EXPECT_EQ(layers.tighten().decided, kPairs);
  for (const double slope : c.bounds.relu[7].upper_slope) EXPECT_EQ(slope, 0);
  for (const double slope : c.bounds.relu[7].lower_slope) EXPECT_EQ(slope, 0);
  for (int k = 0; k < 10; ++k) {
    const testing::ExactPoint point = testing::exact_point(random, c.region);
    expect_true_rows(c, point, testing::exact_values(*network, point.input));
  }
}

// A network whose second layer is undecided in truth as well.
TEST(UnitBounds, EndAfterARoundWithoutGain) {
  Random random(103);
  Case c(shared(testing::random_chain(random, {4, 10, 10, 1})), around_zero(4));
  Budget budget(Limits{});
  events::Listener nobody;
  const auto back_end = lanes::default_back_end();
  search::LayerOptions options;
  options.trees.subproblems_per_side = 1;
  options.trees.search.root.steps = 0;
  options.trees.narrow_ranges = false;
  search::LayerTightening layers(c.bounds, options, *back_end, budget, nobody);
  EXPECT_TRUE(layers.may_gain());
  EXPECT_EQ(layers.tighten().decided, 0);
  EXPECT_FALSE(layers.may_gain());
}

// Cancels when it hears of the first bound of a subproblem, and counts what comes still.
struct CancelAtOnce : events::Listener {
  bool wants_details() const override { return true; }
  void subproblem_bounded(const events::Closing&) override {
    ++bounds;
    cancel = true;
  }
  void closed(const events::Closing&) override { ++bounds; }
  std::atomic<bool> cancel = false;
  std::int64_t bounds = 0;
};

TEST(UnitBounds, StopAfterTheBatchesThatTheyAreAt) {
  Random random(104);
  const auto network = shared(testing::random_chain(random, {4, 60, 200, 1}));
  Case c(network, around_zero(4));
  CancelAtOnce events;
  tighten(c.bounds, {}, 1, events, {.cancel = &events.cancel});
  const std::int64_t at_once = 8 * lanes::default_back_end()->float_width();
  EXPECT_GT(events.bounds, 0);
  EXPECT_LE(events.bounds, at_once);
  CancelAtOnce all;
  Case other(network, around_zero(4));
  tighten(other.bounds, {}, 1, all);
  EXPECT_GT(all.bounds, 2 * at_once);
}

class UnitBoundsInSearches : public testing::AuditedEngine {};

TEST_F(UnitBoundsInSearches, DecideAQuery) {
  constexpr std::int64_t kPairs = 4;
  const property::Query query(shared(cancelling(kPairs)), property::Region(around_zero(2 * kPairs)),
                              property::UnsafeSet{{{property::OutputInequality{{1}, {}, -0.01, false}}}});
  search::DecideOptions options = testing::no_attack();
  options.tighten_steps = 0;
  options.subproblems_before_cuts = 1;
  const verdict::Verdict verdict = decided(query, options);
  EXPECT_EQ(verdict.answer, verdict::Answer::kHolds);
  EXPECT_EQ(verdict.reason, "bounds of units by trees");
  EXPECT_GT(audited_.of(certificate::Kind::kElements), 0);
  options.subproblems_per_unit = 0;
  EXPECT_NE(decided(query, options).reason, "bounds of units by trees");
}

}  // namespace
}  // namespace plumb
