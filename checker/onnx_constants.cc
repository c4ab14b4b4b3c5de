// Constants, shapes, and casts between types.
#include <algorithm>
#include <cfloat>

#include "onnx_node.h"

namespace checker {
namespace {

Values constant(const OnnxNode& node) {
  require(node.proto.attribute_size() == 1, "it needs one attribute, its value");
  const Attribute& a = node.proto.attribute(0);
  if (node.find("value_float", Attribute::FLOAT))
    return {known({}, exactly({node.real("value_float", 0)}), Type::FLOAT)};
  if (node.find("value_int", Attribute::INT)) return {reshaped(integers({a.i()}), {})};
  if (node.find("value_ints", Attribute::INTS)) return {integers({a.ints().begin(), a.ints().end()})};
  if (node.find("value", Attribute::TENSOR)) return {read_tensor(a.t(), node.folder)};
  if (node.find("sparse_value", Attribute::SPARSE_TENSOR)) {
    return {read_sparse_tensor(a.sparse_tensor(), node.folder, node.graph)};
  }
  require(node.find("value_floats", Attribute::FLOATS) != nullptr, "it is neither reals nor integers");
  const std::vector<Interval> values(a.floats().begin(), a.floats().end());
  return {known({a.floats_size()}, numbers_of(values), Type::FLOAT)};
}

Values constant_of_shape(const OnnxNode& node) {
  const Attribute* given = node.find("value", Attribute::TENSOR);
  const Value value = given == nullptr ? known({}, exactly({0.0}), Type::FLOAT) : read_tensor(given->t(), node.folder);
  require(size_of(value.shape) == 1, "its value is not a single number");
  const Shape shape = node.integers_at(0);
  node.graph.take(size_of(shape));
  return {node.graph.move({value}, Integers(at(size_of(shape)), 0), shape)};
}

Values shape(const OnnxNode& node) {
  const Value& x = node.input(0);
  const auto bound = [&](const char* name, std::int64_t otherwise) {
    const std::int64_t i = node.integer(name, otherwise);
    return std::clamp<std::int64_t>(i < 0 ? i + x.rank() : i, 0, x.rank());
  };
  const std::int64_t first = bound("start", 0), last = std::max(first, bound("end", x.rank()));
  return {integers({x.shape.begin() + first, x.shape.begin() + last})};
}

Values range(const OnnxNode& node) {
  std::int64_t limits[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const Integers v = node.integers_at(i);
    require(v.size() == 1 && std::abs(v[0]) <= 1 << 28, "its limits are not single small integers");
    limits[i] = v[0];
  }
  const auto [start, limit, step] = limits;
  require(step != 0, "a range with step 0");
  node.graph.take(std::abs(limit - start) / std::abs(step) + 1);
  Integers values;
  for (std::int64_t v = start; step > 0 ? v < limit : v > limit; v += step) values.push_back(v);
  return {integers(values, node.input(0).type)};
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
  require(std::abs(result) <= largest, "a constant is too large for the type it is cast to");
  return result;
}

double cast_number(double v, int target) {
  if (target == Type::DOUBLE) return v;
  if (target == Type::BOOL) return v != 0 ? 1 : 0;
  if (!is_float(target)) return std::trunc(v);
  const double single = rounded(v, 24, -125, static_cast<double>(FLT_MAX));
  if (target == Type::FLOAT16) return rounded(single, 11, -13, 65504);
  return target == Type::FLOAT ? single : rounded(single, 8, -125, 0x1.fep127);
}

// A cast that rounds is not piecewise linear: values of the network may only be cast to types that hold them.
Values cast(const OnnxNode& node) {
  Value x = node.input(0);
  const auto target = static_cast<int>(std::clamp<std::int64_t>(node.integer("to", 0), 0, 1000));
  require(is_float(target) || (target >= Type::UINT8 && target <= Type::INT64) || target == Type::BOOL ||
              target == Type::UINT32,
          "an unknown type");
  const bool is_free = is_float(x.type) && is_float(target) && holds_all_of(target, x.holds);
  const int type = std::exchange(x.type, target);
  if (is_free) return {x};
  require(x.is_known(), "not piecewise linear: the cast rounds");
  const bool may_be_enclosed = is_float(target) || (!is_float(type) && target != Type::BOOL);
  require(may_be_enclosed || x.numbers->is_exact(), "integers from constants that were rounded");
  // Casts are monotone: what lies between two numbers is cast to what lies between their casts.
  Numbers numbers = *x.numbers;
  for (double& v : numbers.low) v = cast_number(v, target);
  for (double& v : numbers.high) v = cast_number(v, target);
  return {known(x.shape, std::move(numbers), target)};
}

}  // namespace

Rules constant_rules() {
  return {{"Constant", 0, 0, 0, "sparse_value value value_float value_floats value_int value_ints", constant},
          {"ConstantOfShape", 1, 1, 1, "value", constant_of_shape},
          {"Shape", 1, 1, 1, "end start", shape},
          {"Size", 1, 1, 1, "",
           [](const OnnxNode& n) -> Values { return {reshaped(integers({size_of(n.input(0).shape)}), {})}; }},
          {"Range", 3, 3, 3, "", range},
          {"Cast", 1, 1, 1, "saturate to", cast}};
}

}  // namespace checker
