// onnx_graph.h: a tensor of an ONNX graph while the file is read, and the network under construction.
//
// A tensor is known (integers or reals) or the value of a node. It has a shape of its own, so that a reshape makes no
// node. Known is what depends on no input: an operation on known operands is computed at once, in intervals.
//
// All movement of data is a table of source positions, which is applied in one place (move()) to integers, reals and
// nodes alike. Tables are built from steps: element (i0, i1, ...) of the result is element steps[0][i0] + steps[1][i1]
// + ... of the operand; a negative step leads outside of it.
#pragma once

#include <memory>

#include "network.h"

namespace checker {

using Integers = std::vector<std::int64_t>;
using Shape = Integers;
using Steps = std::vector<Integers>;

struct Value {
  Shape shape;
  std::variant<std::shared_ptr<const Integers>, std::shared_ptr<const Numbers>, std::size_t> content;
  int type = 0;   // ONNX's element type; 0: the rule leaves it to the reader
  int holds = 0;  // the narrowest type known to hold all its numbers: narrower than `type` behind a Cast that widens
  bool only_order = false;  // behind a softmax or sigmoid that was dropped

  bool is_integer() const { return content.index() == 0; }
  bool is_known() const { return content.index() == 1; }
  bool is_node() const { return content.index() == 2; }
  const Integers& integers() const { return *std::get<0>(content); }
  const Numbers& numbers() const { return *std::get<1>(content); }
  std::size_t node() const { return std::get<2>(content); }
  std::int64_t rank() const { return static_cast<std::int64_t>(shape.size()); }
};

Value known(Shape shape, Numbers numbers);
Value known(Shape shape, Integers integers);
Value reshaped(Value value, Shape shape);

// Exact if all intervals are points.
Numbers numbers_of(const std::vector<Interval>& values);

// Throws BadFile if the shape has a negative dimension or more elements than the checker handles.
std::int64_t size_of(const Shape& shape);
Shape broadcast_shape(const Shape& a, const Shape& b);
std::string text_of(const Shape& shape);

// Whether every number of the type `narrow` is one of the type `wide`.
bool holds_all_of(int wide, int narrow);

// Throws BadFile if a number is not finite.
void check_finite(const Numbers& numbers);

class Graph {
 public:
  Network network;

  // What is added from here on belongs to this node of the file.
  void begin(std::string name, std::string tensor);
  // Elements that may still be made: a fixed number, and more for each that the file stores.
  void allow(std::int64_t stored);
  void take(std::int64_t elements);

  // Appends an operation, or computes it at once if all its arguments are known.
  Value add(Op op, const std::vector<Value>& arguments, Shape shape);
  // The value as a node; known reals become a Constant.
  std::size_t node_of(const Value& value);

  // The steps that change nothing.
  Steps steps_of(const Shape& shape);
  // The sources that the steps stand for, in row-major order of the result.
  Integers sources(const Steps& steps);
  // Element i is element source[i] of the concatenation of the values, or zero if that is negative.
  Value move(const std::vector<Value>& values, const Integers& source, Shape shape);
  Value move(const Value& value, const Steps& steps);
  // Along one axis, element i is element positions[i].
  Value pick(const Value& value, std::int64_t axis, const Integers& positions);
  Value transpose(const Value& value, const Integers& permutation);
  Value concatenate(const std::vector<Value>& values, std::int64_t axis);
  Value broadcast(const Value& value, const Shape& shape);

  // With broadcasting.
  Value sum(const std::vector<Value>& values, const Numbers& coefficients);
  Value scale(const Value& value, const Value& factor);
  Value negate(const Value& value);
  Value relu(const Value& value);
  Value leaky(const Value& value, const Value& slope);  // slope x + (1 - slope) relu(x)
  Value maximum(const std::vector<Value>& values);

 private:
  static Value computed(Node node, const std::vector<Value>& arguments, Shape shape);

  std::int64_t room_ = std::int64_t{1} << 26;
  std::string name_, tensor_;
  std::int64_t units_ = 0;  // ReLU and Maximum nodes that the file's node became so far
};

}  // namespace checker
