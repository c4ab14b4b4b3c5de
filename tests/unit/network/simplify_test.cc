#include "network/simplify.h"

#include <gtest/gtest.h>

#include "support/exact_evaluator.h"
#include "support/random_network.h"

namespace plumb::network {
namespace {

using testing::exact_outputs;
using testing::exact_point;
using testing::Random;

TEST(Simplify, KeepsTheTrueFunctionInsideTheCoefficientErrors) {
  Random random(6);
  int smaller = 0;
  for (int round = 0; round < 400; ++round) {
    const Network network = testing::random_network(random, 14);
    const Network simple = simplified(network, round % 2 == 0 ? RepeatedUnitsAre::kKept : RepeatedUnitsAre::kShared);
    smaller += simple.nodes().size() < network.nodes().size();
    for (int p = 0; p < 3; ++p) {
      const auto point = exact_point(testing::random_point(random, network.input_size()));
      const auto truth = exact_outputs(network, point);
      const auto enclosure = exact_outputs(simple, point);
      ASSERT_EQ(truth.size(), enclosure.size());
      for (std::size_t i = 0; i < truth.size(); ++i) {
        ASSERT_EQ(truth[i].low, truth[i].high);
        ASSERT_TRUE(enclosure[i].contains(truth[i].low)) << "round " << round << ", output " << i;
        const double width = mpq_class(enclosure[i].high - enclosure[i].low).get_d();
        ASSERT_LE(width, 1e-9 * (1 + std::abs(truth[i].low.get_d()))) << "round " << round;
      }
    }
  }
  EXPECT_GT(smaller, 300);
}

TEST(Simplify, TwiceIsTheSameAsOnce) {
  Random random(7);
  for (int round = 0; round < 100; ++round) {
    const Network once = simplified(testing::random_network(random, 14));
    EXPECT_LE(simplified(once).nodes().size(), once.nodes().size());
  }
}

Network chain(std::vector<Op> ops, std::vector<tensor::Shape> shapes) {
  std::vector<Node> nodes{{"x", Input{0}, {}, shapes[0]}};
  for (std::size_t i = 0; i < ops.size(); ++i) {
    nodes.push_back({"op" + std::to_string(i), ops[i], {nodes.size() - 1}, shapes[i + 1]});
  }
  const NodeId last = nodes.size() - 1;
  return Network(nodes, {{"x", shapes[0]}}, {{"y", shapes.back(), last}});
}

tensor::ConvolutionGeometry three_by_three(std::int64_t pad) {
  tensor::ConvolutionGeometry g;
  g.in_height = g.in_width = 4;
  g.kernel_height = g.kernel_width = 3;
  g.pad_top = g.pad_left = pad;
  g.out_height = g.out_width = 2 + 2 * pad;
  return g;
}

TEST(Simplify, FoldsBatchNormalisationIntoTheConvolutionBeforeIt) {
  const ScaleShift norm{1, 1, 16, Coefficients({0.3}), Coefficients({0.7})};
  const Convolution conv{three_by_three(1), Coefficients(std::vector<double>(9, 0.1)), Coefficients({0.2})};
  EXPECT_EQ(simplified(chain({conv, norm}, {{1, 4, 4}, {1, 4, 4}, {1, 4, 4}})).nodes().size(), 2U);
}

TEST(Simplify, LeavesAShiftInFrontOfPadding) {
  const ScaleShift norm{1, 1, 16, Coefficients({0.5}), Coefficients({0.25})};
  const Coefficients weight(std::vector<double>(9, 0.1));
  EXPECT_EQ(simplified(chain({norm, Convolution{three_by_three(1), weight, {}}}, {{1, 4, 4}, {1, 4, 4}, {1, 4, 4}}))
                .nodes()
                .size(),
            3U);
  EXPECT_EQ(simplified(chain({norm, Convolution{three_by_three(0), weight, {}}}, {{1, 4, 4}, {1, 4, 4}, {1, 2, 2}}))
                .nodes()
                .size(),
            2U);
}

TEST(Simplify, JoinsDenseMapsOnlyWhereThatNeedsNoMoreCoefficients) {
  const auto dense = [](std::int64_t inputs, std::int64_t outputs) {
    return Dense{
        1, inputs, outputs, Coefficients(std::vector<double>(static_cast<std::size_t>(inputs * outputs), 0.5)), {}};
  };
  EXPECT_EQ(simplified(chain({dense(8, 8), dense(8, 2)}, {{8}, {8}, {2}})).nodes().size(), 2U);
  EXPECT_EQ(simplified(chain({dense(8, 1), dense(1, 8)}, {{8}, {1}, {8}})).nodes().size(), 3U);
}

TEST(Simplify, FoldsPermutationsAndSelectionsIntoDenseMaps) {
  const auto order = std::make_shared<std::vector<std::int32_t>>(std::vector<std::int32_t>{2, 0, 1});
  const auto pick = std::make_shared<std::vector<std::int32_t>>(std::vector<std::int32_t>{1, 0});
  const Dense dense{1, 3, 2, Coefficients({1, 2, 3, 4, 5, 6}), Coefficients({7, 8})};
  const Network network = chain({IndexMap{order}, dense, IndexMap{pick}}, {{3}, {3}, {2}, {2}});
  const Network simple = simplified(network);
  EXPECT_EQ(simple.nodes().size(), 2U);
  const auto point = exact_point({10, 20, 30});
  const auto truth = exact_outputs(network, point), outputs = exact_outputs(simple, point);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(outputs[i].low, truth[i].low);
}

// x -> affine -> ReLU -> a dense map onto one number, with weights 1, 2, 3, ...
Network read_by_a_dense_map(const Op& affine, const tensor::Shape& input, std::int64_t units) {
  std::vector<double> weight;
  for (std::int64_t i = 0; i < units; ++i) weight.push_back(static_cast<double>(i + 1));
  const Dense last{1, units, 1, Coefficients(weight), Coefficients({0.5})};
  return chain({affine, Relu{}, last}, {input, {units}, {units}, {1}});
}

std::int64_t unit_count(const Network& network) {
  std::int64_t units = 0;
  for (const Node& node : network.nodes()) {
    if (std::holds_alternative<Relu>(node.op)) units += tensor::element_count(node.shape);
  }
  return units;
}

void expect_same_function(const Network& network, std::uint64_t seed) {
  const Network simple = simplified(network, RepeatedUnitsAre::kShared);
  Random random(seed);
  for (int p = 0; p < 50; ++p) {
    const auto point = exact_point(testing::random_point(random, network.input_size()));
    const auto truth = exact_outputs(network, point), outputs = exact_outputs(simple, point);
    ASSERT_EQ(outputs[0].low, truth[0].low);
    ASSERT_EQ(outputs[0].high, truth[0].high);
  }
}

TEST(Simplify, MakesOneUnitOfEqualAndOppositeRows) {
  // Rows 0, 2 and 4 are the same up to their signs. Row 3 differs from row 1 in its bias, row 5 is zero.
  const Dense dense{1, 2, 6, Coefficients({1, -2, 3, 0.5, -1, 2, 3, 0.5, 1, -2, 0, 0}),
                    Coefficients({4, 1, -4, 2, 4, 0})};
  const Network network = read_by_a_dense_map(dense, {2}, 6);
  EXPECT_EQ(unit_count(simplified(network)), 6);
  EXPECT_EQ(unit_count(simplified(network, RepeatedUnitsAre::kShared)), 4);
  expect_same_function(network, 11);
}

TEST(Simplify, MakesOneUnitOfEqualAndOppositeChannels) {
  tensor::ConvolutionGeometry g = three_by_three(1);
  g.out_channels = 3;
  std::vector<double> weight;
  for (const double sign : {1.0, 1.0, -1.0}) {
    for (int i = 0; i < 9; ++i) weight.push_back(sign * (i % 4 - 1.5));
  }
  // Channel 1 has another bias than channel 0; channel 2 is the opposite of channel 1.
  const Network network =
      read_by_a_dense_map(Convolution{g, Coefficients(weight), Coefficients({0.5, 0.25, -0.25})}, {1, 4, 4}, 48);
  EXPECT_EQ(unit_count(simplified(network, RepeatedUnitsAre::kShared)), 32);
  expect_same_function(network, 12);
}

TEST(Simplify, KeepsUnitsWhoseRowsAreOnlyKnownToWithinAnError) {
  const Coefficients rounded({1, -2, -1, 2}, {1e-16, 0}), exact({1, -2, -1, 2});
  EXPECT_EQ(unit_count(simplified(read_by_a_dense_map(Dense{1, 2, 2, rounded, {}}, {2}, 2), RepeatedUnitsAre::kShared)),
            2);
  EXPECT_EQ(unit_count(simplified(read_by_a_dense_map(Dense{1, 2, 2, exact, {}}, {2}, 2), RepeatedUnitsAre::kShared)),
            1);
}

TEST(Simplify, KeepsUnitsWhoseArgumentsAreRead) {
  const Dense dense{1, 2, 2, Coefficients({1, -2, -1, 2}), {}};
  std::vector<Node> nodes{{"x", Input{0}, {}, {2}}, {"z", dense, {0}, {2}}, {"r", Relu{}, {1}, {2}}};
  EXPECT_EQ(
      unit_count(simplified(Network(nodes, {{"x", {2}}}, {{"r", {2}, 2}, {"z", {2}, 1}}), RepeatedUnitsAre::kShared)),
      2);
  EXPECT_EQ(unit_count(simplified(Network(nodes, {{"x", {2}}}, {{"r", {2}, 2}}), RepeatedUnitsAre::kShared)), 1);
}

TEST(Simplify, KeepsAValueThatIsAlsoAnOutput) {
  const ScaleShift twice{1, 1, 4, Coefficients({2.0}), {}};
  std::vector<Node> nodes{{"x", Input{0}, {}, {4}}, {"a", twice, {0}, {4}}, {"b", twice, {1}, {4}}};
  const Network network(nodes, {{"x", {4}}}, {{"a", {4}, 1}, {"b", {4}, 2}});
  EXPECT_EQ(simplified(network).nodes().size(), 3U);
}

TEST(Simplify, RemovesWhatNoOutputNeedsButKeepsInputs) {
  std::vector<Node> nodes{
      {"x", Input{0}, {}, {4}}, {"z", Input{1}, {}, {2}}, {"dead", Relu{}, {1}, {2}}, {"y", Relu{}, {0}, {4}}};
  const Network network(nodes, {{"x", {4}}, {"z", {2}}}, {{"y", {4}, 3}});
  const Network simple = simplified(network);
  EXPECT_EQ(simple.nodes().size(), 3U);
  EXPECT_EQ(simple.input_size(), 6);
}

}  // namespace
}  // namespace plumb::network
