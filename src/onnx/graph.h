// graph.h: the network under construction, and the lowering of common patterns to its operations.
//
// Most functions accept constants and nodes alike. If all operands are constants, the result is computed at once and
// its rounding error is bounded; otherwise an operation is added to the network.
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

  // These limit the number of elements that are created by moving and repeating, in proportion to what the file stores.
  // grant() allows 16 elements per stored element; use_room() uses them up, and throws DataError when none are left.
  void grant(std::int64_t stored_elements) { room_ += 16 * stored_elements; }
  void use_room(std::int64_t elements);

  // Starts the lowering of an ONNX node. The operations added from here on are named after it, and nodes of units after
  // its first output too; without one, they have no names for certificates.
  void begin_node(std::string name, std::string first_output = "");

  Value add_input(network::NetworkInput input);
  // Appends an operation whose result has the given shape.
  Value add(network::Op op, std::vector<network::NodeId> arguments, tensor::Shape shape);
  // Returns the value as a node; a constant becomes a Constant operation. Throws Unsupported for integers.
  network::NodeId as_node(const Value& value);

  // Returns source(multi-index) for every element of `shape`, in row-major order.
  std::vector<std::int64_t> build_table(const tensor::Shape& shape,
                                        const std::function<std::int64_t(std::span<const std::int64_t>)>& source);
  // Element i of the result is element table[i] of the concatenation of `values`, or zero if table[i] is -1.
  Value select(std::span<const Value> values, const std::vector<std::int64_t>& table, tensor::Shape shape);
  Value select(const Value& value, const std::vector<std::int64_t>& table, tensor::Shape shape) {
    return select(std::span<const Value>(&value, 1), table, std::move(shape));
  }
  // Repeats the value along dimensions, as ONNX broadcasting does.
  Value broadcast(const Value& value, const tensor::Shape& shape);
  Value transpose(const Value& value, const std::vector<std::int64_t>& permutation);

  // value * scale + shift with broadcasting. Both are real constants; nullptr leaves out the scale or the shift.
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
  // One maximum per group, where a group lists positions of elements of the value.
  Value maximum_of_groups(const Value& value, const std::vector<std::vector<std::int64_t>>& groups,
                          tensor::Shape shape);
  // y[.., n] = sum_k x[.., k] W[n, k] + b[n] over the last dimension.
  Value dense(const Value& x, std::int64_t outputs, network::Coefficients weight, network::Coefficients bias);

  std::int64_t max_elements() const { return max_elements_; }
  std::int64_t size_of(const tensor::Shape& shape) const { return tensor::element_count(shape, max_elements_); }

  std::vector<network::Node>& nodes() { return nodes_; }
  std::vector<network::NetworkInput>& inputs() { return inputs_; }

 private:
  // Records at the value's node, for evaluators, that the value is `activation` of `argument` (network/direct_form.h).
  // Returns the value. A constant stays as it is.
  Value with_direct_form(const Value& value, const Value& argument, network::Activation activation);

  static constexpr std::int64_t kFreeRoom = std::int64_t{1} << 24;

  std::int64_t max_elements_;
  std::int64_t room_;  // elements that may still be created
  std::string current_name_;
  std::int64_t parts_ = 0;  // operations already added for the current ONNX node
  std::string first_output_;
  std::int64_t unit_nodes_ = 0;  // already added for the current ONNX node
  std::vector<network::Node> nodes_;
  std::vector<network::NetworkInput> inputs_;
};

// The shape that results from ONNX (and NumPy) broadcasting. Throws DataError if the shapes do not go together.
tensor::Shape broadcast_shape(const tensor::Shape& a, const tensor::Shape& b);

// The numbers of a real constant. Throws Unsupported if the value is not one, DataError if a number is not finite.
// `what` names the value in errors.
const network::Coefficients& finite_constant(const Value& value, const char* what);

}  // namespace plumb::onnx
