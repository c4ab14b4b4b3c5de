// network.h: a piecewise-linear network as an immutable, validated graph of operations.
//
// In:  nodes in topological order, each with its operation and arguments; the inputs and outputs.
// Out: a graph in which every argument exists and comes earlier, all sizes fit, and every coefficient is finite.
//
// Several inputs are treated as one flat vector, their concatenation in order; so are several outputs. Shapes are kept
// for people and for data sets. The meaning of a network depends on sizes only.
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

// The type in which a run time passes an input to the network. A witness must be representable in it.
enum class ElementType { kFloat16, kFloat32, kFloat64 };

// How a certificate names a node of ReLUs or maxima (docs/certificates.md).
struct UnitNodeName {
  std::string tensor;       // the first output of the ONNX node that it stands for
  std::int64_t number = 0;  // among the unit nodes of that ONNX node

  bool operator==(const UnitNodeName&) const = default;
};

struct Node {
  std::string name;
  Op op;
  std::vector<NodeId> arguments;
  tensor::Shape shape;
  // Computes the same value from an earlier node in one step; used for evaluation.
  std::optional<DirectForm> direct = {};
  // Of nodes with units that were read from a file; nullopt if certificates have no name for the node.
  std::optional<UnitNodeName> unit_name = {};
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
  // "Softmax", "LogSoftmax" or "Sigmoid" if the network ended with this operation and it was dropped, so that the
  // output is the operation's argument. Labels stay the same, but values change, so questions about values must be
  // refused.
  std::optional<std::string> dropped_activation = {};
};

class Network {
 public:
  // Input nodes must appear in the order of `inputs`. Throws DataError if anything does not fit.
  // `stored` is the network from which this one was simplified; nullptr means that it was not simplified.
  Network(std::vector<Node> nodes, std::vector<NetworkInput> inputs, std::vector<NetworkOutput> outputs,
          std::int64_t opset = 0, std::shared_ptr<const Network> stored = nullptr);

  // The network from which this one was simplified; nullptr if it was not. See as_stored().
  const std::shared_ptr<const Network>& stored() const { return stored_; }

  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  std::int64_t size(NodeId id) const { return sizes_[id]; }

  const std::vector<NetworkInput>& inputs() const { return inputs_; }
  const std::vector<NetworkOutput>& outputs() const { return outputs_; }
  // The sizes of the concatenated inputs and outputs, and the position at which each input starts.
  std::int64_t input_size() const { return input_size_; }
  std::int64_t output_size() const { return output_size_; }
  std::int64_t input_offset(std::int64_t index) const { return input_offsets_[static_cast<std::size_t>(index)]; }

  std::int64_t parameters() const;
  std::int64_t relu_units() const;
  // Counts the groups with at least two members. A group of one only copies its member.
  std::int64_t max_units() const;

  // The version of ONNX's operator set in the network's file; 0 if it was not read from a file.
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

// Puts a network where queries, evaluators and engines can own it together.
std::shared_ptr<const Network> shared(Network network);

// The same function with the operations and coefficients of its file. Evaluations use it, because folded coefficients
// are rounded. Returns the network itself if it was not simplified.
std::shared_ptr<const Network> as_stored(std::shared_ptr<const Network> network);

// The nodes that an evaluation by direct forms has to compute: all inputs, and every node on which an output depends.
std::vector<bool> evaluated_nodes(const Network& network);

// The ReLU units of an operation whose result has `size` elements; the groups of a maximum with at least two members.
std::int64_t relu_units(const Op& op, std::int64_t size);
std::int64_t max_units(const Op& op);

}  // namespace plumb::network
