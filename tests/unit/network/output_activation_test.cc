#include "network/output_activation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace plumb::network {
namespace {

// A network that copies its inputs. Each output has two elements and the given last operation.
Network copying(const std::vector<std::optional<std::string>>& activations) {
  std::vector<Node> nodes;
  std::vector<NetworkInput> inputs;
  std::vector<NetworkOutput> outputs;
  for (std::size_t i = 0; i < activations.size(); ++i) {
    nodes.push_back({"x" + std::to_string(i), Input{static_cast<std::int64_t>(i)}, {}, {2}});
    inputs.push_back({nodes.back().name, {2}, ElementType::kFloat32});
    outputs.push_back({"y" + std::to_string(i), {2}, i, activations[i]});
  }
  return Network(std::move(nodes), std::move(inputs), std::move(outputs));
}

TEST(OutputActivation, EachOutputGetsItsOwn) {
  const Network network = copying({std::nullopt, "Softmax", "LogSoftmax", "Sigmoid"});
  EXPECT_TRUE(has_dropped_activation(network));
  const double ln3 = std::log(3.0);
  const auto y = with_dropped_activations(network, {7, -7, 1, 1 + ln3, 1, 1 + ln3, ln3, -ln3});
  const std::vector<double> expected{7, -7, 0.25, 0.75, std::log(0.25), std::log(0.75), 0.75, 0.25};
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-15) << i;
}

TEST(OutputActivation, LargeNumbersDoNotOverflow) {
  const Network network = copying({"Softmax", "LogSoftmax", "Sigmoid"});
  const auto y = with_dropped_activations(network, {1e4, -1e4, 1e4, -1e4, 1e4, -1e4});
  EXPECT_EQ(y, (std::vector<double>{1, 0, 0, -2e4, 1, 0}));
}

TEST(OutputActivation, WithoutAnyNothingChanges) {
  const Network network = copying({std::nullopt});
  EXPECT_FALSE(has_dropped_activation(network));
  EXPECT_EQ(with_dropped_activations(network, {3, 4}), (std::vector<double>{3, 4}));
}

}  // namespace
}  // namespace plumb::network
