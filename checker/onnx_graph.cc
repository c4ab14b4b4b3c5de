#include "onnx_graph.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <numeric>

#include "values.h"

namespace checker {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 28;

// Computes an operation on known arguments.
Numbers computed(Node node, const Values& arguments) {
  std::vector<std::vector<Interval>> values;
  for (const Value& v : arguments) {
    check_finite(*v.numbers);
    node.arguments.push_back(values.size());
    std::vector<Interval>& numbers = values.emplace_back();
    for (std::size_t i = 0; i < v.numbers->size(); ++i) numbers.push_back((*v.numbers)[i]);
  }
  return numbers_of(value_of_node(node, values, {}));
}

bool all_are(const Numbers& numbers, double value) {
  return std::ranges::all_of(numbers.low, [=](double v) { return v == value; });
}

// Whether maximum() takes a known operand as a limit, c + relu(x - c), and not as one more variable.
bool is_limit(const Value& value) {
  const auto is_large = [](double v) { return std::isfinite(v) && std::abs(v) > 0x1p14; };
  return value.is_known() && value.numbers->is_exact() && std::ranges::none_of(value.numbers->low, is_large);
}

}  // namespace

Value known(Shape shape, Numbers numbers, int type) {
  return {std::move(shape), std::make_shared<const Numbers>(std::move(numbers)), 0, type, type};
}

Value known(double number) { return known({}, exactly({number})); }

Interval enclosed(std::int64_t number) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 53;
  if (number >= -kLargest && number <= kLargest) return static_cast<double>(number);
  return number < 0 ? Interval::between(-0x1p63, -0x1p53) : Interval::between(0x1p53, 0x1p63);
}

Value integers(const Integers& numbers, int type) {
  std::vector<Interval> values;
  for (const std::int64_t v : numbers) values.push_back(enclosed(v));
  return known({std::ssize(numbers)}, numbers_of(values), type);
}

Value reshaped(Value value, Shape shape) {
  require(size_of(value.shape) == size_of(shape), text_of(value.shape) + " does not fit the shape " + text_of(shape));
  value.shape = std::move(shape);
  return value;
}

Numbers exactly(std::vector<double> numbers) { return {std::move(numbers), {}}; }

Numbers numbers_of(const std::vector<Interval>& values) {
  Numbers result;
  for (const Interval& v : values) result.low.push_back(v.low());
  require(std::ranges::none_of(result.low, [](double v) { return std::isnan(v); }), "a constant is not a number");
  if (std::ranges::all_of(values, &Interval::is_point)) return result;
  for (const Interval& v : values) result.high.push_back(v.high);
  return result;
}

std::int64_t size_of(const Shape& shape) {
  const bool is_empty = std::ranges::count(shape, 0) > 0;  // its other dimensions must be small too
  std::int64_t size = 1;
  for (const std::int64_t d : shape) {
    const bool fits = shape.size() <= 32 && d >= 0 && d <= (is_empty ? kMostElements >> 8 : kMostElements) / size;
    require(fits, "a tensor of shape " + text_of(shape));
    size *= std::max<std::int64_t>(1, d);
  }
  return is_empty ? 0 : size;
}

Shape broadcast_shape(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()), 1);
  std::ranges::copy(a, result.end() - static_cast<std::ptrdiff_t>(a.size()));
  for (std::size_t d = result.size() - b.size(), i = 0; i < b.size(); ++d, ++i) {
    const bool fits = result[d] == b[i] || result[d] == 1 || b[i] == 1;
    require(fits, "shapes " + text_of(a) + " and " + text_of(b) + " do not fit each other");
    if (result[d] == 1) result[d] = b[i];
  }
  return result;
}

std::string text_of(const Shape& shape) {
  std::string text;
  for (std::size_t d = 0; d < std::min<std::size_t>(shape.size(), 32); ++d) text += " " + std::to_string(shape[d]);
  return "[" + text + " ]";
}

bool holds_all_of(int wide, int narrow) {
  using onnx::TensorProto;
  if (wide == narrow || wide == TensorProto::DOUBLE) return true;
  return wide == TensorProto::FLOAT && (narrow == TensorProto::FLOAT16 || narrow == TensorProto::BFLOAT16);
}

void check_finite(const Numbers& numbers) {
  const auto is_finite = [](double v) { return std::isfinite(v); };
  require(std::ranges::all_of(numbers.low, is_finite) && std::ranges::all_of(numbers.high, is_finite),
          "it computes with a constant that is not finite");
}

void Graph::allow(std::int64_t stored) { room_ = std::min(room_ + 16 * stored, kMostElements); }

void Graph::take(std::int64_t elements) {
  room_ -= elements;
  require(room_ >= 0, "its tensors are too large for what the file stores");
}

Value Graph::add(Op op, const Values& arguments, Shape shape) {
  take(size_of(shape));
  if (const auto* affine = std::get_if<Affine>(&op)) check_finite(affine->weights), check_finite(affine->biases);
  Node node{name_, std::move(op), {}, size_of(shape)};
  if (std::ranges::all_of(arguments, &Value::is_known)) {
    return known(std::move(shape), computed(std::move(node), arguments));
  }
  for (const Value& v : arguments) node.arguments.push_back(node_of(v));
  if (node.has_units()) {
    node.tensor = tensor_;
    node.number = units_++;
  }
  network.nodes.push_back(std::move(node));
  return {std::move(shape), nullptr, network.nodes.size() - 1};
}

std::size_t Graph::node_of(const Value& value) {
  if (!value.is_known()) return value.node;
  check_finite(*value.numbers);
  network.nodes.push_back({name_, constant(*value.numbers), {}, size_of(value.shape)});
  return network.nodes.size() - 1;
}

Steps Graph::steps_of(const Shape& shape) {
  take(std::accumulate(shape.begin(), shape.end(), std::int64_t{0}));
  Steps steps(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0; stride *= shape[d]) {
    for (std::int64_t i = 0; i < shape[d]; ++i) steps[d].push_back(i * stride);
  }
  return steps;
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

Value Graph::move(const Values& values, const Integers& source, Shape shape) {
  Value result{std::move(shape), nullptr, 0, values[0].type, values[0].holds};
  Integers ends;  // of the values, in their concatenation
  for (const Value& v : values) {
    ends.push_back(size_of({(ends.empty() ? 0 : ends.back()) + size_of(v.shape)}));
    if (holds_all_of(v.holds, result.holds)) result.holds = v.holds;
    if (!holds_all_of(result.holds, v.holds)) result.holds = 0;
  }
  if (!std::ranges::all_of(values, &Value::is_known)) {
    Affine op{exactly({1.0}), {}, {{}}};  // the first pattern is zero, the others read one element of an argument
    op.is_elementwise = true;
    for (std::size_t j = 0; j < values.size(); ++j) op.patterns.push_back({{std::ssize(op.patterns) - 1, 0, 0, 1}});
    for (const std::int64_t i : source) {
      const auto j = std::ranges::upper_bound(ends, i) - ends.begin();
      op.elements.emplace_back(i < 0 ? 0 : j + 1, i < 0 || j == 0 ? std::max<std::int64_t>(i, 0) : i - ends[at(j - 1)]);
    }
    result.node = add(std::move(op), values, result.shape).node;
    return result;
  }
  std::vector<Interval> all, moved;
  for (const Value& v : values) {
    for (std::size_t i = 0; i < v.numbers->size(); ++i) all.push_back((*v.numbers)[i]);
  }
  for (const std::int64_t i : source) moved.push_back(i < 0 ? Interval() : all[at(i)]);
  result.numbers = std::make_shared<const Numbers>(numbers_of(moved));
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
  const Integers along = std::exchange(steps[at(axis)], {});
  for (const std::int64_t p : positions) steps[at(axis)].push_back(p < 0 ? -1 : along[at(p)]);
  return move(value, steps);
}

Value Graph::transpose(const Value& value, const Integers& permutation) {
  const Steps steps = steps_of(value.shape);
  Steps permuted;
  for (const std::int64_t d : permutation) permuted.push_back(steps[at(d)]);
  return move(value, permuted);
}

Value Graph::concatenate(const Values& values, std::int64_t axis) {
  if (values.size() == 1) return values[0];
  Shape shape = values[0].shape;
  const std::int64_t outer = size_of({shape.begin(), shape.begin() + axis});
  shape[at(axis)] = 0;
  for (const Value& v : values) {
    Shape other = v.shape;
    if (other.size() == shape.size()) other[at(axis)] = shape[at(axis)];
    require(other == shape, "shapes " + text_of(values[0].shape) + " and " + text_of(v.shape) + " in one tensor");
    shape[at(axis)] += v.shape[at(axis)];
  }
  take(size_of(shape));
  Integers source;
  for (std::int64_t o = 0; o < outer; ++o) {
    std::int64_t first = 0;  // element of the value that comes next
    for (const Value& v : values) {
      const std::int64_t size = size_of(v.shape), length = size / outer;
      for (std::int64_t i = 0; i < length; ++i) source.push_back(first + o * length + i);
      first += size;
    }
  }
  return move(values, source, shape);
}

Integers Graph::broadcast_sources(const Shape& from, const Shape& to) {
  Steps steps = steps_of(from);
  steps.insert(steps.begin(), to.size() - steps.size(), {0});
  for (std::size_t d = 0; d < to.size(); ++d) {
    if (steps[d].size() == 1) steps[d].resize(at(to[d]), 0);
  }
  return sources(steps);
}

Value Graph::broadcast(const Value& value, const Shape& shape) {
  if (size_of(shape) == size_of(value.shape)) return reshaped(value, shape);
  return move({value}, broadcast_sources(value.shape, shape), shape);
}

Value Graph::sum(const Values& values, const std::vector<double>& coefficients) {
  Shape shape;
  for (const Value& v : values) shape = broadcast_shape(shape, v.shape);
  Values operands;
  Affine op{exactly(coefficients), {}, {{}}};
  for (const Value& v : values) {
    op.patterns[0].emplace_back(std::ssize(operands), 0, std::ssize(operands), 1);
    operands.push_back(broadcast(v, shape));
  }
  for (std::int64_t i = 0; i < size_of(shape); ++i) op.elements.emplace_back(0, i);
  op.is_elementwise = true;
  return add(std::move(op), operands, shape);
}

Value Graph::scale(const Value& value, const Value& factor, const Numbers& shift) {
  require(factor.is_known(), "not piecewise linear: a factor depends on the input");
  const Shape shape = broadcast_shape(value.shape, factor.shape);
  const Integers from = broadcast_sources(value.shape, shape), by = broadcast_sources(factor.shape, shape);
  Affine op{*factor.numbers, shift, {{{0, 0, 0, 1}}}};
  for (std::size_t i = 0; i < from.size(); ++i) op.elements.emplace_back(0, from[i], by[i], shift.empty() ? -1 : by[i]);
  op.is_elementwise = true;
  return add(std::move(op), {value}, shape);
}

// Known numbers may be infinite here: they may be limits.
Value Graph::negate(const Value& value) {
  if (!value.is_known()) return scale(value, known(-1.0));
  Numbers negated = *value.numbers;
  if (!negated.is_exact()) std::swap(negated.low, negated.high);
  for (double& v : negated.low) v = -v;
  for (double& v : negated.high) v = -v;
  return known(value.shape, std::move(negated));
}

Value Graph::maximum(const Values& values) {
  Shape shape;
  Values variables, limits;  // at most one limit
  for (const Value& v : values) shape = broadcast_shape(shape, v.shape);
  for (const Value& v : values) {
    const Value all = broadcast(v, shape);
    if (!is_limit(v) || limits.empty()) {
      (is_limit(v) ? limits : variables).push_back(all);
      continue;
    }
    Numbers merged = *limits[0].numbers;
    for (std::size_t i = 0; i < merged.size(); ++i) merged.low[i] = larger(merged.low[i], all.numbers->low[i]);
    limits[0] = known(shape, std::move(merged));
  }
  if (variables.empty()) return limits.at(0);
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
  if (limits.empty() || all_are(*limits[0].numbers, -HUGE_VAL)) return result;
  if (all_are(*limits[0].numbers, 0)) return relu(result);
  return sum({relu(sum({result, limits[0]}, {1.0, -1.0})), limits[0]}, {1.0, 1.0});
}

}  // namespace checker
