// Rows that are bounded many at once, against the truth in exact arithmetic: no true value may lie below a bound,
// whatever the slopes, decisions and multipliers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/numbers.h"
#include "bounds/bounds.h"
#include "lanes/lane_network.h"
#include "lanes/layered_lanes.h"
#include "network/evaluator.h"
#include "soundness/reduced_case.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using testing::Random;
using testing::uniform;

// Random slopes; decisions that hold at the point; random multipliers.
struct RandomChoice {
  std::vector<double> slope, multiplier;
  std::vector<reduction::Split> split;
};

RandomChoice random_choice(Random& random, const reduction::ReducedNetwork& reduced, const testing::Truth& truth) {
  RandomChoice choice;
  std::uniform_real_distribution<double> fraction(0, 1);
  for (std::int64_t k = 0; k < reduced.unit_count(); ++k) {
    choice.slope.push_back(uniform(random, 0, 2) == 0 ? 1.0 : fraction(random));
    choice.multiplier.push_back(fraction(random));
    // Within the row's error of zero, either decision is a fact about the true unit that the row does not show.
    const bool clear = abs(truth.row[index(k)]) > 1e-6;
    const reduction::Split holds = truth.row[index(k)] > 0 ? reduction::Split::kActive : reduction::Split::kInactive;
    choice.split.push_back(clear && uniform(random, 0, 1) == 0 ? holds : reduction::Split::kOpen);
  }
  return choice;
}

template <class T>
void put(const RandomChoice& choice, lanes::Lanes<T>& lanes, std::int64_t lane) {
  for (std::size_t k = 0; k < choice.slope.size(); ++k) {
    const auto unit = static_cast<std::int64_t>(k);
    lanes.slope.at(unit, lane) = static_cast<T>(choice.slope[k]);
    lanes.multiplier.at(unit, lane) = static_cast<T>(choice.multiplier[k]);
    lanes.split.at(unit, lane) = static_cast<T>(choice.split[k]);
  }
}

TEST(LaneNetwork, NoTrueValueIsBelowABoundForAnyChoice) {
  Random random(22);
  for (int round = 0; round < testing::rounds(); ++round) {
    const auto c = testing::random_case(random);
    const reduction::ReducedNetwork& reduced = *c->reduced;
    const lanes::LaneNetwork<double> network(reduced, {});
    const lanes::LaneNetwork<float> rough(reduced, {});
    lanes::Lanes<double> lanes = network.lanes();
    lanes::Lanes<float> rough_lanes = rough.lanes();
    std::vector<RandomChoice> choices;
    std::vector<mpq_class> values;
    std::vector<reduction::LooseRow> rows;
    for (std::int64_t lane = 0; lane < network.width(); ++lane) {
      const testing::ExactPoint point = testing::exact_point(random, c->region);
      const testing::Truth truth = testing::truth_at(c->network, reduced, point);
      choices.push_back(random_choice(random, reduced, truth));
      const double sign = uniform(random, 0, 1) == 0 ? 1 : -1;
      const auto row = uniform(random, 0, reduced.rows() - 1);
      rows.push_back(loose_row(reduced, row, sign));
      mpq_class value = truth.row[index(row)], slack = truth.slack[index(row)];
      if (row >= reduced.unit_count()) {
        value = testing::exact_functional(*c, index(row - reduced.unit_count()), point.input);
        slack = 0;
      }
      values.push_back(sign * value + slack +
                       (row < reduced.unit_count() ? mpq_class(reduced.error(row)) : mpq_class(0)));
      network.ask(lanes, lane, rows.back());
      rough.ask(rough_lanes, lane, rows.back());
      put(choices.back(), lanes, lane);
      put(choices.back(), rough_lanes, lane);
    }
    network.backward(lanes);
    rough.backward(rough_lanes);
    for (std::int64_t lane = 0; lane < network.width(); ++lane) {
      const double bound = lanes.bound[index(lane)];
      ASSERT_LE(mpq_class(bound), values[index(lane)]) << "round " << round << ", lane " << lane;
      const RandomChoice& choice = choices[index(lane)];
      const double simple =
          lower_bound(reduced, rows[index(lane)], {choice.slope, choice.split, choice.multiplier, {}});
      ASSERT_LE(mpq_class(simple), values[index(lane)]) << "round " << round << ", lane " << lane;
      ASSERT_NEAR(bound, simple, 1e-9 * (1 + std::abs(simple))) << "round " << round << ", lane " << lane;
      ASSERT_NEAR(static_cast<double>(rough_lanes.bound[index(lane)]), simple, 1e-3 * (1 + std::abs(simple)));
    }
  }
}

bool has_maximum(const network::Network& network) {
  return std::ranges::any_of(
      network.nodes(), [](const network::Node& node) { return std::holds_alternative<network::Maximum>(node.op); });
}

// The unit of a layered system that a unit of the reduced network is: both number ReLUs node by node, but the reduced
// network goes through an image pixel by pixel.
std::vector<std::int64_t> layered_units(const reduction::ReducedNetwork& reduced) {
  std::vector<std::int64_t> order(index(reduced.unit_count()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::int64_t k) {
    return std::pair(reduced.units()[index(k)].place.node, reduced.units()[index(k)].place.element);
  });
  std::vector<std::int64_t> name(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) name[index(order[i])] = static_cast<std::int64_t>(i);
  return name;
}

TEST(LaneSystem, LayeredAndStoredFormsAgree) {
  Random random(23);
  std::int64_t compared = 0;
  for (int round = 0; round < testing::rounds(); ++round) {
    const auto c = testing::random_case(random);
    const reduction::ReducedNetwork& reduced = *c->reduced;
    if (has_maximum(c->network)) continue;  // the reduced form relaxes maxima in its own way
    const lanes::LaneNetwork<double> stored(reduced, {});
    const lanes::LayeredLanes layered(*c->bounds, output_functionals(*c->bounds, c->functionals));
    ASSERT_EQ(layered.units(), stored.units());
    const std::vector<std::int64_t> name = layered_units(reduced);
    lanes::Lanes<double> a = stored.lanes(), b = layered.lanes();
    for (std::int64_t lane = 0; lane < stored.width(); ++lane) {
      const testing::Truth truth = testing::truth_at(c->network, reduced, testing::exact_point(random, c->region));
      const RandomChoice choice = random_choice(random, reduced, truth);
      put(choice, a, lane);
      for (std::size_t k = 0; k < name.size(); ++k) {
        b.slope.at(name[k], lane) = choice.slope[k];
        b.multiplier.at(name[k], lane) = choice.multiplier[k];
        b.split.at(name[k], lane) = static_cast<double>(choice.split[k]);
      }
      const auto row = uniform(random, 0, reduced.rows() - 1);
      const double sign = uniform(random, 0, 1) == 0 ? 1 : -1;
      stored.ask_row(a, lane, row, sign);
      layered.ask_row(b, lane, row < reduced.unit_count() ? name[index(row)] : row, sign);
    }
    stored.backward(a);
    layered.backward(b);
    const auto bound = a.bound;
    for (std::size_t lane = 0; lane < bound.size(); ++lane) {
      ASSERT_NEAR(bound[lane], b.bound[lane], 1e-9 * (1 + std::abs(bound[lane]))) << "round " << round;
    }
    // At the same points the units' arguments and what is asked are the same.
    for (std::int64_t lane = 0; lane < stored.width(); ++lane) {
      std::vector<double> x = random_point(c->region, random);
      if (const auto* image = std::get_if<property::AffineImage>(&c->region))
        x = testing::random_corner(random, image->parameters);
      const auto u = stored.space().coordinates(x), v = layered.space().coordinates(x);
      for (std::size_t i = 0; i < u.size(); ++i) a.values.at(static_cast<std::int64_t>(i), lane) = u[i];
      for (std::size_t i = 0; i < v.size(); ++i) b.values.at(static_cast<std::int64_t>(i), lane) = v[i];
    }
    stored.evaluate(a);
    layered.evaluate(b);
    for (std::size_t k = 0; k < name.size(); ++k) {
      for (std::int64_t lane = 0; lane < stored.width(); ++lane) {
        const double z = a.argument.at(static_cast<std::int64_t>(k), lane);
        ASSERT_NEAR(z, b.argument.at(name[k], lane), 1e-9 * (1 + std::abs(z))) << "round " << round;
        ++compared;
      }
    }
    for (std::size_t lane = 0; lane < bound.size(); ++lane) {
      ASSERT_NEAR(a.bound[lane], b.bound[lane], 1e-9 * (1 + std::abs(a.bound[lane]))) << "round " << round;
    }
  }
  EXPECT_GT(compared, testing::rounds());
}

TEST(LayeredLanes, AscendAsStoredOnesDo) {
  Random random(26);
  for (int round = 0; round < testing::rounds() / 3; ++round) {
    const auto c = testing::random_case(random);
    const lanes::LayeredLanes system(*c->bounds, output_functionals(*c->bounds, c->functionals));
    lanes::Lanes<double> lanes = system.lanes();
    for (std::int64_t f = 0; f < 2; ++f) system.ask_row(lanes, f, system.units() + f, 1);
    system.backward(lanes);
    const auto start = lanes.bound;
    lanes::Ascent<double> ascent(system);
    system.ascend(lanes, {.steps = 8, .target = std::numeric_limits<double>::infinity(), .lanes = 2}, ascent);
    for (std::size_t f = 0; f < 2; ++f) {
      ASSERT_GE(ascent.bound[f], start[f]);
      ASSERT_LE(mpq_class(ascent.bound[f]),
                testing::exact_functional(*c, f, testing::exact_point(random, c->region).input));
    }
    if (has_maximum(c->network)) continue;
    const lanes::LaneNetwork<double> stored(*c->reduced, {});
    lanes::Lanes<double> others = stored.lanes();
    for (std::int64_t f = 0; f < 2; ++f) stored.ask_row(others, f, stored.units() + f, 1);
    lanes::Ascent<double> other(stored);
    stored.ascend(others, {.steps = 8, .target = std::numeric_limits<double>::infinity(), .lanes = 2}, other);
    for (std::size_t f = 0; f < 2; ++f) {
      // Steps of Adam magnify rounding where a gradient is about zero.
      ASSERT_NEAR(ascent.bound[f], other.bound[f], 1e-3 * (1 + std::abs(other.bound[f]))) << "round " << round;
    }
  }
}

TEST(LaneNetwork, GivesTheNetworksValuesAndGradients) {
  Random random(24);
  std::int64_t compared = 0;
  for (int round = 0; round < testing::rounds(); ++round) {
    const auto c = testing::random_case(random);
    const reduction::ReducedNetwork& reduced = *c->reduced;
    if (!std::holds_alternative<property::Box>(c->region)) continue;
    const lanes::LaneNetwork<double> network(reduced, {});
    lanes::Lanes<double> lanes = network.lanes();
    const std::vector<double> x = random_point(c->region, random);
    const std::vector<double> u = reduced.space().coordinates(x);
    network.ask(lanes, 3, loose_row(reduced, reduced.functional_row(0)));
    for (std::int64_t i = 0; i < network.inputs(); ++i) lanes.values.at(i, 3) = u[index(i)];
    network.evaluate(lanes);
    network.differentiate(lanes);
    const std::vector<double> functional(
        c->functionals.begin(), c->functionals.begin() + static_cast<std::ptrdiff_t>(c->network.output_size()));
    std::vector<double> output(functional.size()), gradient(x.size());
    network::Evaluator<double>::Workspace workspace;
    network::Evaluator<double>(shared(c->network)).evaluate_with_gradient(x, functional, output, gradient, workspace);
    double value = 0;
    for (std::size_t i = 0; i < output.size(); ++i) value += functional[i] * output[i];
    ASSERT_NEAR(lanes.bound[3], value, 1e-9 * (1 + std::abs(value))) << "round " << round;
    ASSERT_NEAR(reduced.evaluate(u)[0], value, 1e-9 * (1 + std::abs(value))) << "round " << round;
    for (std::int64_t i = 0; i < network.inputs(); ++i) {
      const double expected = gradient[index(reduced.space().scaled_input(i))] * reduced.space().radius(i);
      ASSERT_NEAR(lanes.gradient.at(i, 3), expected, 1e-9 * (1 + std::abs(expected))) << "round " << round;
      ++compared;
    }
  }
  EXPECT_GT(compared, testing::rounds() / 10);
}

TEST(SlopeAscent, NeverEndsBelowItsStartAndOftenAbove) {
  Random random(25);
  std::int64_t better = 0;
  for (int round = 0; round < testing::rounds(); ++round) {
    const auto c = testing::random_case(random);
    const lanes::LaneNetwork<double> network(*c->reduced, {});
    lanes::Lanes<double> lanes = network.lanes();
    for (std::int64_t f = 0; f < 2; ++f) network.ask(lanes, f, loose_row(*c->reduced, c->reduced->functional_row(f)));
    network.backward(lanes);
    const auto start = lanes.bound;
    lanes::Ascent<double> ascent(network);
    network.ascend(lanes, {.steps = 10, .target = std::numeric_limits<double>::infinity(), .lanes = 2}, ascent);
    for (std::size_t f = 0; f < 2; ++f) {
      ASSERT_GE(ascent.bound[f], start[f]);
      better += ascent.bound[f] > start[f] + 1e-6;
      const testing::ExactPoint point = testing::exact_point(random, c->region);
      ASSERT_LE(mpq_class(ascent.bound[f]), testing::exact_functional(*c, f, point.input)) << "round " << round;
    }
  }
  EXPECT_GT(better, testing::often(testing::rounds() / 20));
}

}  // namespace
}  // namespace plumb
