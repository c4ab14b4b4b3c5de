// plumb inspect: what a network is made of.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/table.h"

namespace plumb::cli {
namespace {

using Json = nlohmann::ordered_json;

struct InspectOptions {
  std::string network;
  OutputOptions output;
};

void print_json(const network::Network& network) {
  Json json;
  json["inputs"] = Json::array();
  for (const auto& input : network.inputs()) json["inputs"].push_back({{"name", input.name}, {"shape", input.shape}});
  json["outputs"] = Json::array();
  for (const auto& output : network.outputs())
    json["outputs"].push_back({{"name", output.name}, {"shape", output.shape}});
  json["layers"] = Json::array();
  for (network::NodeId id = 0; id < network.nodes().size(); ++id) {
    const network::Node& node = network.node(id);
    json["layers"].push_back({{"name", node.name},
                              {"op", name_of(node.op)},
                              {"shape", node.shape},
                              {"parameters", parameter_count(node.op)},
                              {"relu_units", relu_units(node.op, network.size(id))},
                              {"max_units", max_units(node.op)}});
  }
  json["parameters"] = network.parameters();
  json["relu_units"] = network.relu_units();
  json["max_units"] = network.max_units();
  json["opset"] = network.opset();
  json["output_activation"] = nullptr;
  for (const auto& output : network.outputs()) {
    if (output.dropped_activation) json["output_activation"] = *output.dropped_activation;
  }
  fmt::print("{}\n", json.dump());
}

std::string or_blank(std::int64_t number) { return number == 0 ? "" : grouped(number); }

void print_table(const network::Network& network) {
  Table table({{"layer", Align::kLeft}, {"operation", Align::kLeft}, {"shape"}, {"parameters"}, {"ReLU"}, {"max"}});
  for (network::NodeId id = 0; id < network.nodes().size(); ++id) {
    const network::Node& node = network.node(id);
    table.add_row({node.name, name_of(node.op), tensor::to_string(node.shape), or_blank(parameter_count(node.op)),
                   or_blank(relu_units(node.op, network.size(id))), or_blank(max_units(node.op))});
  }
  table.add_row(
      {"total", "", "", grouped(network.parameters()), grouped(network.relu_units()), grouped(network.max_units())});
  fmt::print("{}", table.text());
}

}  // namespace

void add_inspect(CommandLine& line) {
  auto options = std::make_shared<InspectOptions>();
  Command command =
      line.add_command("inspect", "List the layers of a network with shapes, parameters, ReLU and max units");
  add_network_option(command, options->network);
  add_output_options(command, options->output);
  command.footer(
      "The layers are those of the simplified network that Plumb works on.\n"
      "Example: plumb inspect examples/digits/digits.onnx");
  command.action([options] {
    const std::shared_ptr<const network::Network> network = load_network(options->network, options->output);
    options->output.json ? print_json(*network) : print_table(*network);
    return 0;
  });
}

}  // namespace plumb::cli
