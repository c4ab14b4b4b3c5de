// Constants, shapes, and casts between types.
#include <algorithm>
#include <cfloat>
#include <cmath>

#include "onnx_node.h"
#include "onnx_tensor.h"

namespace checker {
namespace {

using onnx::AttributeProto, onnx::TensorProto;

Value typed(Value value, int type) {
  value.type = value.holds = type;
  return value;
}

std::vector<Value> constant(OnnxNode& node) {
  if (node.proto.attribute_size() != 1) throw BadFile("it needs one attribute, its value");
  const AttributeProto& a = node.proto.attribute(0);
  node.find(a.name(), a.name() == "value"         ? AttributeProto::TENSOR
                      : a.name() == "value_float" ? AttributeProto::FLOAT
                      : a.name() == "value_int"   ? AttributeProto::INT
                                                  : a.type());
  const auto one_dimension = [](int size) { return Shape{size}; };
  if (a.type() == AttributeProto::TENSOR) return {read_tensor(a.t(), node.folder)};
  if (a.type() == AttributeProto::SPARSE_TENSOR)
    return {read_sparse_tensor(a.sparse_tensor(), node.folder, node.graph)};
  if (a.type() == AttributeProto::FLOAT)
    return {typed(known({}, Numbers{{node.real("value_float", 0)}, {}}), TensorProto::FLOAT)};
  if (a.type() == AttributeProto::INT) return {typed(known({}, Integers{a.i()}), TensorProto::INT64)};
  if (a.type() == AttributeProto::FLOATS) {
    const std::vector<double> values(a.floats().begin(), a.floats().end());
    if (std::ranges::any_of(values, [](double v) { return std::isnan(v); })) throw BadFile("it has a NaN");
    return {typed(known(one_dimension(a.floats_size()), Numbers{values, {}}), TensorProto::FLOAT)};
  }
  if (a.type() == AttributeProto::INTS) {
    return {typed(known(one_dimension(a.ints_size()), Integers(a.ints().begin(), a.ints().end())), TensorProto::INT64)};
  }
  throw BadFile("it is neither reals nor integers");
}

std::vector<Value> constant_of_shape(OnnxNode& node) {
  const AttributeProto* given = node.find("value", AttributeProto::TENSOR);
  Value value = typed(known({1}, Numbers{{0.0}, {}}), TensorProto::FLOAT);
  if (given != nullptr) value = read_tensor(given->t(), node.folder);
  if (size_of(value.shape) != 1) throw BadFile("its value is not a single number");
  const Shape shape = node.integers_at(0);
  node.graph.take(size_of(shape));
  return {node.graph.move({value}, Integers(static_cast<std::size_t>(size_of(shape)), 0), shape)};
}

std::vector<Value> shape(OnnxNode& node) {
  const Value& x = node.input(0);
  const auto bound = [&](const char* name, std::int64_t otherwise) {
    const std::int64_t i = node.integer(name, otherwise);
    return std::clamp<std::int64_t>(i < 0 ? i + x.rank() : i, 0, x.rank());
  };
  const std::int64_t first = bound("start", 0), last = std::max(first, bound("end", x.rank()));
  return {typed(known({last - first}, Integers(x.shape.begin() + first, x.shape.begin() + last)), TensorProto::INT64)};
}

std::vector<Value> size(OnnxNode& node) {
  return {typed(known({}, Integers{size_of(node.input(0).shape)}), TensorProto::INT64)};
}

std::vector<Value> range(OnnxNode& node) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 28;
  for (std::size_t i = 0; i < 3; ++i) {
    const Integers& v = node.integers_at(i);
    if (v.size() != 1 || v[0] < -kLargest || v[0] > kLargest) throw BadFile("its limits are not single small integers");
  }
  const std::int64_t start = node.integers_at(0)[0], limit = node.integers_at(1)[0], step = node.integers_at(2)[0];
  if (step == 0) throw BadFile("a range with step 0");
  node.graph.take(std::abs(limit - start) / std::abs(step) + 1);
  Integers values;
  for (std::int64_t v = start; step > 0 ? v < limit : v > limit; v += step) values.push_back(v);
  const auto count = static_cast<std::int64_t>(values.size());
  return {known({count}, std::move(values))};
}

// To the nearest number with so many bits and such a lowest exponent, ties to even. All operations are exact, so that
// the direction of rounding does not matter.
double rounded(double v, int bits, int lowest_exponent, double largest) {
  if (v == 0 || std::isinf(v)) return v;
  int exponent = 0;
  std::frexp(v, &exponent);
  exponent = std::max(exponent, lowest_exponent) - bits;
  const double scaled = std::ldexp(v, -exponent), below = std::floor(scaled), rest = scaled - below;
  const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2) != 0);
  const double result = std::ldexp(up ? below + 1 : below, exponent);
  if (std::abs(result) > largest) throw BadFile("a constant is too large for the type it is cast to");
  return result;
}

double rounded_to(int type, double v) {
  if (type == TensorProto::DOUBLE) return v;
  const double single = rounded(v, 24, -125, static_cast<double>(FLT_MAX));
  if (type == TensorProto::FLOAT16) return rounded(single, 11, -13, 65504);
  return type == TensorProto::FLOAT ? single : rounded(single, 8, -125, 0x1.fep127);
}

Value to_reals(const Value& x, int target) {
  Numbers result;
  if (x.is_integer()) {
    for (const std::int64_t v : x.integers()) {
      if (std::abs(v) > std::int64_t{1} << 53) throw BadFile("an integer is too large to be cast");
      result.low.push_back(rounded_to(target, static_cast<double>(v)));
    }
  } else {
    // Rounding is monotone: what lies between two numbers is rounded to what lies between their roundings.
    result = x.numbers();
    for (double& v : result.low) v = rounded_to(target, v);
    for (double& v : result.high) v = rounded_to(target, v);
  }
  return known(x.shape, std::move(result));
}

Value to_integers(const Value& x, int target) {
  const bool to_truth = target == TensorProto::BOOL;
  Integers result;
  if (x.is_integer()) {
    for (const std::int64_t v : x.integers()) result.push_back(to_truth ? v != 0 : v);
    return known(x.shape, std::move(result));
  }
  if (!x.numbers().is_exact()) throw BadFile("integers from constants that were rounded");
  for (const double v : x.numbers().low) {
    if (!(std::abs(v) < 0x1p62)) throw BadFile("a constant does not fit an integer");
    result.push_back(to_truth ? v != 0 : static_cast<std::int64_t>(v));
  }
  return known(x.shape, std::move(result));
}

// A cast that rounds is not piecewise linear: values of the network may only be cast to types that hold them.
std::vector<Value> cast(OnnxNode& node) {
  const Value& x = node.input(0);
  const auto target = static_cast<int>(std::clamp<std::int64_t>(node.integer("to", 0), 0, 1000));
  Value result = x;
  if (x.is_integer() || !holds_all_of(target, x.holds) || !is_float_type(target)) {
    if (x.is_node()) throw BadFile("not piecewise linear: the cast rounds");
    result = typed(is_float_type(target) ? to_reals(x, target) : to_integers(x, target), target);
  }
  result.type = target;
  return {result};
}

}  // namespace

Rules constant_rules() {
  return {{"Constant", constant, 0, 0,
           "sparse_value value value_float value_floats value_int value_ints value_string value_strings"},
          {"ConstantOfShape", constant_of_shape, 1, 1, "value"},
          {"Shape", shape, 1, 1, "end start"},
          {"Size", size, 1, 1, ""},
          {"Range", range, 3, 3, ""},
          {"Cast", cast, 1, 1, "saturate to"}};
}

}  // namespace checker
