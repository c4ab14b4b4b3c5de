#include "normalisation.h"

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

}  // namespace

void normalise(Network& network, std::string mean, std::string deviation, const DataSet* data) {
  if (mean.empty() && deviation.empty()) return;
  for (const UsualNumbers& usual : kUsual) {
    if (mean == usual.name) mean = usual.mean;
    if (deviation == usual.name) deviation = usual.deviation;
  }
  const std::optional<Image> image = image_of(network, data);
  const auto means = for_each_input(mean.empty() ? "0" : mean, ',', network.input_size, image);
  const auto deviations = for_each_input(deviation.empty() ? "1" : deviation, ',', network.input_size, image);
  std::vector<Node> nodes;
  std::vector<std::size_t> moved;
  for (Node& node : network.nodes) {
    for (std::size_t& argument : node.arguments) argument = moved[argument];
    nodes.push_back(node);
    if (const auto* input = std::get_if<Input>(&node.op)) {
      Scale scale{1, node.size, 1, {}, {}};
      for (std::int64_t i = input->offset; i < input->offset + node.size; ++i) {
        const mpq_class by = exact_number(deviations[static_cast<std::size_t>(i)]);
        if (by <= 0) throw BadFile("a standard deviation is not positive");
        add(scale.scale, 1 / by);
        add(scale.shift, -exact_number(means[static_cast<std::size_t>(i)]) / by);
      }
      nodes.push_back({node.name + "/normalised", std::move(scale), {nodes.size() - 1}, node.size});
    }
    moved.push_back(nodes.size() - 1);
  }
  for (NetworkOutput& output : network.outputs) output.node = moved[output.node];
  network.nodes = std::move(nodes);
}

}  // namespace checker
