#include "network/normalised.h"

#include <numeric>

#include "base/numbers.h"
#include "network/op_kind.h"
#include "network/simplify.h"

namespace plumb::network {
namespace {

// The part of the coefficients that belongs to `count` inputs from `first` on.
Coefficients part_of(const Coefficients& all, std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> positions(index(count));
  std::iota(positions.begin(), positions.end(), first);
  return gather(all, positions);
}

Coefficients ones(std::int64_t count) { return Coefficients(std::vector<double>(index(count), 1.0)); }

}  // namespace

Network with_normalisation(const Network& network, const Coefficients& mean, const Coefficients& deviation) {
  const Network& stored = network.stored() ? *network.stored() : network;
  std::vector<Node> nodes;
  std::vector<NodeId> moved;  // from numbers of nodes in `stored` to those in `nodes`
  for (NodeId id = 0; id < stored.nodes().size(); ++id) {
    Node node = stored.node(id);
    for (NodeId& argument : node.arguments) argument = moved[argument];
    if (node.direct) node.direct->argument = moved[node.direct->argument];
    nodes.push_back(node);
    if (const auto* input = as_input(node.op)) {
      const std::int64_t size = stored.size(id), first = stored.input_offset(input->index);
      const auto add = [&](const char* suffix, Coefficients scale, Coefficients shift) {
        nodes.push_back({node.name + suffix,
                         ScaleShift{1, size, 1, std::move(scale), std::move(shift)},
                         {nodes.size() - 1},
                         node.shape});
      };
      add("/centred", ones(size), negate(part_of(mean, first, size)));
      add("/normalised", divide(ones(size), part_of(deviation, first, size)), {});
    }
    moved.push_back(nodes.size() - 1);
  }
  std::vector<NetworkOutput> outputs = stored.outputs();
  for (NetworkOutput& output : outputs) output.node = moved[output.node];
  return simplified(Network(std::move(nodes), stored.inputs(), std::move(outputs), stored.opset()));
}

}  // namespace plumb::network
