// Bounds against the truth: random networks over random regions, evaluated in exact rational arithmetic at corners,
// random points and points found by following a gradient. No value may lie outside the bounds of any method.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include "bounds/bounds.h"
#include "bounds/forward_forms.h"
#include "network/evaluator.h"
#include "network/simplify.h"
#include "soundness/bound_cases.h"
#include "support/exact_evaluator.h"
#include "support/random_network.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using testing::exact_point;
using testing::exact_values;
using testing::Random;
using testing::random_box;
using testing::rounds;
using testing::test_points;
using testing::uniform;

void expect_contains(const network::Network& network, const bounds::RegionBounds& bounds,
                     const std::vector<double>& point, const network::Network& truth_network,
                     const std::string& trace) {
  // The truth is computed on the original network. A simplified network has the same outputs but other inner nodes.
  if (&network == &truth_network) {
    const auto truth = exact_values(network, exact_point(point));
    for (network::NodeId id = 0; id < network.nodes().size(); ++id) {
      for (std::int64_t i = 0; i < network.size(id); ++i) {
        const auto& value = truth[id][static_cast<std::size_t>(i)];
        ASSERT_LE(mpq_class(bounds.store.lower(id)[static_cast<std::size_t>(i)]), value.low)
            << trace << ", node " << id << " (" << name_of(network.node(id).op) << "), element " << i;
        ASSERT_GE(mpq_class(bounds.store.upper(id)[static_cast<std::size_t>(i)]), value.high)
            << trace << ", node " << id << " (" << name_of(network.node(id).op) << "), element " << i;
      }
    }
  }
  const auto outputs = testing::exact_outputs(truth_network, exact_point(point));
  std::size_t at = 0;
  for (const network::NetworkOutput& output : network.outputs()) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(network.size(output.node)); ++i, ++at) {
      ASSERT_LE(mpq_class(bounds.store.lower(output.node)[i]), outputs[at].low) << trace << ", output " << at;
      ASSERT_GE(mpq_class(bounds.store.upper(output.node)[i]), outputs[at].high) << trace << ", output " << at;
    }
  }
}

TEST(Bounds, ContainTheTrueValuesOfRandomNetworksOverBoxes) {
  const std::pair<std::string, bounds::BoundOptions> methods[] = {
      {"interval", {.method = bounds::BoundMethod::kInterval}},
      {"linear", {.forward = bounds::ForwardUse::kNever}},
      {"forward", {.forward = bounds::ForwardUse::kAlways}}};
  Random random(11);
  for (int round = 0; round < rounds(); ++round) {
    const network::Network network = testing::random_network(random, 12);
    const network::Network simple = simplified(network, network::RepeatedUnitsAre::kShared);
    const property::Box box = random_box(random, network.input_size());
    const property::Region region(box);
    const auto points = test_points(random, network, box);
    for (const network::Network* under_test : std::initializer_list<const network::Network*>{&network, &simple}) {
      for (const auto& [name, options] : methods) {
        const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(*under_test));
        bounds::RegionBounds bounds(bounded, region);
        compute_bounds(bounds, options);
        const std::string trace =
            "round " + std::to_string(round) + (under_test == &simple ? ", simplified, " : ", ") + name;
        for (const auto& point : points) {
          expect_contains(*under_test, bounds, point, network, trace);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// The limit is reached at the start, or after some nodes have been refined.
TEST(Bounds, ContainTheTrueValuesWhereALimitEndsThem) {
  Random random(17);
  int looser = 0;
  for (int round = 0; round < rounds(); ++round) {
    const network::Network network = testing::random_network(random, 12);
    const property::Box box = random_box(random, network.input_size());
    const auto points = test_points(random, network, box);
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
    bounds::RegionBounds all(bounded, property::Region(box)), some(bounded, property::Region(box));
    compute_bounds(all, {});
    std::int64_t nodes_left = uniform(random, 0, 2);
    std::atomic<bool> stop = nodes_left == 0;
    const Limits limits{.cancel = &stop};
    const Budget budget(limits);
    bounds::BoundOptions options;
    options.budget = &budget;
    options.refine_further = [&](network::NodeId) { stop = --nodes_left <= 0; };
    compute_bounds(some, options);
    for (const auto& point : points) {
      expect_contains(network, some, point, network, "round " + std::to_string(round));
      if (HasFatalFailure()) return;
    }
    for (network::NodeId id = 0; id < network.nodes().size(); ++id) {
      looser += !std::ranges::equal(all.store.lower(id), some.store.lower(id));
    }
  }
  EXPECT_GT(looser, 0);
}

TEST(Bounds, OutputFunctionalsAreNeverBelowTheirLowerBound) {
  Random random(12);
  for (int round = 0; round < rounds(); ++round) {
    const network::Network network = testing::random_network(random, 12);
    const property::Box box = random_box(random, network.input_size());
    const property::Region region(box);
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
    bounds::RegionBounds bounds(bounded, region);
    compute_bounds(bounds, {});
    const auto out = static_cast<std::size_t>(network.output_size());
    std::vector<double> functionals(3 * out);
    for (double& c : functionals) c = static_cast<double>(uniform(random, -1, 1));
    const std::vector<double> least = output_lower_bounds(bounds, functionals);
    const std::vector<double> by_values = lower_bounds_by_values(bounds, output_functionals(bounds, functionals));
    for (const auto& point : test_points(random, network, box)) {
      const auto outputs = testing::exact_outputs(network, exact_point(point));
      for (std::size_t r = 0; r < 3; ++r) {
        mpq_class value = 0;
        for (std::size_t i = 0; i < out; ++i) value += mpq_class(functionals[r * out + i]) * outputs[i].low;
        ASSERT_LE(mpq_class(least[r]), value) << "round " << round << ", functional " << r;
        ASSERT_LE(mpq_class(by_values[r]), value) << "round " << round << ", functional " << r;
      }
    }
  }
}

TEST(Bounds, LinearIsNeverLooserThanIntervalAndRefiningTwiceChangesNothing) {
  Random random(13);
  std::int64_t tighter = 0;
  for (int round = 0; round < 3 * rounds(); ++round) {
    const network::Network network = simplified(testing::random_network(random, 14));
    const property::Region region(random_box(random, network.input_size()));
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
    bounds::RegionBounds interval(bounded, region), linear(bounded, region), again(bounded, region);
    compute_bounds(interval, {bounds::BoundMethod::kInterval});
    compute_bounds(linear, {bounds::BoundMethod::kLinear});
    compute_bounds(again, {bounds::BoundMethod::kLinear});
    for (network::NodeId id = 0; id < network.nodes().size(); ++id) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(network.size(id)); ++i) {
        ASSERT_GE(linear.store.lower(id)[i], interval.store.lower(id)[i] - 1e-9) << "round " << round;
        ASSERT_LE(linear.store.upper(id)[i], interval.store.upper(id)[i] + 1e-9) << "round " << round;
        ASSERT_EQ(linear.store.lower(id)[i], again.store.lower(id)[i]);
        tighter += linear.store.lower(id)[i] > interval.store.lower(id)[i] + 1e-6;
      }
    }
  }
  EXPECT_GT(tighter, testing::often(rounds() / 15));
}

// A ball of some norm, a polytope, or a union of two of them.
property::Region random_region(Random& random, std::int64_t size) {
  const auto ball = [&]() -> property::SimpleRegion {
    const property::Box domain = random_box(random, size);
    std::vector<double> centre(domain.size());
    for (std::size_t i = 0; i < centre.size(); ++i) {
      centre[i] =
          std::clamp(domain.lower[i] + (domain.upper[i] - domain.lower[i]) / 3, domain.lower[i], domain.upper[i]);
    }
    const property::Norm norm = std::array{property::Norm::kL1, property::Norm::kL2,
                                           property::Norm::kLinf}[static_cast<std::size_t>(uniform(random, 0, 2))];
    return property::Ball{norm, centre, Rational(uniform(random, 0, 20), uniform(random, 1, 40)), domain};
  };
  const auto polytope = [&]() -> property::SimpleRegion {
    property::Polytope result{random_box(random, size), {}};
    for (int k = 0; k < 2; ++k) {
      // Through the middle of the box, so that about half of it is left.
      property::LinearInequality cut{testing::random_weights(random, size), 0.01};
      for (std::size_t i = 0; i < result.box.size(); ++i) {
        cut.bound += cut.coefficients[i] * (result.box.lower[i] + result.box.upper[i]) / 2;
      }
      result.inequalities.push_back(std::move(cut));
    }
    return result;
  };
  std::vector<property::SimpleRegion> parts;
  for (std::int64_t k = uniform(random, 1, 2); k > 0; --k)
    parts.push_back(uniform(random, 0, 3) == 0 ? polytope() : ball());
  return property::Region(std::move(parts));
}

TEST(Bounds, ContainTheTrueValuesOverBallsPolytopesAndUnions) {
  Random random(15);
  int points = 0;
  for (int round = 0; round < rounds(); ++round) {
    const network::Network network = testing::random_network(random, 10);
    const property::Region region = random_region(random, network.input_size());
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
    bounds::RegionBounds bounds(bounded, region);
    compute_bounds(bounds, {});
    for (int p = 0; p < 8; ++p) {
      const auto& part = region.parts()[static_cast<std::size_t>(p) % region.parts().size()];
      // Points on the boundary matter most: start outside and project.
      std::vector<double> point = random_point(part, random);
      if (p % 2 == 0) {
        for (double& x : point) x += static_cast<double>(uniform(random, -3, 3));
        point = project(part, point);
      }
      if (!contains(region, point)) continue;
      ++points;
      expect_contains(network, bounds, point, network, "round " + std::to_string(round));
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(points, 3 * rounds());
}

TEST(Bounds, ClaimNothingOverAnEmptyPolytope) {
  Random random(16);
  const network::Network network = testing::random_network(random, 10);
  const property::Box box = random_box(random, network.input_size());
  const std::vector<double> zero(box.size(), 0.0);
  const property::Region region(property::Polytope{box, {{zero, -1.0}}});  // 0 <= -1
  const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
  bounds::RegionBounds bounds(bounded, region);
  EXPECT_NO_THROW(compute_bounds(bounds, {}));
}

std::vector<double> large_weights(Random& random, std::int64_t count) {
  std::uniform_real_distribution<double> place(1e8, 2e8);
  std::vector<double> weights;
  for (std::int64_t i = 0; i < count; ++i) weights.push_back(i % 2 == 0 ? place(random) : -place(random));
  weights.back() = 1e-8;
  return weights;
}

network::Network dense_chain(const std::vector<network::Dense>& maps) {
  std::vector<network::Node> nodes{{"x", network::Input{0}, {}, {maps[0].inputs}}};
  for (const network::Dense& map : maps) nodes.push_back({"f", map, {nodes.size() - 1}, {map.outputs}});
  return network::Network(nodes, {{"x", {maps[0].inputs}}}, {{"y", {maps.back().outputs}, nodes.size() - 1}});
}

// The value in plain double arithmetic: the maps are multiplied together, then applied to the point. A bound without
// error terms would be this number.
double naive_value(const network::Network& network, const std::vector<double>& point) {
  std::vector<double> row{1.0};
  for (network::NodeId id = network.nodes().size() - 1; id > 0; --id) {
    const auto& map = std::get<network::Dense>(network.node(id).op);
    std::vector<double> next(static_cast<std::size_t>(map.inputs), 0.0);
    for (std::int64_t o = 0; o < map.outputs; ++o) {
      for (std::int64_t i = 0; i < map.inputs; ++i) {
        next[static_cast<std::size_t>(i)] += row[static_cast<std::size_t>(o)] * map.weight[o * map.inputs + i];
      }
    }
    row = next;
  }
  double value = 0;
  for (std::size_t i = 0; i < row.size(); ++i) value += row[i] * point[i];
  return value;
}

// Over a single point only rounding separates a bound from the truth. Tests one wide sum for intervals, and for rows a
// product of two maps, whose entries are summed in the backward pass.
void expect_rounding_is_covered(const std::vector<double>& w, double x, int& naive_is_wrong) {
  const auto width = static_cast<std::int64_t>(w.size());
  const std::vector<double> ones(w.size(), 1.0);
  const network::Network wide = dense_chain({network::Dense{1, width, 1, network::Coefficients(w), {}}});
  const network::Network folded = dense_chain({network::Dense{1, 1, width, network::Coefficients(w), {}},
                                               network::Dense{1, width, 1, network::Coefficients(ones), {}}});
  for (const network::Network* network : {&wide, &folded}) {
    const std::vector<double> point(static_cast<std::size_t>(network->input_size()), x);
    const property::Region region(property::Box{point, point});
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(*network));
    bounds::RegionBounds bounds(bounded, region);
    compute_bounds(bounds, {});
    const auto truth = testing::exact_outputs(*network, exact_point(point))[0].low;
    const network::NodeId output = network->outputs()[0].node;
    ASSERT_LE(mpq_class(bounds.store.lower(output)[0]), truth);
    ASSERT_GE(mpq_class(bounds.store.upper(output)[0]), truth);
    const std::vector<double> least = output_lower_bounds(bounds, std::vector<double>{1.0, -1.0});
    ASSERT_LE(mpq_class(least[0]), truth);
    ASSERT_LE(mpq_class(least[1]), -truth);
    const std::vector<double> by_values =
        lower_bounds_by_values(bounds, output_functionals(bounds, std::vector<double>{1.0, -1.0}));
    ASSERT_LE(mpq_class(by_values[0]), truth);
    ASSERT_LE(mpq_class(by_values[1]), -truth);
    bounds::ForwardForms forms(bounds, 1);
    forms.extend_to(output);
    ASSERT_LE(mpq_class(forms.bounds_of(output, 0).first), truth);
    ASSERT_GE(mpq_class(forms.bounds_of(output, 0).second), truth);
    // Without error terms the computed value itself would be both bounds.
    naive_is_wrong += mpq_class(naive_value(*network, point)) != truth;
  }
}

TEST(Bounds, HoldWhereSumsCancelToTheLastBits) {
  Random random(14);
  int naive_is_wrong = 0;
  for (int round = 0; round < 100; ++round) {
    expect_rounding_is_covered(large_weights(random, 200), 1.0 / 3, naive_is_wrong);  // 1e8 beside 1e-8
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(naive_is_wrong, 100);
}

TEST(Bounds, HoldForSumsOfThousandsOfTerms) {
  Random random(17);
  int naive_is_wrong = 0;
  for (int round = 0; round < 10; ++round) {
    expect_rounding_is_covered(testing::random_weights(random, 5000), 0.1, naive_is_wrong);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(naive_is_wrong, 5);
}

TEST(Bounds, HoldWhereProductsUnderflow) {
  Random random(18);
  int naive_is_wrong = 0;
  for (int round = 0; round < 100; ++round) {
    std::vector<double> weights = testing::random_weights(random, 50);
    for (double& w : weights) w *= 0x1p-1040;  // products with x are below the smallest subnormal, or lose digits
    expect_rounding_is_covered(weights, 0x1.3p-30 / 3, naive_is_wrong);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(naive_is_wrong, 100);
}

}  // namespace
}  // namespace plumb
