#include "onnx_graph.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <numeric>

#include "error.h"
#include "values.h"

namespace checker {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 28;
constexpr std::size_t kHighestRank = 32;

void check_finite(const Op& op) {
  std::visit(
      [](const auto& o) {
        if constexpr (requires { o.weight; }) checker::check_finite(o.weight), checker::check_finite(o.bias);
        if constexpr (requires { o.shift; }) checker::check_finite(o.scale), checker::check_finite(o.shift);
        if constexpr (requires { o.coefficients; }) checker::check_finite(o.coefficients);
      },
      op);
}

bool all_are(const Numbers& numbers, double value) {
  return numbers.is_exact() && std::ranges::all_of(numbers.low, [=](double v) { return v == value; });
}

// Whether max() takes a known operand as a limit, c + relu(x - c), and not as one more variable.
bool is_limit(const Value& value) {
  constexpr double kLargest = 0x1p14;
  return value.is_known() && value.numbers().is_exact() &&
         std::ranges::none_of(value.numbers().low, [](double v) { return std::isfinite(v) && std::abs(v) > kLargest; });
}

}  // namespace

Value known(Shape shape, Numbers numbers) {
  return {std::move(shape), std::make_shared<const Numbers>(std::move(numbers))};
}

Value known(Shape shape, Integers integers) {
  return {std::move(shape), std::make_shared<const Integers>(std::move(integers))};
}

Value reshaped(Value value, Shape shape) {
  if (size_of(value.shape) != size_of(shape)) {
    throw BadFile("shape " + text_of(value.shape) + " does not fit the shape " + text_of(shape));
  }
  value.shape = std::move(shape);
  return value;
}

Numbers numbers_of(const std::vector<Interval>& values) {
  Numbers result;
  for (const Interval& v : values) result.low.push_back(v.low());
  if (std::ranges::all_of(values, &Interval::is_point)) return result;
  for (const Interval& v : values) result.high.push_back(v.high);
  return result;
}

std::int64_t size_of(const Shape& shape) {
  if (shape.size() > kHighestRank) throw BadFile("a tensor of " + std::to_string(shape.size()) + " dimensions");
  const bool is_empty = std::ranges::count(shape, 0) > 0;  // its other dimensions must be small too
  std::int64_t size = 1;
  for (const std::int64_t d : shape) {
    if (d < 0 || d > (is_empty ? kMostElements >> 8 : kMostElements) / size) {
      throw BadFile("a tensor of shape " + text_of(shape));
    }
    size *= std::max<std::int64_t>(1, d);
  }
  return is_empty ? 0 : size;
}

Shape broadcast_shape(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()), 1);
  std::ranges::copy(a, result.end() - static_cast<std::ptrdiff_t>(a.size()));
  for (std::size_t d = result.size() - b.size(), i = 0; i < b.size(); ++d, ++i) {
    if (result[d] != b[i] && result[d] != 1 && b[i] != 1) {
      throw BadFile("shapes " + text_of(a) + " and " + text_of(b) + " do not fit each other");
    }
    if (result[d] == 1) result[d] = b[i];
  }
  return result;
}

std::string text_of(const Shape& shape) {
  std::string text;
  for (const std::int64_t d : shape) text += (text.empty() ? "" : " x ") + std::to_string(d);
  return "[" + text + "]";
}

Steps Graph::steps_of(const Shape& shape) {
  take(std::accumulate(shape.begin(), shape.end(), std::int64_t{0}));
  Steps steps(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    for (std::int64_t i = 0; i < shape[d]; ++i) steps[d].push_back(i * stride);
    stride *= shape[d];
  }
  return steps;
}

bool holds_all_of(int wide, int narrow) {
  using onnx::TensorProto;
  return wide == narrow || wide == TensorProto::DOUBLE || (wide == TensorProto::FLOAT && narrow != TensorProto::DOUBLE);
}

void check_finite(const Numbers& numbers) {
  const auto is_finite = [](double v) { return std::isfinite(v); };
  if (!std::ranges::all_of(numbers.low, is_finite) || !std::ranges::all_of(numbers.high, is_finite)) {
    throw BadFile("it computes with a constant that is not finite");
  }
}

void Graph::begin(std::string name, std::string tensor) {
  name_ = std::move(name);
  tensor_ = std::move(tensor);
  units_ = 0;
}

void Graph::allow(std::int64_t stored) { room_ = std::min(room_ + 16 * stored, kMostElements); }

void Graph::take(std::int64_t elements) {
  room_ -= elements;
  if (room_ < 0) throw BadFile("its tensors are too large for what the file stores");
}

Value Graph::add(Op op, const std::vector<Value>& arguments, Shape shape) {
  take(size_of(shape));
  check_finite(op);
  Node node{name_, std::move(op), {}, size_of(shape)};
  if (std::ranges::any_of(arguments, &Value::is_integer)) throw BadFile("integers where reals are needed");
  if (std::ranges::all_of(arguments, &Value::is_known)) return computed(std::move(node), arguments, std::move(shape));
  for (const Value& v : arguments) node.arguments.push_back(node_of(v));
  if (std::holds_alternative<Relu>(node.op) || std::holds_alternative<Maximum>(node.op)) {
    node.tensor = tensor_;
    node.number = units_++;
  }
  network.nodes.push_back(std::move(node));
  return {std::move(shape), network.nodes.size() - 1};
}

// Computes an operation on known arguments: as a small network of its own.
Value Graph::computed(Node node, const std::vector<Value>& arguments, Shape shape) {
  Network alone;
  for (const Value& v : arguments) {
    check_finite(v.numbers());
    node.arguments.push_back(alone.nodes.size());
    alone.nodes.push_back({"", Constant{v.numbers()}, {}, size_of(v.shape)});
  }
  const bool is_simple = std::holds_alternative<Scale>(node.op) || std::holds_alternative<Sum>(node.op) ||
                         std::holds_alternative<Relu>(node.op);
  alone.nodes.push_back(std::move(node));
  Numbers result = numbers_of(values_of<Interval>(alone, {}).back());
  // Products of matrices and the like never count as exact (is_limit()), whether they were rounded or not.
  if (!is_simple && result.is_exact()) result.high = result.low;
  return known(std::move(shape), std::move(result));
}

std::size_t Graph::node_of(const Value& value) {
  if (value.is_node()) return value.node();
  if (value.is_integer()) throw BadFile("integers where reals are needed");
  check_finite(value.numbers());
  network.nodes.push_back({name_, Constant{value.numbers()}, {}, size_of(value.shape)});
  return network.nodes.size() - 1;
}

Integers Graph::sources(const Steps& steps) {
  Shape shape;
  for (const Integers& along : steps) shape.push_back(static_cast<std::int64_t>(along.size()));
  take(size_of(shape));
  if (size_of(shape) == 0) return {};
  Integers result{0};
  for (const Integers& along : steps) {
    Integers longer;
    longer.reserve(result.size() * along.size());
    for (const std::int64_t source : result) {
      for (const std::int64_t step : along) longer.push_back(source < 0 || step < 0 ? -1 : source + step);
    }
    result = std::move(longer);
  }
  return result;
}

Value Graph::move(const std::vector<Value>& values, const Integers& source, Shape shape) {
  Value result{std::move(shape), {}, values[0].type, values[0].holds};
  std::int64_t total = 0;
  for (const Value& v : values) {
    total += size_of(v.shape);
    if (!holds_all_of(result.holds, v.holds)) result.holds = holds_all_of(v.holds, result.holds) ? v.holds : v.type;
  }
  take(static_cast<std::int64_t>(values.size() * source.size() / 16));  // a source is looked for among the arguments
  size_of({total});
  if (std::ranges::all_of(values, &Value::is_integer)) {
    Integers all, moved;
    for (const Value& v : values) all.insert(all.end(), v.integers().begin(), v.integers().end());
    for (const std::int64_t i : source) moved.push_back(i < 0 ? 0 : all[static_cast<std::size_t>(i)]);
    result.content = std::make_shared<const Integers>(std::move(moved));
  } else if (std::ranges::all_of(values, &Value::is_known)) {
    const bool exact = std::ranges::all_of(values, [](const Value& v) { return v.numbers().is_exact(); });
    Numbers all, moved;
    for (const Value& v : values) {
      const Numbers& n = v.numbers();
      all.low.insert(all.low.end(), n.low.begin(), n.low.end());
      if (!exact)
        all.high.insert(all.high.end(), n.is_exact() ? n.low.begin() : n.high.begin(),
                        n.is_exact() ? n.low.end() : n.high.end());
    }
    for (const std::int64_t i : source) {
      moved.low.push_back(i < 0 ? 0 : all.low[static_cast<std::size_t>(i)]);
      if (!exact) moved.high.push_back(i < 0 ? 0 : all.high[static_cast<std::size_t>(i)]);
    }
    result.content = std::make_shared<const Numbers>(std::move(moved));
  } else {
    result.content = add(Move{{source.begin(), source.end()}}, values, result.shape).content;
  }
  return result;
}

Value Graph::move(const Value& value, const Steps& steps) {
  Shape shape;
  for (const Integers& along : steps) shape.push_back(static_cast<std::int64_t>(along.size()));
  if (shape == value.shape && steps == steps_of(shape)) return value;
  return move({value}, sources(steps), std::move(shape));
}

Value Graph::pick(const Value& value, std::int64_t axis, const Integers& positions) {
  Steps steps = steps_of(value.shape);
  Integers& along = steps[static_cast<std::size_t>(axis)];
  Integers picked;
  for (const std::int64_t p : positions) picked.push_back(p < 0 ? -1 : along[static_cast<std::size_t>(p)]);
  along = std::move(picked);
  return move(value, steps);
}

Value Graph::transpose(const Value& value, const Integers& permutation) {
  const Steps steps = steps_of(value.shape);
  Steps permuted;
  for (const std::int64_t d : permutation) permuted.push_back(steps[static_cast<std::size_t>(d)]);
  return move(value, permuted);
}

Value Graph::concatenate(const std::vector<Value>& values, std::int64_t axis) {
  const auto a = static_cast<std::size_t>(axis);
  Shape shape = values[0].shape;
  shape[a] = 0;
  for (const Value& v : values) {
    Shape other = v.shape;
    if (other.size() == shape.size()) other[a] = shape[a];
    if (other != shape)
      throw BadFile("shapes " + text_of(values[0].shape) + " and " + text_of(v.shape) + " in one tensor");
    shape[a] += v.shape[a];
  }
  if (values.size() == 1) return values[0];
  take(size_of(shape));
  std::int64_t outer = 1, inner = 1, first = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) (d < a ? outer : inner) *= d == a ? 1 : shape[d];
  Integers source(static_cast<std::size_t>(size_of(shape)));
  std::int64_t offset = 0;
  for (const Value& v : values) {
    const std::int64_t length = v.shape[a] * inner;
    for (std::int64_t o = 0; o < outer; ++o) {
      const auto target = source.begin() + o * shape[a] * inner + offset;
      std::iota(target, target + length, first + o * length);
    }
    offset += length;
    first += outer * length;
  }
  return move(values, source, shape);
}

Value Graph::broadcast(const Value& value, const Shape& shape) {
  if (size_of(shape) == size_of(value.shape)) return reshaped(value, shape);
  const std::size_t missing = shape.size() - value.shape.size();
  Steps steps = steps_of(value.shape);
  steps.insert(steps.begin(), missing, {0});
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (steps[d].size() == 1) steps[d].resize(static_cast<std::size_t>(shape[d]), steps[d][0]);
  }
  return move(value, steps);
}

Value Graph::sum(const std::vector<Value>& values, const Numbers& coefficients) {
  Shape shape;
  for (const Value& v : values) shape = broadcast_shape(shape, v.shape);
  std::vector<Value> operands;
  for (const Value& v : values) operands.push_back(broadcast(v, shape));
  return add(Sum{coefficients}, operands, shape);
}

Value Graph::scale(const Value& value, const Value& factor) {
  const Shape shape = broadcast_shape(value.shape, factor.shape);
  const std::int64_t n = size_of(shape);
  if (!factor.is_known()) throw BadFile("a factor is not a real constant");
  if (size_of(factor.shape) == 1) return add(Scale{1, 1, n, factor.numbers(), {}}, {broadcast(value, shape)}, shape);
  return add(Scale{1, n, 1, broadcast(factor, shape).numbers(), {}}, {broadcast(value, shape)}, shape);
}

// Known numbers may be infinite here: they may be limits.
Value Graph::negate(const Value& value) {
  if (!value.is_known()) return scale(value, known({}, Numbers{{-1.0}, {}}));
  Numbers negated = value.numbers();
  if (!negated.is_exact()) std::swap(negated.low, negated.high);
  for (double& v : negated.low) v = -v;
  for (double& v : negated.high) v = -v;
  return known(value.shape, std::move(negated));
}

Value Graph::relu(const Value& value) { return add(Relu{}, {value}, value.shape); }

Value Graph::leaky(const Value& value, const Value& slope) {
  const Value rest = sum({known({}, Numbers{{1.0}, {}}), slope}, {{1.0, -1.0}, {}});
  const Value positive = relu(value);
  return sum({scale(value, slope), scale(positive, rest)}, {{1.0, 1.0}, {}});
}

Value Graph::maximum(const std::vector<Value>& values) {
  Shape shape;
  std::vector<Value> variables, limit;  // at most one limit
  for (const Value& v : values) shape = broadcast_shape(shape, v.shape);
  for (const Value& v : values) {
    const Value all = broadcast(v, shape);
    if (!is_limit(v)) {
      variables.push_back(all);
    } else if (limit.empty()) {
      limit.push_back(all);
    } else {
      Numbers merged = limit[0].numbers();
      for (std::size_t i = 0; i < merged.size(); ++i) merged.low[i] = larger(merged.low[i], all.numbers().low[i]);
      limit[0] = known(shape, std::move(merged));
    }
  }
  if (variables.empty()) return limit.at(0);
  Value result = variables[0];
  if (variables.size() > 1) {
    const std::int64_t n = size_of(shape), k = static_cast<std::int64_t>(variables.size());
    take(2 * n * k);
    for (Value& v : variables) v.shape = {n};
    Maximum groups{{0}, {}};
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < k; ++j) groups.members.push_back(static_cast<std::int32_t>(j * n + i));
      groups.offsets.push_back((i + 1) * k);
    }
    result = add(std::move(groups), {concatenate(variables, 0)}, shape);
  }
  if (limit.empty() || all_are(limit[0].numbers(), -HUGE_VAL)) return result;
  if (all_are(limit[0].numbers(), 0)) return relu(result);
  const Value above = relu(sum({result, limit[0]}, {{1.0, -1.0}, {}}));
  return sum({above, limit[0]}, {{1.0, 1.0}, {}});
}

}  // namespace checker
