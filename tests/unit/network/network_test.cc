#include "network/network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"

namespace plumb::network {
namespace {

Network one_operation(Op op, tensor::Shape in, tensor::Shape out, NodeId argument = 0) {
  return Network({{"x", Input{0}, {}, in}, {"f", std::move(op), {argument}, out}}, {{"x", in}}, {{"y", out, 1}});
}

Dense dense(std::vector<double> weight, std::vector<double> bias = {}) {
  return Dense{1, 2, 2, Coefficients(std::move(weight)), Coefficients(std::move(bias))};
}

TEST(Network, AcceptsWhatFits) {
  const Network network = one_operation(dense({1, 2, 3, 4}, {5, 6}), {2}, {2});
  EXPECT_EQ(network.parameters(), 6);
  EXPECT_EQ(network.input_size(), 2);
  EXPECT_EQ(network.output_size(), 2);
}

TEST(Network, RefusesWhatDoesNotFit) {
  EXPECT_THROW(one_operation(dense({1, 2, 3}), {2}, {2}), DataError);
  EXPECT_THROW(one_operation(dense({1, 2, 3, 4}, {5}), {2}, {2}), DataError);
  EXPECT_THROW(one_operation(dense({1, 2, 3, 4}), {3}, {2}), DataError);
  EXPECT_THROW(one_operation(dense({1, 2, 3, 4}), {2}, {3}), DataError);
  EXPECT_THROW(one_operation(Relu{}, {2}, {2}, 1), DataError);  // a node that reads itself
  const auto far_away = std::make_shared<std::vector<std::int32_t>>(1, 2);
  EXPECT_THROW(one_operation(IndexMap{far_away}, {2}, {1}), DataError);
}

TEST(Network, RefusesNumbersThatAreNotFiniteAndNamesThem) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    try {
      one_operation(dense({1, 2, bad, 4}), {2}, {2});
      FAIL() << bad;
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find("node 'f'"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("number 2"), std::string::npos) << error.what();
    }
  }
}

TEST(Network, CountsUnits) {
  const auto offsets = std::make_shared<std::vector<std::int64_t>>(std::vector<std::int64_t>{0, 2, 3});
  const auto members = std::make_shared<std::vector<std::int32_t>>(std::vector<std::int32_t>{0, 1, 1});
  EXPECT_EQ(one_operation(Maximum{offsets, members}, {2}, {2}).max_units(), 1);
  EXPECT_EQ(one_operation(Relu{}, {2, 3}, {2, 3}).relu_units(), 6);
}

}  // namespace
}  // namespace plumb::network
