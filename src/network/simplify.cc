// simplify.cc: rules for operations that change nothing, and for pairs of operations that can be merged. Here
// operations are tested for one by one: what has no rule stays as it is, which is always right, so an operation that is
// added needs none.
#include "network/simplify.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/numbers.h"
#include "network/op_kind.h"
#include "network/repeated_units.h"

namespace plumb::network {
namespace {

bool is_zero(const Coefficients& c) {
  return c.error() == CoefficientError{} &&
         std::all_of(c.values().begin(), c.values().end(), [](double v) { return v == 0; });
}

Coefficients plus(const Coefficients& a, const Coefficients& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return add(a, b);
}

// The same scaling with the given `channels` and `inner`; nullopt if it is not constant on each of these channels.
std::optional<ScaleShift> regrouped(const ScaleShift& scale, std::int64_t channels, std::int64_t inner) {
  if (scale.channels == channels && scale.inner == inner) return scale;
  const std::int64_t size = scale.outer * scale.channels * scale.inner;
  std::vector<std::int64_t> origin(index(channels), -1);
  for (std::int64_t i = 0; i < size; ++i) {
    const std::int64_t source = i / scale.inner % scale.channels;
    std::int64_t& seen = origin[index(i / inner % channels)];
    if (seen < 0) seen = source;
    const bool same = seen == source || (scale.scale[seen] == scale.scale[source] &&
                                         (scale.shift.empty() || scale.shift[seen] == scale.shift[source]));
    if (!same) return std::nullopt;
  }
  ScaleShift result{size / (channels * inner), channels, inner, gather(scale.scale, origin), {}};
  if (!scale.shift.empty()) result.shift = gather(scale.shift, origin);
  return result;
}

bool is_identity(const Node& node, std::int64_t argument_size) {
  if (const auto* map = std::get_if<IndexMap>(&node.op)) {
    if (node.arguments.size() != 1 || static_cast<std::int64_t>(map->source->size()) != argument_size) return false;
    for (std::size_t i = 0; i < map->source->size(); ++i) {
      if ((*map->source)[i] != static_cast<std::int32_t>(i)) return false;
    }
    return true;
  }
  const auto all_ones = [](const Coefficients& c) {
    return c.error() == CoefficientError{} &&
           std::all_of(c.values().begin(), c.values().end(), [](double v) { return v == 1; });
  };
  if (const auto* scale = std::get_if<ScaleShift>(&node.op)) return all_ones(scale->scale) && is_zero(scale->shift);
  if (const auto* sum = std::get_if<Sum>(&node.op)) return node.arguments.size() == 1 && all_ones(sum->coefficients);
  return false;
}

// The input channel of the convolution to which each weight belongs (the output channel of its transpose). Weights are
// groups x out_per_group x in_per_group x kernel.
std::vector<std::int64_t> input_channel_of_weights(const tensor::ConvolutionGeometry& g) {
  const std::int64_t kernel = g.kernel_height * g.kernel_width;
  std::vector<std::int64_t> channel(index(g.weight_count()));
  for (std::int64_t i = 0; i < g.weight_count(); ++i) {
    const std::int64_t group = i / (g.out_per_group() * g.window());
    channel[index(i)] = group * g.in_per_group() + i / kernel % g.in_per_group();
  }
  return channel;
}

// scale after affine: s (W x + b) + t.

std::optional<Op> scaled_result(const ScaleShift& scale, const Dense& dense) {
  const auto s = regrouped(scale, dense.outputs, 1);
  if (!s) return std::nullopt;
  Dense result = dense;
  result.weight = multiply(dense.weight, s->scale, dense.inputs);
  result.bias = plus(dense.bias.empty() ? dense.bias : multiply(dense.bias, s->scale), s->shift);
  return result;
}

std::optional<Op> scaled_result(const ScaleShift& scale, const Convolution& conv) {
  const auto s = regrouped(scale, conv.geometry.out_channels, conv.geometry.out_positions());
  if (!s) return std::nullopt;
  Convolution result = conv;
  result.weight = multiply(conv.weight, s->scale, conv.geometry.window());
  result.bias = plus(conv.bias.empty() ? conv.bias : multiply(conv.bias, s->scale), s->shift);
  return result;
}

std::optional<Op> scaled_result(const ScaleShift& scale, const TransposedConvolution& conv) {
  const tensor::ConvolutionGeometry& g = conv.geometry;
  const auto s = regrouped(scale, g.in_channels, g.in_height * g.in_width);
  if (!s) return std::nullopt;
  TransposedConvolution result = conv;
  result.weight = multiply(conv.weight, gather(s->scale, input_channel_of_weights(g)));
  result.bias = plus(conv.bias.empty() ? conv.bias : multiply(conv.bias, s->scale), s->shift);
  return result;
}

std::optional<Op> scaled_result(const ScaleShift& scale, const ScaleShift& inner) {
  const ScaleShift& finer = scale.channels > inner.channels ? scale : inner;
  const auto outer = regrouped(scale, finer.channels, finer.inner);
  const auto first = regrouped(inner, finer.channels, finer.inner);
  if (!outer || !first) return std::nullopt;
  ScaleShift result = *first;
  result.scale = multiply(first->scale, outer->scale);
  result.shift = plus(first->shift.empty() ? first->shift : multiply(first->shift, outer->scale), outer->shift);
  return result;
}

// affine after scale: W (s x + t) + b.

std::optional<Op> scaled_argument(const Dense& dense, const ScaleShift& scale) {
  const auto s = regrouped(scale, dense.inputs, 1);
  if (!s) return std::nullopt;
  Dense result = dense;
  result.weight = multiply(dense.weight, s->scale);
  if (!is_zero(s->shift)) {
    result.bias = plus(matrix_product(dense.weight, s->shift, dense.outputs, dense.inputs, 1), dense.bias);
  }
  return result;
}

std::optional<Op> scaled_argument(const Convolution& conv, const ScaleShift& scale) {
  const tensor::ConvolutionGeometry& g = conv.geometry;
  const auto s = regrouped(scale, g.in_channels, g.in_height * g.in_width);
  // Padding adds zeros after the scaling. A shift that is folded into the bias would shift the padding too.
  if (!s || (!is_zero(s->shift) && g.has_padding())) return std::nullopt;
  const std::vector<std::int64_t> channel = input_channel_of_weights(g);
  Convolution result = conv;
  result.weight = multiply(conv.weight, gather(s->scale, channel));
  if (!is_zero(s->shift)) {
    const Coefficients shifts = multiply(conv.weight, gather(s->shift, channel));
    const Coefficients ones(std::vector<double>(index(g.window()), 1.0));
    result.bias = plus(matrix_product(shifts, ones, g.out_channels, g.window(), 1), conv.bias);
  }
  return result;
}

std::optional<Op> scaled_argument(const TransposedConvolution& conv, const ScaleShift& scale) {
  const auto s = regrouped(scale, conv.geometry.out_channels, conv.geometry.out_positions());
  // How many shifted elements are added up depends on the position, so one bias per channel cannot replace a shift.
  if (!s || !is_zero(s->shift)) return std::nullopt;
  TransposedConvolution result = conv;
  result.weight = multiply(conv.weight, s->scale, conv.geometry.window());
  return result;
}

std::optional<Op> chained(const Dense& second, const Dense& first) {
  const std::int64_t fused = second.outputs * first.inputs;
  if (second.rows != first.rows || fused > second.weight.size() + first.weight.size()) return std::nullopt;
  Dense result{first.rows, first.inputs, second.outputs, {}, second.bias};
  result.weight = matrix_product(second.weight, first.weight, second.outputs, first.outputs, first.inputs);
  if (!first.bias.empty()) {
    result.bias = plus(matrix_product(second.weight, first.bias, second.outputs, first.outputs, 1), second.bias);
  }
  return result;
}

std::optional<Op> permuted_argument(const Dense& dense, const IndexMap& map, std::int64_t argument_size) {
  if (dense.rows != 1 || dense.inputs != argument_size) return std::nullopt;
  std::vector<std::int64_t> column(index(argument_size), -1);
  for (std::int64_t i = 0; i < dense.inputs; ++i) {
    const std::int32_t source = (*map.source)[index(i)];
    if (source < 0 || column[index(source)] >= 0) return std::nullopt;
    column[index(source)] = i;
  }
  std::vector<std::int64_t> entries(index(dense.weight.size()));
  for (std::int64_t i = 0; i < dense.weight.size(); ++i) {
    entries[index(i)] = i / dense.inputs * dense.inputs + column[index(i % dense.inputs)];
  }
  Dense result = dense;
  result.weight = gather(dense.weight, entries);
  return result;
}

std::optional<Op> selected_result(const IndexMap& map, const Dense& dense) {
  const std::int64_t outputs = static_cast<std::int64_t>(map.source->size());
  if (dense.rows != 1 || outputs > dense.outputs) return std::nullopt;
  std::vector<std::int64_t> entries, rows;
  for (const std::int32_t source : *map.source) {
    if (source < 0) return std::nullopt;
    rows.push_back(source);
    for (std::int64_t j = 0; j < dense.inputs; ++j) entries.push_back(source * dense.inputs + j);
  }
  Dense result{1, dense.inputs, outputs, gather(dense.weight, entries), {}};
  if (!dense.bias.empty()) result.bias = gather(dense.bias, rows);
  return result;
}

// Rebuilds the network node by node, and merges nodes with arguments that nothing else uses.
class Simplifier {
 public:
  Simplifier(const Network& network, RepeatedUnitsAre repeated)
      : network_(network), repeated_(repeated), image_(network.nodes().size()) {
    std::vector<std::int64_t> uses(network.nodes().size(), 0);
    for (const Node& node : network.nodes()) {
      for (const NodeId argument : node.arguments) ++uses[argument];
    }
    for (const NetworkOutput& output : network.outputs()) ++uses[output.node];
    for (NodeId id = 0; id < network.nodes().size(); ++id) {
      Node node = network.node(id);
      node.direct.reset();
      for (NodeId& argument : node.arguments) argument = image_[argument];
      image_[id] = place(without_repeated_units(rewritten(std::move(node))), uses[id]);
    }
  }

  Network result() const {
    std::vector<bool> needed(nodes_.size(), false);
    for (const NetworkOutput& output : network_.outputs()) needed[image_[output.node]] = true;
    for (NodeId id = nodes_.size(); id-- > 0;) {
      if (is_input(nodes_[id].op)) needed[id] = true;
      if (!needed[id]) continue;
      for (const NodeId argument : nodes_[id].arguments) needed[argument] = true;
    }
    std::vector<Node> kept;
    std::vector<NodeId> position(nodes_.size());
    for (NodeId id = 0; id < nodes_.size(); ++id) {
      if (!needed[id]) continue;
      position[id] = kept.size();
      kept.push_back(nodes_[id]);
      for (NodeId& argument : kept.back().arguments) argument = position[argument];
    }
    std::vector<NetworkOutput> outputs = network_.outputs();
    for (NetworkOutput& output : outputs) output.node = position[image_[output.node]];
    return Network(std::move(kept), network_.inputs(), std::move(outputs), network_.opset(),
                   network_.stored() ? network_.stored() : std::make_shared<const Network>(network_));
  }

 private:
  // Appends the node and returns its id, or returns its argument's id if it only repeats the argument.
  NodeId place(Node node, std::int64_t uses) {
    if (node.arguments.size() == 1 && changes_nothing(node)) {
      uses_[node.arguments[0]] += uses - 1;
      return node.arguments[0];
    }
    nodes_.push_back(std::move(node));
    uses_.push_back(uses);
    return nodes_.size() - 1;
  }

  bool changes_nothing(const Node& node) const {
    const Node& argument = nodes_[node.arguments[0]];
    if (std::holds_alternative<Relu>(node.op)) return std::holds_alternative<Relu>(argument.op);
    return is_identity(node, tensor::element_count(argument.shape));
  }

  // A ReLU whose argument has rows that repeat others becomes a smaller one, and the node that is returned, which reads
  // it.
  Node without_repeated_units(Node node) {
    if (repeated_ == RepeatedUnitsAre::kKept) return node;
    if (!std::holds_alternative<Relu>(node.op) || uses_[node.arguments[0]] != 1) return node;
    const NodeId affine = node.arguments[0];
    std::optional<RepeatedUnits> units = repeated_units(nodes_[affine].op);
    if (!units) return node;
    nodes_[affine].op = std::move(units->affine);
    nodes_[affine].shape = {units->kept};
    const NodeId relu = append({node.name, Relu{}, {affine}, {units->kept}});
    const auto reading = [&](NodeId from, std::vector<std::int32_t> source) {
      return Node{node.name,
                  IndexMap{std::make_shared<const std::vector<std::int32_t>>(std::move(source))},
                  {from},
                  node.shape};
    };
    Node all = reading(relu, std::move(units->relu));
    if (!units->has_opposite) return all;
    ++uses_[affine];
    const NodeId added = append(std::move(all)), subtracted = append(reading(affine, std::move(units->subtracted)));
    return {node.name, Sum{Coefficients(std::vector<double>{1, -1})}, {added, subtracted}, node.shape};
  }

  // Appends a node that one other will use.
  NodeId append(Node node) {
    nodes_.push_back(std::move(node));
    uses_.push_back(1);
    return nodes_.size() - 1;
  }

  Node rewritten(Node node) const {
    while (const auto fused = fused_with_argument(node)) {
      const Node& argument = nodes_[node.arguments[0]];
      // The result has the name of the affine map, not that of the scaling or index map.
      const bool later_is_main = std::holds_alternative<Dense>(node.op) || std::holds_alternative<Convolution>(node.op);
      node = Node{later_is_main ? node.name : argument.name, *fused, argument.arguments, node.shape};
    }
    if (const auto* map = std::get_if<IndexMap>(&node.op)) return composed(node, *map);
    return node;
  }

  // Merges the node with its only argument into one operation on the argument's argument. Returns nullopt if something
  // else uses the argument's value, or if there is no rule for the two.
  std::optional<Op> fused_with_argument(const Node& node) const {
    if (node.arguments.size() != 1) return std::nullopt;
    const NodeId id = node.arguments[0];
    const Node& argument = nodes_[id];
    if (uses_[id] != 1 || argument.arguments.size() != 1) return std::nullopt;

    if (const auto* scale = std::get_if<ScaleShift>(&node.op)) {
      if (const auto* dense = std::get_if<Dense>(&argument.op)) return scaled_result(*scale, *dense);
      if (const auto* conv = std::get_if<Convolution>(&argument.op)) return scaled_result(*scale, *conv);
      if (const auto* conv = std::get_if<TransposedConvolution>(&argument.op)) return scaled_result(*scale, *conv);
      if (const auto* inner = std::get_if<ScaleShift>(&argument.op)) return scaled_result(*scale, *inner);
    }
    if (const auto* scale = std::get_if<ScaleShift>(&argument.op)) {
      if (const auto* dense = std::get_if<Dense>(&node.op)) return scaled_argument(*dense, *scale);
      if (const auto* conv = std::get_if<Convolution>(&node.op)) return scaled_argument(*conv, *scale);
      if (const auto* conv = std::get_if<TransposedConvolution>(&node.op)) return scaled_argument(*conv, *scale);
    }
    if (const auto* dense = std::get_if<Dense>(&node.op)) {
      if (const auto* first = std::get_if<Dense>(&argument.op)) return chained(*dense, *first);
      if (const auto* map = std::get_if<IndexMap>(&argument.op)) {
        return permuted_argument(*dense, *map, tensor::element_count(nodes_[argument.arguments[0]].shape));
      }
    }
    if (const auto* map = std::get_if<IndexMap>(&node.op)) {
      if (const auto* dense = std::get_if<Dense>(&argument.op)) return selected_result(*map, *dense);
    }
    return std::nullopt;
  }

  // Composes an index map with the index maps among its arguments, and drops the arguments that it does not read.
  Node composed(const Node& node, const IndexMap& map) const {
    std::vector<NodeId> arguments;
    std::vector<std::int64_t> start;  // of each new argument in the new concatenation
    std::int64_t total = 0;
    const auto start_of = [&](NodeId id) {
      const auto found = std::find(arguments.begin(), arguments.end(), id);
      if (found != arguments.end()) return start[index(found - arguments.begin())];
      arguments.push_back(id);
      start.push_back(total);
      total += tensor::element_count(nodes_[id].shape);
      return start.back();
    };
    std::vector<std::int32_t> sources(*map.source);
    for (std::int32_t& source : sources) {
      if (source < 0) continue;
      auto [id, position] = read(node.arguments, source);
      if (const auto* inner = std::get_if<IndexMap>(&nodes_[id].op)) {
        const std::int32_t deeper = (*inner->source)[index(position)];
        if (deeper < 0) {
          source = -1;
          continue;
        }
        std::tie(id, position) = read(nodes_[id].arguments, deeper);
      }
      source = static_cast<std::int32_t>(start_of(id) + position);
    }
    return Node{node.name, IndexMap{std::make_shared<const std::vector<std::int32_t>>(std::move(sources))},
                std::move(arguments), node.shape};
  }

  // The node to which a position in the concatenated arguments belongs, and the position in its value.
  std::pair<NodeId, std::int64_t> read(const std::vector<NodeId>& arguments, std::int64_t source) const {
    const auto [a, position] =
        locate(source, [&](std::size_t argument) { return tensor::element_count(nodes_[arguments[argument]].shape); });
    return {arguments[a], position};
  }

  const Network& network_;
  RepeatedUnitsAre repeated_;
  std::vector<NodeId> image_;  // the new node of each original node
  std::vector<Node> nodes_;
  std::vector<std::int64_t> uses_;
};

}  // namespace

Network simplified(const Network& network, RepeatedUnitsAre repeated) { return Simplifier(network, repeated).result(); }

std::shared_ptr<const Network> with_shared_units(std::shared_ptr<const Network> network) {
  if (!network->stored()) return network;
  Network shared_units = simplified(*network->stored(), RepeatedUnitsAre::kShared);
  return shared_units.relu_units() == network->relu_units() ? network : shared(std::move(shared_units));
}

}  // namespace plumb::network
