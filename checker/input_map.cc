#include "input_map.h"

#include "error.h"
#include "exact_number.h"

namespace checker {
namespace {

struct UsualNumbers {
  const char *name, *mean, *deviation;
};
constexpr UsualNumbers kUsual[] = {
    {"mnist", "0.1307", "0.3081"},
    {"fashion-mnist", "0.2860", "0.3530"},
    {"cifar10", "0.4914,0.4822,0.4465", "0.2470,0.2435,0.2616"},
    {"cifar100", "0.5071,0.4865,0.4409", "0.2673,0.2564,0.2762"},
    {"imagenet", "0.485,0.456,0.406", "0.229,0.224,0.225"},
};

void add(Numbers& numbers, const mpq_class& number) {
  numbers.low.push_back(round_down(number));
  numbers.high.push_back(round_up(number));
}

// The network behind the map of `inputs` numbers. Inequalities are about the values of the node `asked`: 0 before the
// map, 1 behind it.
Network behind(Affine map, std::int64_t inputs, std::size_t asked, const Network& network) {
  Network mapped = network;
  mapped.nodes = {{"inputs", Input{0}, {}, inputs}, {"map", std::move(map), {0}, network.input_size}};
  for (Node node : network.nodes) {
    for (std::size_t& argument : node.arguments) argument += 2;
    if (const auto* input = std::get_if<Input>(&node.op)) {
      Affine move{{{1.0}, {}}, {}, {{{0, 0, 0, 1}}}};
      for (std::int64_t i = 0; i < node.size; ++i) move.elements.emplace_back(0, input->offset + i);
      move.is_elementwise = true;
      node.op = std::move(move);
      node.arguments = {1};
    }
    mapped.nodes.push_back(std::move(node));
  }
  mapped.input_size = inputs;
  for (NetworkOutput& output : mapped.outputs) output.node += 2;
  find_places(mapped);
  mapped.input_places = {{0, asked}};
  return mapped;
}

}  // namespace

Network with_affine_input(const Network& network, const AffineImage& image) {
  const std::int64_t parameters = std::ssize(image.parameters.low);
  Affine map{{image.generator, {}}, {image.offset, {}}, {{{0, 0, 0, parameters}}}};
  for (std::int64_t i = 0; i < network.input_size; ++i) map.elements.emplace_back(0, 0, i * parameters, i);
  map.rows = 1, map.inputs = parameters, map.outputs = network.input_size;
  return behind(std::move(map), parameters, 1, network);
}

void normalise(Network& network, std::string mean, std::string deviation, const DataSet* data) {
  if (mean.empty() && deviation.empty()) return;
  for (const UsualNumbers& usual : kUsual) {
    if (mean == usual.name) mean = usual.mean;
    if (deviation == usual.name) deviation = usual.deviation;
  }
  const std::optional<Image> image = image_of(network, data);
  const auto means = for_each_input(mean.empty() ? "0" : mean, ',', network.input_size, image);
  const auto deviations = for_each_input(deviation.empty() ? "1" : deviation, ',', network.input_size, image);
  Affine map{{}, {}, {{{0, 0, 0, 1}}}};
  map.is_elementwise = true;
  for (std::int64_t i = 0; i < network.input_size; ++i) {
    const mpq_class by = exact_number(deviations[at(i)]);
    if (by <= 0) throw BadFile("a standard deviation is not positive");
    add(map.weights, 1 / by);
    add(map.biases, -exact_number(means[at(i)]) / by);
    map.elements.emplace_back(0, i, i, i);
  }
  network = behind(std::move(map), network.input_size, 0, network);
}

}  // namespace checker
