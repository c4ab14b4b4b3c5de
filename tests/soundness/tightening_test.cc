// Bounds from linear and integer programs against the truth: random networks evaluated in exact arithmetic at points of
// the region.
#include "milp/tightening/progressive.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "solvers/solvers.h"
#include "support/exact_evaluator.h"
#include "support/random_query.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using enum bounds::BoundMethod;
using testing::Random;

bounds::RegionBounds tight_bounds(const std::shared_ptr<const bounds::BoundedNetwork>& network,
                                  const property::Region& region, milp::TighteningOptions options,
                                  milp::ElementBoundStatistics* statistics = nullptr) {
  static const std::unique_ptr<const program::Solver> solver = solvers::make_solver(solvers::kDefaultSolver);
  bounds::RegionBounds bounds(network, region);
  Budget unlimited{{}};
  const milp::ElementBoundStatistics counts = compute_tight_bounds(bounds, options, solver.get(), unlimited);
  if (statistics != nullptr) *statistics = counts;
  return bounds;
}

milp::TighteningOptions listed(std::vector<bounds::BoundMethod> methods) {
  milp::TighteningOptions options;
  options.methods = std::move(methods);
  return options;
}

double total_width(const bounds::RegionBounds& bounds) {
  double width = 0;
  const network::Network& network = bounds.network->network();
  for (network::NodeId id = 0; id < network.nodes().size(); ++id) {
    for (std::size_t i = 0; i < bounds.store.lower(id).size(); ++i) {
      width += bounds.store.upper(id)[i] - bounds.store.lower(id)[i];
    }
  }
  return width;
}

// Every list of methods, both encodings, progressive or not.
std::vector<milp::TighteningOptions> all_ways() {
  std::vector<milp::TighteningOptions> ways{listed({kInterval, kLp}), listed({kInterval, kLinear, kAlpha}),
                                            listed({kInterval, kLinear, kAlpha, kLp}),
                                            listed({kInterval, kLinear, kLp, kMilp})};
  ways.push_back(listed({kInterval, kLp}));
  ways.back().programs.layered = true;
  ways.push_back(listed({kInterval, kLp}));
  ways.back().progressive = false;
  return ways;
}

TEST(Tightening, NoValueLiesOutsideOfBoundsByPrograms) {
  Random random(11);
  const auto ways = all_ways();
  for (int round = 0; round < std::max(30, testing::rounds() / 6); ++round) {
    const network::Network network = testing::tiny_network(random);
    const auto kind = static_cast<testing::RegionKind>(round % testing::kRegionKinds);
    const property::SimpleRegion part =
        testing::random_part(random, static_cast<std::size_t>(network.input_size()), kind);
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
    std::vector<std::vector<std::vector<testing::ExactInterval>>> truths;
    for (int k = 0; k < 8; ++k) {
      const std::vector<double> point = random_point(part, random);
      const bool inside = contains(property::Region(part), point);
      if (inside) truths.push_back(testing::exact_values(network, testing::exact_point(point)));
    }
    for (std::size_t way = 0; way < ways.size(); ++way) {
      SCOPED_TRACE(::testing::Message() << "round " << round << ", way " << way);
      const bounds::RegionBounds bounds = tight_bounds(bounded, property::Region(part), ways[way]);
      for (const auto& truth : truths) {
        for (network::NodeId id = 0; id < network.nodes().size(); ++id) {
          for (std::size_t i = 0; i < truth[id].size(); ++i) {
            ASSERT_LE(mpq_class(bounds.store.lower(id)[i]), truth[id][i].low) << "node " << id << ", element " << i;
            ASSERT_GE(mpq_class(bounds.store.upper(id)[i]), truth[id][i].high) << "node " << id << ", element " << i;
          }
        }
      }
    }
  }
}

TEST(Tightening, EachMethodImprovesOnTheOnesBefore) {
  Random random(12);
  double intervals = 0, linear = 0, lp = 0, milp = 0;
  for (int round = 0; round < 30; ++round) {
    const network::Network network = testing::tiny_network(random);
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
    const property::Region region(
        testing::random_part(random, static_cast<std::size_t>(network.input_size()), testing::RegionKind::kBox));
    intervals += total_width(tight_bounds(bounded, region, listed({kInterval})));
    linear += total_width(tight_bounds(bounded, region, listed({kInterval, kLinear})));
    lp += total_width(tight_bounds(bounded, region, listed({kInterval, kLinear, kLp})));
    milp += total_width(tight_bounds(bounded, region, listed({kInterval, kLinear, kLp, kMilp})));
  }
  EXPECT_LT(linear, intervals);
  EXPECT_LT(lp, linear);
  EXPECT_LT(milp, lp);
}

TEST(Tightening, ResultsDoNotDependOnThreadsAndProgressSavesPrograms) {
  Random random(13);
  std::int64_t progressive = 0, stubborn = 0;
  for (int round = 0; round < 10; ++round) {
    const network::Network network = testing::random_network(random, 12);
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
    const property::Region region(
        testing::random_part(random, static_cast<std::size_t>(network.input_size()), testing::RegionKind::kBox));
    milp::TighteningOptions options = listed({kInterval, kLinear, kLp});
    milp::ElementBoundStatistics counts;
    const bounds::RegionBounds one = tight_bounds(bounded, region, options, &counts);
    progressive += counts.lps;
    options.programs.threads = 3;
    const bounds::RegionBounds three = tight_bounds(bounded, region, options);
    for (network::NodeId id = 0; id < network.nodes().size(); ++id) {
      EXPECT_TRUE(std::ranges::equal(one.store.lower(id), three.store.lower(id)));
      EXPECT_TRUE(std::ranges::equal(one.store.upper(id), three.store.upper(id)));
    }
    options.progressive = false;
    tight_bounds(bounded, region, options, &counts);
    stubborn += counts.lps;
  }
  EXPECT_GT(progressive, 0);
  EXPECT_LT(progressive, stubborn);
}

// This holds for every list of methods and any number of undecided units.
TEST(Tightening, WithoutABudgetThereAreIntervalsAndNothingElse) {
  Random random(15);
  const network::Network network = testing::random_chain(random, {3, 12, 12, 1});
  const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
  const property::Region region(property::Box{std::vector<double>(3, -1.0), std::vector<double>(3, 1.0)});
  const std::unique_ptr<const program::Solver> solver = solvers::make_solver(solvers::kDefaultSolver);
  const std::atomic<bool> cancel = true;
  for (const milp::TighteningOptions& way : all_ways()) {
    Budget spent(Limits{.cancel = &cancel});
    bounds::RegionBounds bounds(bounded, region);
    compute_tight_bounds(bounds, way, solver.get(), spent);
    for (network::NodeId id = 0; id < network.nodes().size(); ++id) {
      for (std::int64_t i = 0; i < network.size(id); ++i) {
        ASSERT_EQ(bounds.store.lower_method(id, i), kInterval);
        ASSERT_EQ(bounds.store.upper_method(id, i), kInterval);
      }
    }
    EXPECT_GT(total_width(bounds), total_width(tight_bounds(bounded, region, way)));
  }
}

TEST(Tightening, OnlyBoundsByMixedIntegerProgramsAreClaims) {
  Random random(14);
  int claims = 0;
  for (int round = 0; round < 30; ++round) {
    const network::Network network = testing::tiny_network(random);
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
    const property::Region region(
        testing::random_part(random, static_cast<std::size_t>(network.input_size()), testing::RegionKind::kBox));
    EXPECT_FALSE(milp::uses_claims(tight_bounds(bounded, region, listed({kInterval, kLinear, kAlpha, kLp}))));
    claims += milp::uses_claims(tight_bounds(bounded, region, listed({kInterval, kMilp})));
  }
  EXPECT_GT(claims, 0);
}

}  // namespace
}  // namespace plumb
