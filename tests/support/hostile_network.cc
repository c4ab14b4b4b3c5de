#include "support/hostile_network.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace plumb::testing {
namespace {

bool one_in(Random& random, std::int64_t n) { return uniform(random, 1, n) == 1; }

double quarter(Random& random) { return static_cast<double>(uniform(random, -8, 8)) / 4; }

double extreme(Random& random) {
  static constexpr float kSizes[] = {1e20F, 1e-20F, 1e30F, 1e-30F, 0x1p-149F, 1e-40F, 1e8F, 1e-8F, 0x1p24F, 0.1F};
  const double size = kSizes[uniform(random, 0, std::ssize(kSizes) - 1)];
  return one_in(random, 2) ? size : -size;
}

struct Layer {
  std::int64_t inputs, outputs;
  std::vector<double> weight, bias;

  double* row(std::int64_t o) { return &weight[static_cast<std::size_t>(o * inputs)]; }
};

// A pair of rows with opposite signs and huge weights. The next layer can cancel all but their last bits.
void make_cancelling_pair(Random& random, Layer& layer) {
  const std::int64_t from = uniform(random, 0, layer.outputs - 2);
  const double size = one_in(random, 2) ? 1e20F : 0x1p24F;
  for (std::int64_t i = 0; i < layer.inputs; ++i) {
    layer.row(from)[i] = size * quarter(random);
    layer.row(from + 1)[i] = -layer.row(from)[i];
  }
}

Layer random_layer(Random& random, std::int64_t inputs, std::int64_t outputs, bool hostile) {
  Layer layer{inputs, outputs, {}, {}};
  for (std::int64_t i = 0; i < inputs * outputs; ++i) layer.weight.push_back(quarter(random));
  for (std::int64_t i = 0; i < outputs; ++i) layer.bias.push_back(one_in(random, 3) ? 0 : quarter(random));
  if (one_in(random, 12)) std::fill_n(layer.row(uniform(random, 0, outputs - 1)), inputs, 0.0);
  if (!hostile) return layer;
  for (double& w : layer.weight) {
    if (one_in(random, 4)) w = extreme(random);
  }
  for (double& b : layer.bias) {
    if (one_in(random, 6)) b = extreme(random);
  }
  if (outputs >= 2 && one_in(random, 3)) make_cancelling_pair(random, layer);
  for (double& w : layer.weight) w = static_cast<double>(static_cast<float>(w));
  return layer;
}

void add_layer(std::vector<network::Node>& nodes, const Layer& layer) {
  nodes.push_back({"dense",
                   network::Dense{1, layer.inputs, layer.outputs, network::Coefficients(layer.weight),
                                  network::Coefficients(layer.bias)},
                   {nodes.size() - 1},
                   {1, layer.outputs}});
}

void add_relu(std::vector<network::Node>& nodes, std::int64_t size) {
  nodes.push_back({"relu", network::Relu{}, {nodes.size() - 1}, {1, size}});
}

}  // namespace

network::Network hostile_network(Random& random) {
  const std::int64_t inputs = uniform(random, 1, one_in(random, 3) ? 4 : 2);
  const bool hostile = one_in(random, 5);
  std::vector<network::Node> nodes{{"x", network::Input{0}, {}, {1, inputs}}};
  std::int64_t width = inputs, left = uniform(random, 0, 8);
  for (std::int64_t layers = uniform(random, 0, 3); layers > 0 && left > 0; --layers) {
    const std::int64_t units = uniform(random, 1, left);
    add_layer(nodes, random_layer(random, width, units, hostile));
    add_relu(nodes, units);
    width = units;
    left -= units;
  }
  const std::int64_t outputs = uniform(random, 1, 4);
  add_layer(nodes, random_layer(random, width, outputs, hostile));
  if (left >= outputs && one_in(random, 12)) add_relu(nodes, outputs);
  const network::NodeId last = nodes.size() - 1;
  return network::Network(std::move(nodes), {{"x", {1, inputs}}}, {{"y", {1, outputs}, last}});
}

std::string description(const network::Network& network) {
  std::ostringstream text;
  text.precision(17);
  for (const network::Node& node : network.nodes()) {
    if (std::holds_alternative<network::Relu>(node.op)) text << "relu\n";
    const auto* dense = std::get_if<network::Dense>(&node.op);
    if (dense == nullptr) continue;
    text << "dense " << dense->inputs << " -> " << dense->outputs << "\n";
    for (std::int64_t o = 0; o < dense->outputs; ++o) {
      for (std::int64_t i = 0; i < dense->inputs; ++i) text << " " << dense->weight[o * dense->inputs + i];
      text << " | " << dense->bias[o] << "\n";
    }
  }
  return text.str();
}

bool is_extreme(const network::Network& network) {
  const auto extreme = [](double w) { return w != 0 && (std::abs(w) > 100 || std::abs(w) < 0.01); };
  return std::ranges::any_of(network.nodes(), [&](const network::Node& node) {
    const auto* dense = std::get_if<network::Dense>(&node.op);
    return dense != nullptr &&
           (std::ranges::any_of(dense->weight.values(), extreme) || std::ranges::any_of(dense->bias.values(), extreme));
  });
}

}  // namespace plumb::testing
