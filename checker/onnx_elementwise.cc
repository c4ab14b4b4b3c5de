// Operations that work element by element, with broadcasting.
#include <algorithm>
#include <cfloat>

#include "onnx_node.h"

namespace checker {
namespace {

// f of two known operands, with broadcasting.
Value on_known(Graph& graph, const Value& a, const Value& b, Interval (*f)(const Interval&, const Interval&)) {
  const Shape shape = broadcast_shape(a.shape, b.shape);
  const Value all_a = graph.broadcast(a, shape), all_b = graph.broadcast(b, shape);
  check_finite(*all_a.numbers);
  check_finite(*all_b.numbers);
  std::vector<Interval> result;
  for (std::size_t i = 0; i < all_a.numbers->size(); ++i) result.push_back(f((*all_a.numbers)[i], (*all_b.numbers)[i]));
  return known(shape, numbers_of(result));
}

Interval quotient(const Interval& a, const Interval& b) {
  require(b.low() > 0 || b.high < 0, "a division by a constant that is or may be zero");
  return a / b;
}
Interval integer_quotient(const Interval& a, const Interval& b) {
  require(a.is_point() && b.is_point() && !b.is_zero(), "a division by zero, or of large integers");
  return static_cast<double>(static_cast<std::int64_t>(a.high) / static_cast<std::int64_t>(b.high));
}
Interval root(const Interval& a, const Interval&) {
  require(a.low() >= 0, "the root of a constant that is or may be negative");
  return square_root(a);
}
Interval square(const Interval& a, const Interval&) { return a * a; }
Interval is_equal(const Interval& a, const Interval& b) {
  require(a.is_point() && b.is_point(), "a comparison of large integers");
  return a.high == b.high ? 1.0 : 0.0;
}

std::vector<double> ones(const OnnxNode& node) { return std::vector<double>(node.inputs.size(), 1.0); }

Values add(const OnnxNode& node) { return {node.graph.sum(node.all(), ones(node))}; }

Values subtract(const OnnxNode& node) { return {node.graph.sum(node.all(), {1.0, -1.0})}; }

Values multiply(const OnnxNode& node) {
  const bool exchange = !node.input(1).is_known();
  return {node.graph.scale(node.input(exchange ? 1 : 0), node.input(exchange ? 0 : 1))};
}

Values divide(const OnnxNode& node) {
  const Value &a = node.input(0), &b = node.known_input(1);
  if (!is_float(a.type)) return {on_known(node.graph, node.known_input(0), b, integer_quotient)};
  if (a.is_known()) return {on_known(node.graph, a, b, quotient)};
  return {node.graph.scale(a, on_known(node.graph, known(1.0), b, quotient))};
}

Values mean(const OnnxNode& node) {
  const Interval share = Interval(1.0) / Interval(static_cast<double>(node.inputs.size()));
  return {node.graph.scale(node.graph.sum(node.all(), ones(node)), known({}, numbers_of({share})))};
}

// Leaves out constants that are infinite everywhere: they never decide.
Values without(Values values, double infinity) {
  std::erase_if(values, [=](const Value& v) {
    return v.is_known() && !v.numbers->empty() && v.numbers->is_exact() &&
           std::ranges::all_of(v.numbers->low, [=](double x) { return x == infinity; });
  });
  return values;
}

Value minimum(Graph& graph, Values values) {
  for (Value& v : values) v = graph.negate(v);
  return graph.negate(graph.maximum(values));
}

Values minimum(const OnnxNode& node) {
  const Values values = without(node.all(), HUGE_VAL);
  return {values.empty() ? node.input(0) : minimum(node.graph, values)};
}

// min(max(x, low), high). A limit at or beyond the largest number of the type is none.
Value clip(Graph& graph, Value x, int type, const Values& low, const Values& high) {
  const double largest = type == Type::DOUBLE ? DBL_MAX : static_cast<double>(FLT_MAX);
  require(is_float(type), "integers where reals are needed");
  const auto limits = [&](const Values& limit, double sign) {
    return !limit.empty() && std::ranges::any_of(limit[0].numbers->low, [=](double v) { return sign * v < largest; });
  };
  if (limits(low, -1)) x = graph.maximum({x, low[0]});
  if (limits(high, 1)) x = minimum(graph, {x, high[0]});
  return x;
}

Values clip(const OnnxNode& node) {
  const auto limit = [&](std::size_t i, const char* name) -> Values {
    const bool is_attribute = node.find(name, Attribute::FLOAT) != nullptr;
    require(node.opset < 11 ? !node.has(i) : !is_attribute, "limits are attributes before opset 11, and inputs since");
    if (is_attribute) return {known(node.real(name, 0))};
    if (!node.has(i)) return {};
    require(node.known_input(i).numbers->is_exact(), "a limit that was rounded");
    return {node.input(i)};
  };
  return {clip(node.graph, node.input(0), node.input(0).type, limit(1, "min"), limit(2, "max"))};
}

// slope x + (1 - slope) relu(x).
Value leaky(Graph& graph, const Value& x, const Value& slope) {
  const Value rest = graph.sum({known(1.0), slope}, {1.0, -1.0});
  return graph.sum({graph.scale(x, slope), graph.scale(graph.relu(x), rest)}, {1.0, 1.0});
}

Values leaky_relu(const OnnxNode& node) {
  return {leaky(node.graph, node.input(0), known(node.real("alpha", static_cast<double>(0.01F))))};
}

Values prelu(const OnnxNode& node) {
  const Value &x = node.input(0), &slope = node.known_input(1);
  require(broadcast_shape(x.shape, slope.shape) == x.shape, "the slopes do not fit the input");
  return {leaky(node.graph, x, slope)};
}

Values hard_sigmoid(const OnnxNode& node) {
  const Value& x = node.input(0);
  const double alpha = node.real("alpha", static_cast<double>(0.2F)), beta = node.real("beta", 0.5);
  const Value line = node.graph.scale(x, known(alpha), exactly({beta}));
  return {clip(node.graph, line, x.type, {known(0.0)}, {known(1.0)})};
}

// The power 1 of anything; the powers 2 and 0.5 of constants.
Values power(const OnnxNode& node) {
  const Numbers& exponent = *node.known_input(1).numbers;
  const double p = exponent.size() == 1 && exponent.is_exact() ? exponent.low[0] : 0;
  if (p == 1) return {node.input(0)};
  require((p == 2 || p == 0.5) && is_float(node.input(0).type), "not piecewise linear");
  return {on_known(node.graph, node.known_input(0), known(0.0), p == 2 ? square : root)};
}

Values equal(const OnnxNode& node) {
  require(!is_float(node.input(0).type), "not piecewise linear");
  Value result = on_known(node.graph, node.input(0), node.input(1), is_equal);
  result.type = Type::BOOL;
  return {result};
}

Values where(const OnnxNode& node) {
  const Value &condition = node.known_input(0), &a = node.input(1), &b = node.input(2);
  require(condition.type == Type::BOOL && a.type == b.type, "its operands are of the wrong types");
  const Shape shape = broadcast_shape(condition.shape, broadcast_shape(a.shape, b.shape));
  const Value chosen = node.graph.broadcast(condition, shape);
  const std::int64_t n = size_of(shape);
  Integers source;
  for (std::int64_t i = 0; i < n; ++i) source.push_back(chosen.numbers->low[at(i)] != 0 ? i : n + i);
  return {node.graph.move({node.graph.broadcast(a, shape), node.graph.broadcast(b, shape)}, source, shape)};
}

// Softmax and sigmoid keep the order of the values, if they take all of them together.
Values last_activation(const OnnxNode& node) {
  Value x = node.input(0);
  require(!x.is_known(), "not piecewise linear");
  if (node.proto.op_type() != "Sigmoid") {
    const bool is_old = node.opset < 13;  // then all dimensions from the axis on form one group
    const std::int64_t axis = node.axis(is_old ? 1 : -1);
    const Shape group(x.shape.begin() + axis, is_old ? x.shape.end() : x.shape.begin() + axis + 1);
    require(size_of(group) == size_of(x.shape), "it normalises parts of its input only");
  }
  x.only_order = true;
  return {x};
}

}  // namespace

Rules elementwise_rules() {
  return {{"Add", 2, 2, kAny, "", add},
          {"Sum", 1, kAny, kAny, "", add},
          {"Sub", 2, 2, kAny, "", subtract},
          {"Mul", 2, 2, kAny, "", multiply},
          {"Div", 2, 2, kAny, "", divide},
          {"Mean", 1, kAny, kAny, "", mean},
          {"Neg", 1, 1, 1, "", [](const OnnxNode& n) -> Values { return {n.graph.negate(n.input(0))}; }},
          {"Max", 1, kAny, kAny, "", [](const OnnxNode& n) -> Values { return {n.graph.maximum(n.all())}; }},
          {"Min", 1, kAny, kAny, "", minimum},
          {"Clip", 1, 3, kAny, "min max", clip},
          {"Relu", 1, 1, 1, "", [](const OnnxNode& n) -> Values { return {n.graph.relu(n.input(0))}; }},
          {"LeakyRelu", 1, 1, 1, "alpha", leaky_relu},
          {"PRelu", 2, 2, 2, "", prelu},
          {"Abs", 1, 1, 1, "",
           [](const OnnxNode& n) -> Values {
             return {n.graph.sum({n.graph.relu(n.input(0)), n.input(0)}, {2.0, -1.0})};
           }},
          {"HardSigmoid", 1, 1, 1, "alpha beta", hard_sigmoid},
          {"Sqrt", 1, 1, 1, "",
           [](const OnnxNode& n) -> Values { return {on_known(n.graph, n.known_input(0), known(0.0), root)}; }},
          {"Reciprocal", 1, 1, 1, "",
           [](const OnnxNode& n) -> Values { return {on_known(n.graph, known(1.0), n.known_input(0), quotient)}; }},
          {"Pow", 2, 2, 1, "", power},
          {"Equal", 2, 2, 2, "", equal},
          {"Where", 3, 3, 1, "", where},
          {"Softmax", 1, 1, 1, "axis", last_activation},
          {"LogSoftmax", 1, 1, 1, "axis", last_activation},
          {"Sigmoid", 1, 1, 1, "", last_activation}};
}

}  // namespace checker
