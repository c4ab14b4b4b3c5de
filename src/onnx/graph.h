// graph.h: the network under construction, and the lowering of common patterns to its operations.
//
// Every function takes values that may be constant or computed and returns one of the same kind: on constants
// the work is done at once (with its rounding bounded), on nodes it adds an operation.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "onnx/value.h"

namespace plumb::onnx {

class Graph {
 public:
  explicit Graph(std::int64_t max_elements) : max_elements_(max_elements), room_(std::min(max_elements, kFreeRoom)) {}

  // Everything that moving and repeating makes up must stay in proportion to what the file holds: each stored
  // element allows for some more, each made one uses that up.
  void grant(std::int64_t stored_elements) { room_ += 16 * stored_elements; }
  void use_room(std::int64_t elements);

  // The ONNX node whose lowering follows: its operations are named after it.
  void begin_node(std::string name);

  Value add_input(network::NetworkInput input);
  // Appends an operation whose result has the given shape.
  Value add(network::Op op, std::vector<network::NodeId> arguments, tensor::Shape shape);
  // A value as a node: a constant becomes a Constant operation. Throws Unsupported for integers.
  network::NodeId as_node(const Value& value);

  // For every element of `shape`, in order, source(multi-index).
  std::vector<std::int64_t> build_table(const tensor::Shape& shape,
                                        const std::function<std::int64_t(std::span<const std::int64_t>)>& source);
  // Elements `table` of the concatenation of `values`; -1 is zero.
  Value select(std::span<const Value> values, const std::vector<std::int64_t>& table, tensor::Shape shape);
  Value select(const Value& value, const std::vector<std::int64_t>& table, tensor::Shape shape) {
    return select(std::span<const Value>(&value, 1), table, std::move(shape));
  }
  // The value repeated along dimensions, as ONNX broadcasting does.
  Value broadcast(const Value& value, const tensor::Shape& shape);
  Value transpose(const Value& value, const std::vector<std::int64_t>& permutation);

  // value * scale + shift with broadcasting; scale and shift are real constants or absent.
  Value scale_and_shift(const Value& value, const Value* scale, const Value* shift);
  // sum_j c_j value_j with broadcasting, for nodes and real constants.
  Value weighted_sum(const std::vector<Value>& values, const std::vector<double>& coefficients);
  Value negate(const Value& value);
  Value relu(const Value& value);
  // slope x for x < 0, x otherwise, with broadcasting; the slope is a real constant.
  Value leaky(const Value& value, const Value& slope);
  Value absolute(const Value& value);
  // The elementwise maximum with broadcasting, for nodes and real constants.
  Value maximum(const std::vector<Value>& values);
  // One maximum for each list of members of a node's value.
  Value maximum_of_groups(const Value& value, const std::vector<std::vector<std::int64_t>>& groups,
                          tensor::Shape shape);
  // y[.., n] = sum_k x[.., k] W[n, k] + b[n] over the last dimension.
  Value dense(const Value& x, std::int64_t outputs, network::Coefficients weight, network::Coefficients bias);

  std::int64_t max_elements() const { return max_elements_; }
  std::int64_t size_of(const tensor::Shape& shape) const { return tensor::element_count(shape, max_elements_); }

  std::vector<network::Node>& nodes() { return nodes_; }
  std::vector<network::NetworkInput>& inputs() { return inputs_; }

 private:
  // The value with what it is for evaluators; a constant stays as it is.
  Value with_direct_form(const Value& value, const Value& argument, network::Activation activation);

  static constexpr std::int64_t kFreeRoom = std::int64_t{1} << 24;

  std::int64_t max_elements_;
  std::int64_t room_;  // elements that may still be made
  std::string current_name_;
  std::int64_t parts_ = 0;  // operations already made for the current ONNX node
  std::vector<network::Node> nodes_;
  std::vector<network::NetworkInput> inputs_;
};

// The shape that ONNX (and NumPy) broadcasting gives. Throws DataError if the shapes do not go together.
tensor::Shape broadcast_shape(const tensor::Shape& a, const tensor::Shape& b);

// A real constant's numbers; throws Unsupported with `what` if it is not constant, DataError if one is
// infinite.
const network::Coefficients& finite_constant(const Value& value, const char* what);

}  // namespace plumb::onnx
