// onnx_graph.h: a tensor of an ONNX graph while the file is read, and the network under construction.
//
// A tensor is known or the value of a node, and has a shape of its own, so that a reshape makes no node. Known is what
// depends on no input: an operation on known operands is computed at once, in intervals. Integers and truth values are
// known numbers as well; those beyond 2^53 are only enclosed.
//
// All movement of data is a table of source positions, which move() applies to known tensors and nodes alike. Tables
// are built from steps: element (i0, i1, ...) of the result is element steps[0][i0] + steps[1][i1] + ... of the
// operand; a negative step leads outside of it.
#pragma once

#include <memory>

#include "error.h"
#include "network.h"

namespace checker {

using Steps = std::vector<Integers>;

struct Value {
  Shape shape;
  std::shared_ptr<const Numbers> numbers;  // null: the value of a node
  std::size_t node = 0;
  int type = 0;   // ONNX's element type; 0: that of the operation's first operand
  int holds = 0;  // the narrowest type known to hold all its numbers: narrower than `type` behind a Cast that widens
  bool only_order = false;  // behind a softmax or sigmoid that was dropped

  bool is_known() const { return numbers != nullptr; }
  std::int64_t rank() const { return static_cast<std::int64_t>(shape.size()); }
};
using Values = std::vector<Value>;

Value known(Shape shape, Numbers numbers, int type = 0);
Value known(double number);
Value integers(const Integers& numbers, int type = 7 /* int64 */);
Interval enclosed(std::int64_t number);
Value reshaped(Value value, Shape shape);

Numbers numbers_of(const std::vector<Interval>& values);  // exact if all are points; refuses NaNs
Numbers exactly(std::vector<double> numbers);

inline void require(bool condition, const std::string& otherwise) {
  if (!condition) throw BadFile(otherwise);
}

std::int64_t size_of(const Shape& shape);  // refuses negative dimensions, and more elements than the checker handles
Shape broadcast_shape(const Shape& a, const Shape& b);
std::string text_of(const Shape& shape);
bool holds_all_of(int wide, int narrow);  // whether every number of a floating-point type is one of another
void check_finite(const Numbers& numbers);

class Graph {
 public:
  Network network;

  // What is added from here on belongs to this node of the file.
  void begin(const std::string& name, const std::string& tensor) { name_ = name, tensor_ = tensor, units_ = 0; }
  // Elements that may still be made: a fixed number, and more for each that the file stores.
  void allow(std::int64_t stored);
  void take(std::int64_t elements);

  // Appends an operation, or computes it at once if all its arguments are known.
  Value add(Op op, const Values& arguments, Shape shape);
  // The value as a node; known numbers become a Constant.
  std::size_t node_of(const Value& value);

  Steps steps_of(const Shape& shape);  // those that change nothing
  Integers sources(const Steps& steps);
  // Element i is element source[i] of the concatenation of the values, or zero if that is negative.
  Value move(const Values& values, const Integers& source, Shape shape);
  Value move(const Value& value, const Steps& steps);
  // Along one axis, element i is element positions[i].
  Value pick(const Value& value, std::int64_t axis, const Integers& positions);
  Value transpose(const Value& value, const Integers& permutation);
  Value concatenate(const Values& values, std::int64_t axis);
  Value broadcast(const Value& value, const Shape& shape);

  // The element of an operand that each element of the result reads.
  Integers broadcast_sources(const Shape& from, const Shape& to);

  // With broadcasting. A shift has a number for each of the factor's.
  Value sum(const Values& values, const std::vector<double>& coefficients);
  Value scale(const Value& value, const Value& factor, const Numbers& shift = {});
  Value negate(const Value& value);
  Value relu(const Value& value) { return add(Relu{}, {value}, value.shape); }
  Value maximum(const Values& values);

 private:
  std::int64_t room_ = std::int64_t{1} << 26;
  std::string name_, tensor_;
  std::int64_t units_ = 0;  // Relu and Maximum nodes that the file's node became so far
};

}  // namespace checker
