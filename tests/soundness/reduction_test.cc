// The reduced network against the truth, in exact arithmetic: at points of the region every row must be within its
// error of the true value, and no true value may lie below a bound, whatever the slopes, decisions and multipliers.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "base/numbers.h"
#include "bounds/bounds.h"
#include "events/listener.h"
#include "lanes/lane_network.h"
#include "lanes/layered_lanes.h"
#include "lanes/row_source.h"
#include "lanes/slope_tightening.h"
#include "network/evaluator.h"
#include "network/simplify.h"
#include "reduction/reduced_network.h"
#include "support/exact_evaluator.h"
#include "support/random_network.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using testing::Random;
using testing::uniform;

constexpr std::int64_t kManyBytes = 1 << 30;

property::Box small_box(Random& random, std::int64_t size) {
  property::Box box;
  std::uniform_real_distribution<double> place(-1, 1);
  const double width = uniform(random, 0, 1) == 0 ? 0.05 : 0.5;
  for (std::int64_t i = 0; i < size; ++i) {
    box.lower.push_back(place(random));
    box.upper.push_back(uniform(random, 0, 9) == 0 ? box.lower.back() : box.lower.back() + width);
  }
  return box;
}

property::AffineImage small_image(Random& random, std::int64_t size) {
  property::AffineImage image;
  image.parameters = small_box(random, uniform(random, 1, 3));
  image.offset = testing::random_weights(random, size);
  image.generator = testing::random_weights(random, size * static_cast<std::int64_t>(image.parameters.size()));
  for (double& g : image.generator) g /= 4;
  if (uniform(random, 0, 1) == 0) {
    // Through the middle, so that about half of the parameters are left.
    property::LinearInequality cut{testing::random_weights(random, static_cast<std::int64_t>(image.parameters.size())),
                                   0.01};
    for (std::size_t j = 0; j < cut.coefficients.size(); ++j) {
      cut.bound += cut.coefficients[j] * (image.parameters.lower[j] / 2 + image.parameters.upper[j] / 2);
    }
    image.inequalities.push_back(std::move(cut));
  }
  return image;
}

property::SimpleRegion random_region(Random& random, std::int64_t size) {
  const property::Box box = small_box(random, size);
  std::vector<double> middle;
  for (std::size_t i = 0; i < box.size(); ++i) middle.push_back(box.lower[i] / 2 + box.upper[i] / 2);
  switch (uniform(random, 0, 4)) {
    case 0:
      return small_image(random, size);
    case 1:
      return property::Ball{property::Norm::kL1, middle, Rational(1, 4), box};
    case 2:
      return property::Ball{property::Norm::kL2, middle, Rational(1, 8), box};
    case 3: {
      property::LinearInequality inequality{testing::random_weights(random, size), 0.01};
      for (std::size_t i = 0; i < middle.size(); ++i) inequality.bound += inequality.coefficients[i] * middle[i];
      return property::Polytope{box, {inequality}};
    }
    default:
      return box;
  }
}

// A point of a region: as the network sees it, and in the coordinates of a reduced network, both exact.
struct ExactPoint {
  std::vector<mpq_class> input;
  std::vector<mpq_class> scaled;  // what the coordinates scale: the input, or an image's parameters
};

std::vector<double> random_corner(Random& random, const property::Box& box) {
  std::vector<double> corner(box.size());
  for (std::size_t i = 0; i < box.size(); ++i) corner[i] = uniform(random, 0, 1) == 0 ? box.lower[i] : box.upper[i];
  return corner;
}

ExactPoint exact_point(Random& random, const property::SimpleRegion& region) {
  if (const auto* image = std::get_if<property::AffineImage>(&region)) {
    std::vector<double> parameters = random_corner(random, image->parameters);
    while (!contains_parameters(*image, parameters)) parameters = random_point(parameter_region(*image), random);
    const auto z = testing::exact_point(parameters);
    std::vector<mpq_class> x;
    for (std::size_t i = 0; i < image->offset.size(); ++i) {
      x.emplace_back(image->offset[i]);
      for (std::size_t j = 0; j < z.size(); ++j) x.back() += mpq_class(image->generator[i * z.size() + j]) * z[j];
    }
    return {x, z};
  }
  std::vector<double> point;
  if (const auto* box = std::get_if<property::Box>(&region)) {
    point = random_corner(random, *box);
  } else {
    do point = random_point(region, random);
    while (!contains(property::Region(region), point));
  }
  return {testing::exact_point(point), testing::exact_point(point)};
}

std::vector<mpq_class> coordinates(const reduction::InputSpace& space, const ExactPoint& point) {
  std::vector<mpq_class> u;
  for (std::int64_t i = 0; i < space.size(); ++i) {
    u.push_back((point.scaled[index(space.scaled_input(i))] - mpq_class(space.centre(i))) / mpq_class(space.radius(i)));
  }
  return u;
}

// Everything that is true about a reduced network at a point. The units of a maximum are differences of its members,
// known through their rows only: `slack` is what a row may be off because of that.
struct Truth {
  std::vector<mpq_class> row, value, slack, unit_slack;
};

Truth truth_at(const network::Network& network, const reduction::ReducedNetwork& reduced, const ExactPoint& point) {
  const auto nodes = testing::exact_values(network, point.input);
  const auto u = coordinates(reduced.space(), point);
  Truth truth;
  for (std::int64_t row = 0; row < reduced.rows(); ++row) {
    mpq_class sum(reduced.constant(row)), slack = 0;
    for (std::size_t i = 0; i < reduced.on_inputs().columns(row).size(); ++i) {
      sum += mpq_class(reduced.on_inputs().values(row)[i]) * u[index(reduced.on_inputs().columns(row)[i])];
    }
    for (std::size_t k = 0; k < reduced.on_units().columns(row).size(); ++k) {
      const auto unit = index(reduced.on_units().columns(row)[k]);
      EXPECT_LT(unit, truth.value.size()) << "a row uses a later unit";
      sum += mpq_class(reduced.on_units().values(row)[k]) * truth.value[unit];
      slack += abs(mpq_class(reduced.on_units().values(row)[k])) * truth.unit_slack[unit];
    }
    truth.row.push_back(sum);
    truth.slack.push_back(slack);
    if (row >= reduced.unit_count()) continue;
    const auto& unit = reduced.units()[index(row)];
    const bool relu = std::holds_alternative<network::Relu>(network.node(unit.place.node).op);
    truth.value.push_back(relu ? nodes[unit.place.node][index(unit.place.element)].low
                               : (sum > 0 ? sum : mpq_class(0)));
    truth.unit_slack.push_back(relu ? mpq_class(0) : mpq_class(slack + mpq_class(reduced.error(row))));
  }
  return truth;
}

struct Case {
  network::Network network;
  property::SimpleRegion region;
  std::vector<double> functionals;
  std::shared_ptr<const bounds::BoundedNetwork> bounded;
  std::unique_ptr<bounds::RegionBounds> bounds;
  std::unique_ptr<reduction::ReducedNetwork> reduced;
};

std::unique_ptr<Case> random_case(Random& random) {
  auto result = std::make_unique<Case>(Case{testing::random_network(random, 12), {}, {}, {}, {}, {}});
  result->region = random_region(random, result->network.input_size());
  result->functionals.resize(2 * index(result->network.output_size()));
  for (double& c : result->functionals) c = static_cast<double>(uniform(random, -1, 1));
  result->bounded = std::make_shared<const bounds::BoundedNetwork>(shared(result->network));
  result->bounds = std::make_unique<bounds::RegionBounds>(result->bounded, property::Region(result->region));
  compute_bounds(*result->bounds, {});
  auto reduced = reduction::ReducedNetwork::build(*result->bounds,
                                                  output_functionals(*result->bounds, result->functionals), kManyBytes);
  result->reduced = std::make_unique<reduction::ReducedNetwork>(std::move(*reduced));
  return result;
}

mpq_class exact_functional(const Case& c, std::size_t f, const std::vector<mpq_class>& input) {
  const auto outputs = testing::exact_outputs(c.network, input);
  mpq_class sum = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    sum += mpq_class(c.functionals[f * outputs.size() + i]) * outputs[i].low;
  }
  return sum;
}

TEST(ReducedNetwork, RowsContainTheTrueValues) {
  Random random(21);
  std::int64_t units = 0, maxima = 0;
  for (int round = 0; round < testing::rounds(); ++round) {
    const auto c = random_case(random);
    const reduction::ReducedNetwork& reduced = *c->reduced;
    ASSERT_EQ(reduced.functional_count(), 2);
    units += reduced.unit_count();
    for (int p = 0; p < 3; ++p) {
      const ExactPoint point = exact_point(random, c->region);
      const Truth truth = truth_at(c->network, reduced, point);
      const auto nodes = testing::exact_values(c->network, point.input);
      for (std::int64_t k = 0; k < reduced.unit_count(); ++k) {
        const auto& unit = reduced.units()[index(k)];
        const mpq_class allowed = mpq_class(reduced.error(k)) + truth.slack[index(k)];
        ASSERT_LE(mpq_class(unit.lower) - allowed, truth.row[index(k)]) << "round " << round << ", unit " << k;
        ASSERT_GE(mpq_class(unit.upper) + allowed, truth.row[index(k)]) << "round " << round << ", unit " << k;
        ASSERT_LT(reduced.error(k), 1e-8);
        if (!std::holds_alternative<network::Relu>(c->network.node(unit.place.node).op)) {
          ++maxima;
          continue;
        }
        const auto& argument = nodes[c->network.node(unit.place.node).arguments[0]][index(unit.place.element)].low;
        ASSERT_LE(abs(truth.row[index(k)] - argument), allowed) << "round " << round << ", unit " << k;
      }
      for (std::size_t f = 0; f < 2; ++f) {
        const std::int64_t row = reduced.functional_row(static_cast<std::int64_t>(f));
        ASSERT_LE(abs(truth.row[index(row)] - exact_functional(*c, f, point.input)),
                  mpq_class(reduced.error(row)) + truth.slack[index(row)])
            << "round " << round;
      }
    }
  }
  EXPECT_GT(units, testing::rounds());
  EXPECT_GT(maxima, testing::rounds() / 10);
}

// Random slopes; decisions that hold at the point; random multipliers.
struct RandomChoice {
  std::vector<double> slope, multiplier;
  std::vector<reduction::Split> split;
};

RandomChoice random_choice(Random& random, const reduction::ReducedNetwork& reduced, const Truth& truth) {
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
    const auto c = random_case(random);
    const reduction::ReducedNetwork& reduced = *c->reduced;
    const lanes::LaneNetwork<double> network(reduced, {});
    const lanes::LaneNetwork<float> rough(reduced, {});
    lanes::Lanes<double> lanes = network.lanes();
    lanes::Lanes<float> rough_lanes = rough.lanes();
    std::vector<RandomChoice> choices;
    std::vector<mpq_class> values;
    std::vector<reduction::LooseRow> rows;
    for (std::int64_t lane = 0; lane < network.width(); ++lane) {
      const ExactPoint point = exact_point(random, c->region);
      const Truth truth = truth_at(c->network, reduced, point);
      choices.push_back(random_choice(random, reduced, truth));
      const double sign = uniform(random, 0, 1) == 0 ? 1 : -1;
      const auto row = uniform(random, 0, reduced.rows() - 1);
      rows.push_back(loose_row(reduced, row, sign));
      mpq_class value = truth.row[index(row)], slack = truth.slack[index(row)];
      if (row >= reduced.unit_count()) {
        value = exact_functional(*c, index(row - reduced.unit_count()), point.input);
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
    const auto c = random_case(random);
    const reduction::ReducedNetwork& reduced = *c->reduced;
    if (has_maximum(c->network)) continue;  // the reduced form relaxes maxima in its own way
    const lanes::LaneNetwork<double> stored(reduced, {});
    const lanes::LayeredLanes layered(*c->bounds, output_functionals(*c->bounds, c->functionals));
    ASSERT_EQ(layered.units(), stored.units());
    const std::vector<std::int64_t> name = layered_units(reduced);
    lanes::Lanes<double> a = stored.lanes(), b = layered.lanes();
    for (std::int64_t lane = 0; lane < stored.width(); ++lane) {
      const Truth truth = truth_at(c->network, reduced, exact_point(random, c->region));
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
        x = random_corner(random, image->parameters);
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
    const auto c = random_case(random);
    const lanes::LayeredLanes system(*c->bounds, output_functionals(*c->bounds, c->functionals));
    lanes::Lanes<double> lanes = system.lanes();
    for (std::int64_t f = 0; f < 2; ++f) system.ask_row(lanes, f, system.units() + f, 1);
    system.backward(lanes);
    const auto start = lanes.bound;
    lanes::Ascent<double> ascent(system);
    system.ascend(lanes, {.steps = 8, .target = std::numeric_limits<double>::infinity(), .lanes = 2}, ascent);
    for (std::size_t f = 0; f < 2; ++f) {
      ASSERT_GE(ascent.bound[f], start[f]);
      ASSERT_LE(mpq_class(ascent.bound[f]), exact_functional(*c, f, exact_point(random, c->region).input));
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
    const auto c = random_case(random);
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
    const auto c = random_case(random);
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
      const ExactPoint point = exact_point(random, c->region);
      ASSERT_LE(mpq_class(ascent.bound[f]), exact_functional(*c, f, point.input)) << "round " << round;
    }
  }
  if (testing::counts_mean_something()) {
    EXPECT_GT(better, testing::rounds() / 20);
  }
}

// With the reduced network stored, and through the layers.
TEST(SlopeTightening, IsNeverLooserThanLinearAndHoldsTheTrueValues) {
  Random random(27);
  std::int64_t tighter = 0;
  for (int round = 0; round < testing::rounds() / 2; ++round) {
    const auto c = random_case(random);
    for (const std::int64_t most_bytes : {kManyBytes, std::int64_t{1}}) {
      bounds::RegionBounds alpha(c->bounded, property::Region(c->region));
      compute_bounds(alpha, {});
      lanes::tighten_by_slopes(alpha, {.steps = 6, .most_bytes = most_bytes});
      const auto truth = testing::exact_values(c->network, exact_point(random, c->region).input);
      for (network::NodeId id = 0; id < c->network.nodes().size(); ++id) {
        for (std::size_t i = 0; i < truth[id].size(); ++i) {
          ASSERT_GE(alpha.store.lower(id)[i], c->bounds->store.lower(id)[i]);
          ASSERT_LE(alpha.store.upper(id)[i], c->bounds->store.upper(id)[i]);
          ASSERT_LE(mpq_class(alpha.store.lower(id)[i]), truth[id][i].low) << "round " << round << ", node " << id;
          ASSERT_GE(mpq_class(alpha.store.upper(id)[i]), truth[id][i].high) << "round " << round << ", node " << id;
          tighter += alpha.store.lower(id)[i] > c->bounds->store.lower(id)[i] + 1e-6;
          tighter += alpha.store.upper(id)[i] < c->bounds->store.upper(id)[i] - 1e-6;
        }
      }
      const lanes::RowSource linear_rows(*c->bounds, output_functionals(*c->bounds, c->functionals), most_bytes,
                                         *lanes::default_back_end());
      const lanes::RowSource rows(alpha, output_functionals(alpha, c->functionals), most_bytes,
                                  *lanes::default_back_end());
      ASSERT_EQ(rows.reduced() == nullptr, most_bytes == 1 && linear_rows.reduced() == nullptr);
      const std::vector<double> linear = linear_rows.lower_bounds(0), slopes = rows.lower_bounds(6);
      for (std::size_t f = 0; f < 2; ++f) {
        const mpq_class value = exact_functional(*c, f, exact_point(random, c->region).input);
        ASSERT_LE(mpq_class(linear[f]), value) << "round " << round;
        ASSERT_LE(mpq_class(slopes[f]), value) << "round " << round;
      }
    }
  }
  if (testing::counts_mean_something()) {
    EXPECT_GT(tighter, testing::rounds() / 100);
  }
}

// Cancels when it hears of the first bound, and counts those that come still.
struct CancelAtOnce : events::Listener {
  bool wants_details() const override { return true; }
  void tightened(std::int32_t, double, std::span<const double>, double, std::span<const double>) override {
    ++bounds;
    cancel = true;
  }
  std::atomic<bool> cancel = false;
  std::int64_t bounds = 0;
};

// However many units there are, a stop waits for no more than those that are tightened together.
TEST(SlopeTightening, StopsAfterTheUnitsThatItIsAt) {
  constexpr std::int64_t kAtOnce = lanes::kLanes<double> / 2;
  Random random(31);
  const network::Network network = testing::random_chain(random, {4, 40, 40, 40, 1});
  const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
  const property::Region region(property::Box{std::vector<double>(4, -1.0), std::vector<double>(4, 1.0)});
  bounds::RegionBounds bounds(bounded, region);
  compute_bounds(bounds, {});
  CancelAtOnce events;
  const Budget budget(Limits{.cancel = &events.cancel});
  EXPECT_LE(lanes::tighten_by_slopes(bounds, {.steps = 3, .events = &events, .budget = &budget}).rows, 2 * kAtOnce);
  EXPECT_GT(events.bounds, 0);
  const std::int64_t heard = events.bounds;
  EXPECT_EQ(lanes::tighten_by_slopes(bounds, {.steps = 3, .events = &events, .budget = &budget}).rows, 0);
  EXPECT_EQ(events.bounds, heard);
  EXPECT_GT(lanes::tighten_by_slopes(bounds, {.steps = 3}).rows, 4 * kAtOnce);
}

TEST(RowSource, TakesNoStepBeyondItsBudget) {
  Random random(32);
  const network::Network network = testing::random_chain(random, {4, 20, 20, 2});
  const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
  bounds::RegionBounds bounds(
      bounded, property::Region(property::Box{std::vector<double>(4, -1.0), std::vector<double>(4, 1.0)}));
  compute_bounds(bounds, {});
  const lanes::RowSource rows(bounds, output_functionals(bounds, std::vector<double>{1, 0, 0, 1}), kManyBytes,
                              *lanes::default_back_end());
  const std::atomic<bool> cancel = true;
  const Budget spent(Limits{.cancel = &cancel});
  const std::vector<double> none = rows.lower_bounds(1, nullptr, &spent), all = rows.lower_bounds(30);
  EXPECT_EQ(rows.lower_bounds(30, nullptr, &spent), none);
  for (std::size_t f = 0; f < all.size(); ++f) EXPECT_GT(all[f], none[f]);
}

TEST(RegionBounds, SayThatAPolytopeIsEmpty) {
  // x <= -0.5 and x >= 0.5, and a unit that sees it: z = x.
  const network::Network network({{"x", network::Input{0}, {}, {1}},
                                  {"h", network::Dense{1, 1, 1, network::Coefficients({1}), {}}, {0}, {1}},
                                  {"r", network::Relu{}, {1}, {1}},
                                  {"a", network::Dense{1, 1, 1, network::Coefficients({1}), {}}, {2}, {1}},
                                  {"y", network::Relu{}, {3}, {1}}},
                                 {{"x", {1}}}, {{"y", {1}, 4}});
  const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
  bounds::RegionBounds bounds(
      bounded, property::Region(property::Polytope{property::Box{{-1}, {1}}, {{{1}, -0.5}, {{-1}, -0.5}}}));
  compute_bounds(bounds, {});
  EXPECT_TRUE(bounds.store.region_is_empty());
  bounds::RegionBounds other(bounded,
                             property::Region(property::Polytope{property::Box{{-1}, {1}}, {{{1}, 0.5}, {{-1}, 0.5}}}));
  compute_bounds(other, {});
  EXPECT_FALSE(other.store.region_is_empty());
}

TEST(ReducedNetwork, DropsInputsThatNoRowUses) {
  // y = relu(x_0) over x_0 > 0: no unit is left, and x_1 is not used.
  const network::Network network({{"x", network::Input{0}, {}, {2}},
                                  {"a", network::Dense{1, 2, 1, network::Coefficients({1, 0}), {}}, {0}, {1}},
                                  {"y", network::Relu{}, {1}, {1}}},
                                 {{"x", {2}}}, {{"y", {1}, 2}});
  const property::Region region(property::Box{{1, -1}, {2, 1}});
  const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
  bounds::RegionBounds bounds(bounded, region);
  compute_bounds(bounds, {});
  const auto reduced =
      reduction::ReducedNetwork::build(bounds, output_functionals(bounds, std::vector<double>{1.0}), kManyBytes);
  EXPECT_TRUE(reduced->units().empty());
  ASSERT_EQ(reduced->space().size(), 1);
  EXPECT_EQ(reduced->space().scaled_input(0), 0);
  EXPECT_EQ(reduced->evaluate(std::vector<double>{0.0}), std::vector<double>{1.5});
}

TEST(ReducedNetwork, IsNotBuiltBeyondItsBudget) {
  const network::Network network({{"x", network::Input{0}, {}, {2}},
                                  {"a", network::Dense{1, 2, 1, network::Coefficients({1, 1}), {}}, {0}, {1}},
                                  {"y", network::Relu{}, {1}, {1}}},
                                 {{"x", {2}}}, {{"y", {1}, 2}});
  const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
  bounds::RegionBounds bounds(bounded, property::Region(property::Box{{-1, -1}, {1, 1}}));
  compute_bounds(bounds, {});
  const bounds::Functionals functionals = output_functionals(bounds, std::vector<double>{1.0});
  EXPECT_TRUE(reduction::ReducedNetwork::build(bounds, functionals, 1000));
  EXPECT_FALSE(reduction::ReducedNetwork::build(bounds, functionals, 10));
}

}  // namespace
}  // namespace plumb
