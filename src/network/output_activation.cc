#include "network/output_activation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "base/error.h"

namespace plumb::network {
namespace {

double log_of_sum(std::span<const double> values, double largest) {
  return std::log(std::transform_reduce(values.begin(), values.end(), 0.0, std::plus<>(),
                                        [&](double v) { return std::exp(v - largest); }));
}

// Softmax is taken over all elements together: the importer refuses other axes.
void apply(const std::string& activation, std::span<double> values) {
  if (activation == "Sigmoid") {
    for (double& v : values) v = v >= 0 ? 1 / (1 + std::exp(-v)) : std::exp(v) / (1 + std::exp(v));
    return;
  }
  if (activation != "Softmax" && activation != "LogSoftmax")
    throw InternalError(activation, "is not a known last operation");
  const double largest = *std::ranges::max_element(values);
  const double shift = largest + log_of_sum(values, largest);
  for (double& v : values) v = activation == "Softmax" ? std::exp(v - shift) : v - shift;
}

}  // namespace

bool has_dropped_activation(const Network& network) {
  return std::ranges::any_of(network.outputs(),
                             [](const NetworkOutput& o) { return o.dropped_activation.has_value(); });
}

std::vector<double> with_dropped_activations(const Network& network, std::vector<double> outputs) {
  std::size_t offset = 0;
  for (const NetworkOutput& output : network.outputs()) {
    const auto size = static_cast<std::size_t>(network.size(output.node));
    if (output.dropped_activation) apply(*output.dropped_activation, std::span(outputs).subspan(offset, size));
    offset += size;
  }
  return outputs;
}

}  // namespace plumb::network
