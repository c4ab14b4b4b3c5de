// Import rules for operations that work element by element, with broadcasting.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "base/numbers.h"
#include "onnx/node.h"

namespace plumb::onnx {
namespace {

bool all_integer(const std::vector<Value>& values) {
  return std::all_of(values.begin(), values.end(), [](const Value& v) { return v.is_integer(); });
}

// Converts integer constants to reals, so that they can be combined with real values. Exact below 2^53, which shapes
// never exceed.
Value as_real(const Value& value) {
  if (!value.is_integer()) return value;
  return real_value(value.shape, std::vector<double>(value.integers().begin(), value.integers().end()));
}

std::vector<Value> real_inputs(const OnnxNode& node) {
  std::vector<Value> values = node.all_inputs();
  std::transform(values.begin(), values.end(), values.begin(), as_real);
  return values;
}

template <class Operation>
Value on_integers(Graph& graph, const Value& a, const Value& b, Operation operation) {
  const tensor::Shape full = broadcast_shape(a.shape, b.shape);
  const Value all_a = graph.broadcast(a, full), all_b = graph.broadcast(b, full);
  std::vector<std::int64_t> result(all_a.integers().size());
  std::transform(all_a.integers().begin(), all_a.integers().end(), all_b.integers().begin(), result.begin(), operation);
  return integer_value(full, std::move(result));
}

// Integer arithmetic wraps around, as it does at run time. Results that make no sense are refused where they are used.
std::int64_t wrap(std::uint64_t bits) { return static_cast<std::int64_t>(bits); }
std::uint64_t bits(std::int64_t v) { return static_cast<std::uint64_t>(v); }

std::int64_t divide_integers(std::int64_t a, std::int64_t b) {
  if (b == 0) throw DataError("", "a constant is divided by zero");
  return b == -1 ? wrap(0 - bits(a)) : a / b;
}

std::vector<Value> import_add(OnnxNode& node) {
  const std::vector<Value> values = node.all_inputs();
  if (node.op() == "Add" && values.size() != 2) throw DataError("", "two operands are needed");
  if (values.size() == 2 && all_integer(values)) {
    return {on_integers(node.graph, values[0], values[1], [](auto a, auto b) { return wrap(bits(a) + bits(b)); })};
  }
  return {node.graph.weighted_sum(real_inputs(node), std::vector<double>(values.size(), 1.0))};
}

std::vector<Value> import_sub(OnnxNode& node) {
  if (node.input(0).is_integer() && node.input(1).is_integer()) {
    return {
        on_integers(node.graph, node.input(0), node.input(1), [](auto a, auto b) { return wrap(bits(a) - bits(b)); })};
  }
  return {node.graph.weighted_sum({as_real(node.input(0)), as_real(node.input(1))}, {1.0, -1.0})};
}

std::vector<Value> import_mul(OnnxNode& node) {
  const Value &a = node.input(0), &b = node.input(1);
  if (a.is_integer() && b.is_integer()) {
    return {on_integers(node.graph, a, b, [](auto x, auto y) { return wrap(bits(x) * bits(y)); })};
  }
  if (a.is_node() && b.is_node()) throw Unsupported{"not piecewise linear: both factors depend on the input"};
  const Value x = as_real(a), y = as_real(b);
  return {y.is_real() ? node.graph.scale_and_shift(x, &y, nullptr) : node.graph.scale_and_shift(y, &x, nullptr)};
}

std::vector<Value> import_div(OnnxNode& node) {
  const Value &a = node.input(0), &b = node.input(1);
  if (a.is_integer() && b.is_integer()) return {on_integers(node.graph, a, b, divide_integers)};
  if (b.is_node()) throw Unsupported{"not piecewise linear: the divisor depends on the input"};
  const Value x = as_real(a), y = as_real(b);
  const network::Coefficients& divisor = finite_constant(y, "the divisor");
  if (x.is_real()) {  // one rounding instead of two
    const tensor::Shape full = broadcast_shape(x.shape, y.shape);
    return {{full, divide(node.graph.broadcast(x, full).reals(), node.graph.broadcast(y, full).reals()), {}}};
  }
  const network::Coefficients one(std::vector<double>(static_cast<std::size_t>(divisor.size()), 1.0));
  const Value reciprocal{y.shape, divide(one, divisor), {}};
  return {node.graph.scale_and_shift(x, &reciprocal, nullptr)};
}

std::vector<Value> import_mean(OnnxNode& node) {
  const std::vector<Value> values = real_inputs(node);
  const Value sum = node.graph.weighted_sum(values, std::vector<double>(values.size(), 1.0));
  const Value share{
      {}, divide(network::Coefficients({1.0}), network::Coefficients({static_cast<double>(values.size())})), {}};
  return {node.graph.scale_and_shift(sum, &share, nullptr)};
}

std::vector<Value> import_neg(OnnxNode& node) {
  if (node.input(0).is_integer()) {
    const Value zero = integer_value({}, {0});
    return {on_integers(node.graph, zero, node.input(0), [](auto a, auto b) { return wrap(bits(a) - bits(b)); })};
  }
  return {node.graph.negate(node.input(0))};
}

std::vector<Value> import_max(OnnxNode& node) {
  const std::vector<Value> values = node.all_inputs();
  if (values.size() == 2 && all_integer(values)) {
    return {on_integers(node.graph, values[0], values[1], [](auto a, auto b) { return std::max(a, b); })};
  }
  return {node.graph.maximum(real_inputs(node))};
}

Value minimum(Graph& graph, std::vector<Value> values) {
  for (Value& v : values) v = graph.negate(v);
  return graph.negate(graph.maximum(values));
}

// Drops constants whose elements all equal `infinity`. They never decide the minimum or maximum, and finite_constant()
// would refuse them when they are negated.
std::vector<Value> without_infinite(std::vector<Value> values, double infinity) {
  std::erase_if(values, [infinity](const Value& v) {
    return v.is_real() && !v.reals().empty() &&
           std::all_of(v.reals().values().begin(), v.reals().values().end(), [=](double x) { return x == infinity; });
  });
  return values;
}

std::vector<Value> import_min(OnnxNode& node) {
  const std::vector<Value> values = node.all_inputs();
  if (values.size() == 2 && all_integer(values)) {
    return {on_integers(node.graph, values[0], values[1], [](auto a, auto b) { return std::min(a, b); })};
  }
  return {minimum(node.graph, without_infinite(real_inputs(node), kInfinity))};
}

// min(max(x, low), high); either limit may be absent.
Value clip(Graph& graph, Value x, const std::optional<Value>& low, const std::optional<Value>& high) {
  // A limit at or beyond the largest number of x's type is skipped: values never exceed it.
  const double largest = x.type == ::onnx::TensorProto::DOUBLE ? std::numeric_limits<double>::max()
                                                               : static_cast<double>(std::numeric_limits<float>::max());
  const auto limits = [largest](const std::optional<Value>& limit, double sign) {
    return limit && std::any_of(limit->reals().values().begin(), limit->reals().values().end(),
                                [=](double v) { return sign * v < largest; });
  };
  if (limits(low, -1)) x = graph.maximum(without_infinite({x, *low}, -kInfinity));
  if (limits(high, 1)) x = minimum(graph, without_infinite({x, *high}, kInfinity));
  return x;
}

std::vector<Value> import_clip(OnnxNode& node) {
  const auto limit = [&](std::int64_t i, const char* name) -> std::optional<Value> {
    if (node.has_input(i)) {
      const Value value = as_real(node.input(i));
      if (!value.is_real()) throw Unsupported{"limits that depend on the input"};
      return value;
    }
    if (node.has_attribute(name)) return real_value({}, {node.real(name, 0)});
    return std::nullopt;
  };
  return {clip(node.graph, node.input(0), limit(1, "min"), limit(2, "max"))};
}

std::vector<Value> import_relu(OnnxNode& node) { return {node.graph.relu(node.input(0))}; }

std::vector<Value> import_leaky_relu(OnnxNode& node) {
  return {node.graph.leaky(node.input(0), real_value({}, {node.real("alpha", static_cast<double>(0.01F))}))};
}

std::vector<Value> import_prelu(OnnxNode& node) {
  const Value slope = node.input(1);
  finite_constant(slope, "the slope");
  if (broadcast_shape(node.input(0).shape, slope.shape) != node.input(0).shape) {
    throw DataError("", fmt::format("slopes of shape {} for an input of shape {}", tensor::to_string(slope.shape),
                                    tensor::to_string(node.input(0).shape)));
  }
  return {node.graph.leaky(node.input(0), slope)};
}

std::vector<Value> import_abs(OnnxNode& node) {
  const Value& x = node.input(0);
  if (x.is_integer()) {
    std::vector<std::int64_t> result(x.integers());
    for (std::int64_t& v : result) v = v < 0 ? wrap(0 - bits(v)) : v;
    return {integer_value(x.shape, std::move(result))};
  }
  return {node.graph.absolute(x)};
}

std::vector<Value> import_hard_sigmoid(OnnxNode& node) {
  const Value alpha = real_value({}, {node.real("alpha", static_cast<double>(0.2F))});
  const Value beta = real_value({}, {node.real("beta", 0.5)});
  const Value line = node.graph.scale_and_shift(node.input(0), &alpha, &beta);
  return {clip(node.graph, line, real_value({}, {0.0}), real_value({}, {1.0}))};
}

std::vector<Value> import_sqrt(OnnxNode& node) {
  if (!node.input(0).is_real()) throw Unsupported{"not piecewise linear"};
  return {{node.input(0).shape, square_root(finite_constant(node.input(0), "a constant")), {}}};
}

std::vector<Value> import_reciprocal(OnnxNode& node) {
  if (!node.input(0).is_real()) throw Unsupported{"not piecewise linear"};
  const network::Coefficients& divisor = finite_constant(node.input(0), "the divisor");
  const network::Coefficients one(std::vector<double>(static_cast<std::size_t>(divisor.size()), 1.0));
  return {{node.input(0).shape, divide(one, divisor), {}}};
}

// Supports the power 1 of any value, and the powers 2 and 0.5 of constants.
std::vector<Value> import_pow(OnnxNode& node) {
  const Value base = as_real(node.input(0)), exponent = as_real(node.input(1));
  if (!exponent.is_real() || exponent.reals().size() != 1) throw Unsupported{"not piecewise linear"};
  const double power = exponent.reals()[0];
  if (power == 1) return {base};
  if (base.is_real() && power == 2) return {{base.shape, multiply(base.reals(), base.reals()), {}}};
  if (base.is_real() && power == 0.5) return {{base.shape, square_root(base.reals()), {}}};
  throw Unsupported{"not piecewise linear"};
}

std::vector<Value> import_equal(OnnxNode& node) {
  if (!node.input(0).is_integer() || !node.input(1).is_integer()) throw Unsupported{"not piecewise linear"};
  return {on_integers(node.graph, node.input(0), node.input(1), [](auto a, auto b) { return std::int64_t{a == b}; })};
}

// The condition is known at import, so that each element comes from one of the two operands.
std::vector<Value> import_where(OnnxNode& node) {
  const std::vector<std::int64_t>& known = node.integer_input(0, "the condition");
  std::vector<Value> sides{node.input(1), node.input(2)};
  if (sides[0].is_integer() != sides[1].is_integer())
    std::transform(sides.begin(), sides.end(), sides.begin(), as_real);
  const tensor::Shape full = broadcast_shape(node.input(0).shape, broadcast_shape(sides[0].shape, sides[1].shape));
  const Value condition = node.graph.broadcast(integer_value(node.input(0).shape, known), full);
  for (Value& side : sides) side = node.graph.broadcast(side, full);
  const std::int64_t n = node.graph.size_of(full);
  std::vector<std::int64_t> table(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    table[static_cast<std::size_t>(i)] = condition.integers()[static_cast<std::size_t>(i)] != 0 ? i : n + i;
  }
  return {node.graph.select(sides, table, full)};
}

// Softmax and sigmoid are monotone, so that labels do not depend on them. They are dropped if they come last (see
// keeps_values()), which the importer has already checked.
std::vector<Value> import_final_activation(OnnxNode& node) {
  Value x = node.input(0);
  if (!x.is_node()) throw Unsupported{"not piecewise linear"};
  if (node.op() != "Sigmoid") {
    // Before opset 13, all dimensions from the axis on form one group.
    const std::int64_t axis = node.axis(node.integer("axis", node.opset() < 13 ? 1 : -1), x.rank());
    const auto first = x.shape.begin() + axis;
    const auto last = node.opset() < 13 ? x.shape.end() : first + 1;
    if (std::accumulate(first, last, std::int64_t{1}, std::multiplies<>()) != node.graph.size_of(x.shape)) {
      throw Unsupported{"it normalises parts of its input only"};
    }
  }
  x.dropped_activation = DroppedActivation{std::string(node.op()), node.name()};
  return {x};
}

}  // namespace

const RuleTable& elementwise_rules() {
  static const RuleTable rules{{"Add", import_add, {{7, "T T -> T", ""}}},
                               {"Sum", import_add, {{8, "T* -> T", ""}}},
                               {"Sub", import_sub, {{7, "T T -> T", ""}}},
                               {"Mul", import_mul, {{7, "T T -> T", ""}}},
                               {"Div", import_div, {{7, "T T -> T", ""}}},
                               {"Mean", import_mean, {{8, "T* -> T", ""}}},
                               {"Neg", import_neg, {{6, "T -> T", ""}}},
                               {"Max", import_max, {{8, "T* -> T", ""}}},
                               {"Min", import_min, {{8, "T* -> T", ""}}},
                               {"Clip", import_clip, {{6, "T -> T", "max:float min:float"}, {11, "T T? T? -> T", ""}}},
                               {"Relu", import_relu, {{6, "T -> T", ""}}},
                               {"LeakyRelu", import_leaky_relu, {{6, "T -> T", "alpha:float"}}},
                               {"PRelu", import_prelu, {{7, "T T -> T", ""}}},
                               {"Abs", import_abs, {{6, "T -> T", ""}}},
                               {"HardSigmoid", import_hard_sigmoid, {{6, "T -> T", "alpha:float beta:float"}}},
                               {"Sqrt", import_sqrt, {{6, "T -> T", ""}}},
                               {"Reciprocal", import_reciprocal, {{6, "T -> T", ""}}},
                               {"Pow", import_pow, {{7, "T T -> T", ""}, {12, "T T1 -> T", ""}}},
                               {"Equal", import_equal, {{7, "T T -> bool", ""}}},
                               {"Where", import_where, {{9, "bool T T -> T", ""}}},
                               {"Softmax", import_final_activation, {{1, "T -> T", "axis:int"}}},
                               {"LogSoftmax", import_final_activation, {{1, "T -> T", "axis:int"}}},
                               {"Sigmoid", import_final_activation, {{6, "T -> T", ""}}}};
  return rules;
}

}  // namespace plumb::onnx
