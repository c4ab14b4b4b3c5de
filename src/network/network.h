// network.h: a piecewise-linear network as an immutable, validated graph of operations.
//
// In:  nodes in topological order, each with its operation and arguments; the outputs.
// Out: a graph in which every argument exists and comes earlier, every size fits, every coefficient is
// finite.
//
// Several inputs (outputs) are seen as one flat vector: their concatenation in order. Shapes are kept for
// people and for data sets; the meaning of a network depends on sizes only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "network/direct_form.h"
#include "network/op.h"
#include "tensor/shape.h"

namespace plumb::network {

// Position of a node in Network::nodes().
using NodeId = std::size_t;

// The type that the network's own run time uses for an input. A witness must be representable in it.
enum class ElementType { kFloat16, kFloat32, kFloat64 };

struct Node {
  std::string name;
  Op op;
  std::vector<NodeId> arguments;
  tensor::Shape shape;
  // The same value as an activation of an earlier node; for evaluation.
  std::optional<DirectForm> direct = {};
};

struct NetworkInput {
  std::string name;
  tensor::Shape shape;
  ElementType type = ElementType::kFloat32;
};

struct NetworkOutput {
  std::string name;
  tensor::Shape shape;
  NodeId node = 0;
  // "Softmax", "LogSoftmax" or "Sigmoid" if such a last operation was dropped: the output is its input.
  // Labels do not change by that; values do, so questions about them must be refused.
  std::optional<std::string> dropped_activation = {};
};

class Network {
 public:
  // Input nodes must appear in the order of `inputs`. Throws DataError if anything does not fit.
  // `stored`: what the network was simplified from.
  Network(std::vector<Node> nodes, std::vector<NetworkInput> inputs, std::vector<NetworkOutput> outputs,
          std::int64_t opset = 0, std::shared_ptr<const Network> stored = nullptr);

  // The same function, operation by operation as its file has it: what evaluations use, since folded coefficients are
  // rounded. The network itself if it was not simplified.
  const Network& as_stored() const { return stored_ ? *stored_ : *this; }

  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  std::int64_t size(NodeId id) const { return sizes_[id]; }

  const std::vector<NetworkInput>& inputs() const { return inputs_; }
  const std::vector<NetworkOutput>& outputs() const { return outputs_; }
  // Sizes of the concatenated inputs and outputs, and where each one starts.
  std::int64_t input_size() const { return input_size_; }
  std::int64_t output_size() const { return output_size_; }
  std::int64_t input_offset(std::int64_t index) const { return input_offsets_[static_cast<std::size_t>(index)]; }

  std::int64_t parameters() const;
  std::int64_t relu_units() const;
  // Groups of at least two members: the others are copies.
  std::int64_t max_units() const;

  // The version of the operators that the network was stored with; 0 if it was not.
  std::int64_t opset() const { return opset_; }

 private:
  void check_inputs() const;

  std::vector<Node> nodes_;
  std::vector<std::int64_t> sizes_;
  std::vector<NetworkInput> inputs_;
  std::vector<std::int64_t> input_offsets_;
  std::vector<NetworkOutput> outputs_;
  std::int64_t input_size_ = 0;
  std::int64_t output_size_ = 0;
  std::int64_t opset_;
  std::shared_ptr<const Network> stored_;
};

// The nodes whose values evaluation by direct forms needs: inputs, and what outputs depend on.
std::vector<bool> evaluated_nodes(const Network& network);

// ReLU and maximum units of one operation on a value of `size` elements.
std::int64_t relu_units(const Op& op, std::int64_t size);
std::int64_t max_units(const Op& op);

}  // namespace plumb::network
