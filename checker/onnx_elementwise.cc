// Operations that work element by element, with broadcasting.
#include <algorithm>
#include <cfloat>

#include "onnx_node.h"

namespace checker {
namespace {

bool all_integer(const OnnxNode& node) {
  return std::ranges::all_of(node.inputs, [](const Value* v) { return v != nullptr && v->is_integer(); });
}

std::vector<Value> on_integers(OnnxNode& node, std::int64_t (*f)(std::int64_t, std::int64_t)) {
  const Shape shape = broadcast_shape(node.input(0).shape, node.input(1).shape);
  const Value a = node.graph.broadcast(node.input(0), shape), b = node.graph.broadcast(node.input(1), shape);
  Integers result;
  for (std::size_t i = 0; i < a.integers().size(); ++i) result.push_back(f(a.integers()[i], b.integers()[i]));
  return {known(shape, std::move(result))};
}

[[noreturn]] void refuse_overflow() { throw BadFile("an integer becomes too large, or is divided by zero"); }

std::int64_t plus(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? refuse_overflow(), 0 : result;
}
std::int64_t minus(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_sub_overflow(a, b, &result) ? refuse_overflow(), 0 : result;
}
std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? refuse_overflow(), 0 : result;
}
std::int64_t divided(std::int64_t a, std::int64_t b) {
  if (b == 0 || (b == -1 && a == INT64_MIN)) refuse_overflow();
  return a / b;
}

// f of two known operands; the second is repeated if it has one element.
Value on_reals(const Value& a, const Value& b, Interval (*f)(const Interval&, const Interval&)) {
  check_finite(a.numbers());
  check_finite(b.numbers());
  std::vector<Interval> result;
  const std::size_t n = a.numbers().size(), stride = b.numbers().size() == 1 ? 0 : 1;
  for (std::size_t i = 0; i < n; ++i) result.push_back(f(a.numbers()[i], b.numbers()[i * stride]));
  return known(a.shape, numbers_of(result));
}

Interval quotient(const Interval& a, const Interval& b) {
  if (b.low() <= 0 && b.high >= 0) throw BadFile("a division by a constant that is or may be zero");
  return a / b;
}
Interval root(const Interval& a, const Interval&) {
  if (a.low() < 0) throw BadFile("the root of a constant that is or may be negative");
  return square_root(a);
}
Interval square(const Interval& a, const Interval&) { return a * a; }

Value ones(const Shape& shape) {
  return known(shape, Numbers{std::vector<double>(static_cast<std::size_t>(size_of(shape)), 1.0), {}});
}
Value constant(double value) { return known({}, Numbers{{value}, {}}); }

const Value& known_reals(const OnnxNode& node, std::size_t i) {
  if (!node.input(i).is_known())
    throw BadFile("not piecewise linear, unless input " + std::to_string(i) + " is a real constant");
  return node.input(i);
}

std::vector<Value> add(OnnxNode& node) {
  if (node.inputs.size() == 2 && all_integer(node)) return on_integers(node, plus);
  return {node.graph.sum(node.all(), {std::vector<double>(node.inputs.size(), 1.0), {}})};
}

std::vector<Value> subtract(OnnxNode& node) {
  if (all_integer(node)) return on_integers(node, minus);
  return {node.graph.sum(node.all(), {{1.0, -1.0}, {}})};
}

std::vector<Value> multiply(OnnxNode& node) {
  if (all_integer(node)) return on_integers(node, times);
  const bool first = node.input(0).is_known() && !node.input(1).is_known();
  return {node.graph.scale(node.input(first ? 1 : 0), known_reals(node, first ? 0 : 1))};
}

std::vector<Value> divide(OnnxNode& node) {
  if (all_integer(node)) return on_integers(node, divided);
  const Value &a = node.input(0), &b = known_reals(node, 1);
  if (!a.is_known()) return {node.graph.scale(a, on_reals(ones(b.shape), b, quotient))};
  const Shape shape = broadcast_shape(a.shape, b.shape);
  return {on_reals(node.graph.broadcast(a, shape), node.graph.broadcast(b, shape), quotient)};
}

std::vector<Value> mean(OnnxNode& node) {
  const Value sum = node.graph.sum(node.all(), {std::vector<double>(node.inputs.size(), 1.0), {}});
  const Interval share = Interval(1.0) / Interval(static_cast<double>(node.inputs.size()));
  return {node.graph.scale(sum, known({}, numbers_of({share})))};
}

std::vector<Value> negative(OnnxNode& node) {
  const Value& x = node.input(0);
  if (!x.is_integer()) return {node.graph.negate(x)};
  Integers result;
  for (const std::int64_t v : x.integers()) result.push_back(minus(0, v));
  return {known(x.shape, std::move(result))};
}

// Leaves out constants that equal `infinity` everywhere: they never decide.
std::vector<Value> without(std::vector<Value> values, double infinity) {
  std::erase_if(values, [=](const Value& v) {
    return v.is_known() && v.numbers().is_exact() && !v.numbers().empty() &&
           std::ranges::all_of(v.numbers().low, [=](double x) { return x == infinity; });
  });
  return values;
}

Value minimum(Graph& graph, std::vector<Value> values) {
  for (Value& v : values) v = graph.negate(v);
  return graph.negate(graph.maximum(values));
}

std::vector<Value> max(OnnxNode& node) {
  if (node.inputs.size() == 2 && all_integer(node)) {
    return on_integers(node, [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
  }
  return {node.graph.maximum(node.all())};
}

std::vector<Value> min(OnnxNode& node) {
  if (node.inputs.size() == 2 && all_integer(node)) {
    return on_integers(node, [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
  }
  const std::vector<Value> values = without(node.all(), HUGE_VAL);
  return {values.empty() ? node.input(0) : minimum(node.graph, values)};
}

// min(max(x, low), high). A limit at or beyond the largest number of the type is none.
Value clip(Graph& graph, Value x, const std::optional<Value>& low, const std::optional<Value>& high) {
  const double largest = x.type == onnx::TensorProto::DOUBLE ? DBL_MAX : static_cast<double>(FLT_MAX);
  const auto limits = [&](const std::optional<Value>& limit, double sign) {
    if (!limit) return false;
    if (!limit->is_known() || !limit->numbers().is_exact()) throw BadFile("a limit is not an exact real constant");
    return std::ranges::any_of(limit->numbers().low, [=](double v) { return sign * v < largest; });
  };
  if (x.is_integer()) throw BadFile("integers where reals are needed");
  if (limits(low, -1)) x = graph.maximum({x, *low});
  if (limits(high, 1)) x = minimum(graph, {x, *high});
  return x;
}

std::vector<Value> clip(OnnxNode& node) {
  const auto limit = [&](std::size_t i, const char* name) -> std::optional<Value> {
    const bool is_attribute = node.find(name, onnx::AttributeProto::FLOAT) != nullptr;
    if (is_attribute == (node.opset >= 11) && (is_attribute || node.has(i))) {
      throw BadFile("limits are attributes before opset 11, and inputs since");
    }
    if (is_attribute) return constant(node.real(name, 0));
    return node.has(i) ? std::optional(node.input(i)) : std::nullopt;
  };
  return {clip(node.graph, node.input(0), limit(1, "min"), limit(2, "max"))};
}

std::vector<Value> relu(OnnxNode& node) { return {node.graph.relu(node.input(0))}; }

std::vector<Value> leaky_relu(OnnxNode& node) {
  return {node.graph.leaky(node.input(0), constant(node.real("alpha", static_cast<double>(0.01F))))};
}

std::vector<Value> prelu(OnnxNode& node) {
  const Value& slope = known_reals(node, 1);
  if (broadcast_shape(node.input(0).shape, slope.shape) != node.input(0).shape) throw BadFile("the slopes do not fit");
  return {node.graph.leaky(node.input(0), slope)};
}

std::vector<Value> absolute(OnnxNode& node) {
  const Value& x = node.input(0);
  if (!x.is_integer()) return {node.graph.sum({node.graph.relu(x), x}, {{2.0, -1.0}, {}})};
  Integers result;
  for (const std::int64_t v : x.integers()) result.push_back(v < 0 ? minus(0, v) : v);
  return {known(x.shape, std::move(result))};
}

std::vector<Value> hard_sigmoid(OnnxNode& node) {
  const Value& x = node.input(0);
  const double alpha = node.real("alpha", static_cast<double>(0.2F)), beta = node.real("beta", 0.5);
  const Value line = node.graph.add(Scale{1, 1, size_of(x.shape), {{alpha}, {}}, {{beta}, {}}}, {x}, x.shape);
  return {clip(node.graph, line, constant(0), constant(1))};
}

std::vector<Value> square_roots(OnnxNode& node) { return {on_reals(known_reals(node, 0), constant(0), root)}; }

std::vector<Value> reciprocal(OnnxNode& node) {
  return {on_reals(ones(node.input(0).shape), known_reals(node, 0), quotient)};
}

// The power 1 of anything; the powers 2 and 0.5 of constants.
std::vector<Value> power(OnnxNode& node) {
  const Value &base = node.input(0), &exponent = node.input(1);
  if (exponent.is_node() || base.is_integer() || size_of(exponent.shape) != 1) throw BadFile("not piecewise linear");
  const bool is_integer = exponent.is_integer();
  if (!is_integer && !exponent.numbers().is_exact()) throw BadFile("an exponent that was rounded");
  const double p = is_integer ? static_cast<double>(exponent.integers()[0]) : exponent.numbers().low[0];
  if (p == 1) return {base};
  if (p == 2) return {on_reals(known_reals(node, 0), constant(0), square)};
  if (p == 0.5) return {on_reals(known_reals(node, 0), constant(0), root)};
  throw BadFile("not piecewise linear");
}

std::vector<Value> equal(OnnxNode& node) {
  if (!all_integer(node)) throw BadFile("not piecewise linear");
  std::vector<Value> result = on_integers(node, [](std::int64_t a, std::int64_t b) { return std::int64_t{a == b}; });
  result[0].type = onnx::TensorProto::BOOL;
  return result;
}

std::vector<Value> where(OnnxNode& node) {
  const Value &condition = node.input(0), &a = node.input(1), &b = node.input(2);
  if (!condition.is_integer() || a.is_integer() != b.is_integer()) throw BadFile("its operands are of the wrong types");
  const Shape shape = broadcast_shape(condition.shape, broadcast_shape(a.shape, b.shape));
  const Integers chosen = node.graph.broadcast(condition, shape).integers();
  Integers source;
  const std::int64_t n = size_of(shape);
  for (std::int64_t i = 0; i < n; ++i) source.push_back(chosen[static_cast<std::size_t>(i)] != 0 ? i : n + i);
  Value result = node.graph.move({node.graph.broadcast(a, shape), node.graph.broadcast(b, shape)}, source, shape);
  result.type = a.type;
  return {result};
}

// Softmax and sigmoid keep the order of the values, if they take all of them together.
std::vector<Value> last_activation(OnnxNode& node) {
  Value x = node.input(0);
  if (!x.is_node()) throw BadFile("not piecewise linear");
  if (node.proto.op_type() != "Sigmoid") {
    const bool is_old = node.opset < 13;  // then all dimensions from the axis on form one group
    const std::int64_t axis = OnnxNode::axis(node.integer("axis", is_old ? 1 : -1), x.rank());
    const Shape group(x.shape.begin() + axis, is_old ? x.shape.end() : x.shape.begin() + axis + 1);
    if (size_of(group) != size_of(x.shape)) throw BadFile("it normalises parts of its input only");
  }
  x.only_order = true;
  return {x};
}

}  // namespace

Rules elementwise_rules() {
  return {{"Add", add, 2, 2, ""},
          {"Sum", add, 1, kAny, ""},
          {"Sub", subtract, 2, 2, ""},
          {"Mul", multiply, 2, 2, ""},
          {"Div", divide, 2, 2, ""},
          {"Mean", mean, 1, kAny, ""},
          {"Neg", negative, 1, 1, ""},
          {"Max", max, 1, kAny, ""},
          {"Min", min, 1, kAny, ""},
          {"Clip", clip, 1, 3, "min max"},
          {"Relu", relu, 1, 1, ""},
          {"LeakyRelu", leaky_relu, 1, 1, "alpha"},
          {"PRelu", prelu, 2, 2, ""},
          {"Abs", absolute, 1, 1, ""},
          {"HardSigmoid", hard_sigmoid, 1, 1, "alpha beta"},
          {"Sqrt", square_roots, 1, 1, ""},
          {"Reciprocal", reciprocal, 1, 1, ""},
          {"Pow", power, 2, 2, ""},
          {"Equal", equal, 2, 2, ""},
          {"Where", where, 3, 3, ""},
          {"Softmax", last_activation, 1, 1, "axis"},
          {"LogSoftmax", last_activation, 1, 1, "axis"},
          {"Sigmoid", last_activation, 1, 1, ""}};
}

}  // namespace checker
