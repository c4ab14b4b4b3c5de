#include "onnx/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/numbers.h"
#include "base/rounding.h"
#include "network/op_kind.h"

namespace plumb::onnx {
namespace {

Value ones(tensor::Shape shape) {
  std::vector<double> values(index(tensor::element_count(shape)), 1.0);
  return real_value(std::move(shape), std::move(values));
}

// How a constant that broadcasts to a larger shape varies: the larger shape is outer x channels x inner, and the
// constant depends on the channel alone.
struct Channels {
  tensor::Shape shape;  // the constant's shape once expanded over the channel dimensions
  std::int64_t outer = 1, channels = 1, inner = 1;
};

Channels channels_of(const tensor::Shape& shape, const tensor::Shape& full) {
  const std::size_t missing = full.size() - shape.size();
  Channels result{tensor::Shape(full.size(), 1)};
  std::size_t first = full.size(), last = 0;
  for (std::size_t d = missing; d < full.size(); ++d) {
    if (shape[d - missing] == 1) continue;
    first = std::min(first, d);
    last = d + 1;
  }
  for (std::size_t d = 0; d < full.size(); ++d) {
    if (d < first && first < full.size())
      result.outer *= full[d];
    else if (d < last)
      result.channels *= result.shape[d] = full[d];
    else
      result.inner *= full[d];
  }
  return result;
}

std::vector<double> larger_of(std::span<const double> a, std::span<const double> b) {
  std::vector<double> result(a.size());
  std::transform(a.begin(), a.end(), b.begin(), result.begin(), [](double x, double y) { return std::max(x, y); });
  return result;
}

// max(x, c) is lowered to c + relu(x - c) if |c| is at most this; a larger c becomes an operand of a maximum. After a
// shift by 2^14, float32 keeps three digits of values around 1.
constexpr double kLargestShift = 0x1p14;

double largest_finite(const network::Coefficients& coefficients) {
  double largest = 0;
  for (const double v : coefficients.values()) largest = std::isfinite(v) ? std::max(largest, std::abs(v)) : largest;
  return largest;
}

bool all_equal(const Value& constant, double value) {
  const auto numbers = constant.reals().values();
  return std::all_of(numbers.begin(), numbers.end(), [value](double v) { return v == value; });
}

}  // namespace

tensor::Shape broadcast_shape(const tensor::Shape& a, const tensor::Shape& b) {
  tensor::Shape result(std::max(a.size(), b.size()), 1);
  for (std::size_t d = 0; d < result.size(); ++d) {
    const std::size_t back = result.size() - d;
    const std::int64_t from_a = back <= a.size() ? a[a.size() - back] : 1;
    const std::int64_t from_b = back <= b.size() ? b[b.size() - back] : 1;
    if (from_a != from_b && from_a != 1 && from_b != 1) {
      throw DataError(
          "", fmt::format("shapes {} and {} do not fit each other", tensor::to_string(a), tensor::to_string(b)));
    }
    result[d] = from_a == 1 ? from_b : from_a;
  }
  return result;
}

const network::Coefficients& finite_constant(const Value& value, const char* what) {
  if (!value.is_real()) throw Unsupported{fmt::format("{} must be a real constant", what)};
  const auto numbers = value.reals().values();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!std::isfinite(numbers[i])) {
      throw DataError("", fmt::format("number {} of {} is {}", i, what, numbers[i]), "repair or retrain the network");
    }
  }
  return value.reals();
}

void Graph::begin_node(std::string name, std::string first_output) {
  current_name_ = std::move(name);
  parts_ = 0;
  first_output_ = std::move(first_output);
  unit_nodes_ = 0;
}

Value Graph::add_input(network::NetworkInput input) {
  begin_node(input.name);
  const tensor::Shape shape = input.shape;
  inputs_.push_back(std::move(input));
  return add(network::Input{static_cast<std::int64_t>(inputs_.size()) - 1}, {}, shape);
}

Value Graph::add(network::Op op, std::vector<network::NodeId> arguments, tensor::Shape shape) {
  size_of(shape);
  const std::string name = parts_ == 0 ? current_name_ : fmt::format("{}/{}", current_name_, parts_);
  ++parts_;
  nodes_.push_back({name, std::move(op), std::move(arguments), shape});
  if (has_units(nodes_.back().op) && !first_output_.empty())
    nodes_.back().unit_name = network::UnitNodeName{first_output_, unit_nodes_++};
  return {std::move(shape), nodes_.size() - 1, {}};
}

network::NodeId Graph::as_node(const Value& value) {
  if (value.is_node()) return value.node();
  return add(network::Constant{finite_constant(value, "a constant")}, {}, value.shape).node();
}

void Graph::use_room(std::int64_t elements) {
  room_ -= elements;
  if (room_ < 0) {
    throw DataError("", "the tensors that it makes by moving and repeating are too large for the size of the file");
  }
}

std::vector<std::int64_t> Graph::build_table(const tensor::Shape& shape,
                                             const std::function<std::int64_t(std::span<const std::int64_t>)>& source) {
  const std::int64_t count = size_of(shape);
  use_room(count);
  std::vector<std::int64_t> table, position(shape.size(), 0);
  table.reserve(index(count));
  for (std::int64_t i = 0; i < count; ++i) {
    table.push_back(source(position));
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++position[d] < shape[d]) break;
      position[d] = 0;
    }
  }
  return table;
}

Value Graph::select(std::span<const Value> values, const std::vector<std::int64_t>& table, tensor::Shape shape) {
  size_of(shape);
  if (std::all_of(values.begin(), values.end(), [](const Value& v) { return v.is_integer(); })) {
    std::vector<std::int64_t> all, result;
    for (const Value& v : values) all.insert(all.end(), v.integers().begin(), v.integers().end());
    for (const std::int64_t i : table) result.push_back(i < 0 ? 0 : all[index(i)]);
    return integer_value(std::move(shape), std::move(result));
  }
  if (std::all_of(values.begin(), values.end(), [](const Value& v) { return v.is_real(); })) {
    std::vector<double> all, result;
    network::CoefficientError error;
    for (const Value& v : values) {
      all.insert(all.end(), v.reals().values().begin(), v.reals().values().end());
      error.relative = std::max(error.relative, v.reals().error().relative);
      error.absolute = std::max(error.absolute, v.reals().error().absolute);
    }
    for (const std::int64_t i : table) result.push_back(i < 0 ? 0 : all[index(i)]);
    return real_value(std::move(shape), std::move(result), error);
  }
  std::vector<network::NodeId> arguments;
  std::int64_t total = 0;
  for (const Value& v : values) {
    arguments.push_back(as_node(v));
    total += size_of(v.shape);
  }
  if (total > tensor::kMaxElements) throw DataError("", "the joined tensors are larger than Plumb handles");
  auto source = std::make_shared<std::vector<std::int32_t>>(table.size());
  std::transform(table.begin(), table.end(), source->begin(),
                 [](std::int64_t i) { return static_cast<std::int32_t>(i); });
  return add(network::IndexMap{std::move(source)}, std::move(arguments), std::move(shape));
}

Value Graph::broadcast(const Value& value, const tensor::Shape& shape) {
  if (value.shape == shape) return value;
  size_of(shape);
  if (size_of(value.shape) == size_of(shape)) return {shape, value.content, value.dropped_activation};
  const std::size_t missing = shape.size() - value.shape.size();
  const std::vector<std::int64_t> strides = tensor::strides_of(value.shape);
  const auto table = build_table(shape, [&](std::span<const std::int64_t> position) {
    std::int64_t source = 0;
    for (std::size_t d = 0; d < strides.size(); ++d) {
      if (value.shape[d] != 1) source += position[d + missing] * strides[d];
    }
    return source;
  });
  return select(value, table, shape);
}

Value Graph::transpose(const Value& value, const std::vector<std::int64_t>& permutation) {
  const std::vector<std::int64_t> strides = tensor::strides_of(value.shape);
  tensor::Shape shape;
  for (const std::int64_t d : permutation) shape.push_back(value.shape[index(d)]);
  const auto table = build_table(shape, [&](std::span<const std::int64_t> position) {
    std::int64_t source = 0;
    for (std::size_t d = 0; d < permutation.size(); ++d) source += position[d] * strides[index(permutation[d])];
    return source;
  });
  return select(value, table, shape);
}

Value Graph::scale_and_shift(const Value& value, const Value* scale, const Value* shift) {
  tensor::Shape constant_shape;
  if (scale != nullptr) constant_shape = broadcast_shape(constant_shape, scale->shape);
  if (shift != nullptr) constant_shape = broadcast_shape(constant_shape, shift->shape);
  const tensor::Shape full = broadcast_shape(value.shape, constant_shape);
  const Value x = broadcast(value, full);
  const Channels c = channels_of(constant_shape, full);
  const Value s = broadcast(scale != nullptr ? *scale : ones({}), c.shape);
  network::ScaleShift op{c.outer, c.channels, c.inner, finite_constant(s, "a factor"), {}};
  if (shift != nullptr) op.shift = finite_constant(broadcast(*shift, c.shape), "a summand");
  if (!x.is_real()) return add(std::move(op), {as_node(x)}, full);

  network::Coefficients result = multiply(x.reals(), op.scale, c.inner);
  if (!op.shift.empty()) result = network::add(result, broadcast(*shift, full).reals());
  return {full, std::move(result), {}};
}

Value Graph::weighted_sum(const std::vector<Value>& values, const std::vector<double>& coefficients) {
  std::optional<Value> constant;
  std::vector<network::NodeId> arguments;
  std::vector<double> weights;
  tensor::Shape full;
  for (const Value& v : values) full = broadcast_shape(full, v.shape);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].is_real()) {
      arguments.push_back(as_node(broadcast(values[i], full)));
      weights.push_back(coefficients[i]);
      continue;
    }
    const Value factor = real_value({}, {coefficients[i]});
    const Value term = scale_and_shift(values[i], &factor, nullptr);
    constant = constant ? scale_and_shift(*constant, nullptr, &term) : term;
  }
  if (arguments.empty()) return *constant;
  Value sum{full, arguments[0], {}};
  if (arguments.size() > 1) {
    sum = add(network::Sum{network::Coefficients(weights)}, arguments, full);
    return constant ? scale_and_shift(sum, nullptr, &*constant) : sum;
  }
  const Value factor = real_value({}, {weights[0]});
  return scale_and_shift(sum, &factor, constant ? &*constant : nullptr);
}

Value Graph::negate(const Value& value) { return weighted_sum({value}, {-1.0}); }

Value Graph::relu(const Value& value) {
  if (!value.is_real()) return add(network::Relu{}, {as_node(value)}, value.shape);
  const std::vector<double> zeros(value.reals().values().size(), 0.0);
  const network::CoefficientError& error = value.reals().error();
  const double absolute = loose_sum_up(error.absolute, loose_product_up(error.relative, value.reals().max_abs()));
  return real_value(value.shape, larger_of(value.reals().values(), zeros),
                    error == network::CoefficientError{} ? error : network::CoefficientError{0, absolute});
}

Value Graph::maximum(const std::vector<Value>& values) {
  tensor::Shape full;
  for (const Value& v : values) full = broadcast_shape(full, v.shape);
  std::optional<Value> constant;
  std::vector<Value> variables;
  for (const Value& v : values) {
    if (!v.is_real()) {
      variables.push_back(broadcast(v, full));
      continue;
    }
    // c + relu(x - c) loses the digits of x below those of c, and the error of a rounded c would enter it twice. Such
    // constants are treated like variables.
    if (v.reals().error() != network::CoefficientError{} || largest_finite(v.reals()) > kLargestShift) {
      variables.push_back(broadcast(v, full));
      first_output_.clear();  // certificates name the units of c + relu(x - c), which are others
      continue;
    }
    if (!constant) {
      constant = v;
      continue;
    }
    const tensor::Shape both = broadcast_shape(constant->shape, v.shape);
    constant =
        real_value(both, larger_of(broadcast(*constant, both).reals().values(), broadcast(v, both).reals().values()));
  }
  if (variables.empty()) return broadcast(*constant, full);
  Value result = variables[0];
  if (variables.size() > 1) {
    const std::int64_t n = size_of(full), k = static_cast<std::int64_t>(variables.size());
    use_room(n * k);
    std::vector<std::int64_t> table(index(n * k));
    std::iota(table.begin(), table.end(), 0);
    std::vector<std::vector<std::int64_t>> groups(index(n));
    for (std::int64_t i = 0; i < n * k; ++i) groups[index(i % n)].push_back(i);
    result = maximum_of_groups(select(variables, table, {n * k}), groups, full);
  }
  if (!constant || all_equal(*constant, -kInfinity)) return result;
  // max(x, c) = c + relu(x - c)
  const Value lowered = all_equal(*constant, 0) ? result : weighted_sum({result, *constant}, {1, -1});
  const Value positive = relu(lowered);
  if (all_equal(*constant, 0)) return positive;
  const Value limit = constant->reals().size() == 1 ? *constant : broadcast(*constant, full);
  return with_direct_form(weighted_sum({positive, *constant}, {1, 1}), result, network::LowerLimitForm{limit.reals()});
}

// slope x + (1 - slope) relu(x).
Value Graph::leaky(const Value& value, const Value& slope) {
  const Value one = real_value({}, {1.0});
  const Value rest = weighted_sum({one, slope}, {1.0, -1.0});
  const Value below = scale_and_shift(value, &slope, nullptr);
  const Value positive = relu(value);
  const Value sum = weighted_sum({below, scale_and_shift(positive, &rest, nullptr)}, {1.0, 1.0});
  const Value slopes = slope.reals().size() == 1 ? slope : broadcast(slope, value.shape);
  return with_direct_form(sum, value, network::LeakyForm{slopes.reals()});
}

// 2 relu(x) - x.
Value Graph::absolute(const Value& value) {
  const Value sum = weighted_sum({relu(value), value}, {2.0, -1.0});
  return with_direct_form(sum, value, network::LeakyForm{network::Coefficients({-1.0})});
}

Value Graph::with_direct_form(const Value& value, const Value& argument, network::Activation activation) {
  if (value.is_node()) nodes_[value.node()].direct = network::DirectForm{as_node(argument), std::move(activation)};
  return value;
}

Value Graph::maximum_of_groups(const Value& value, const std::vector<std::vector<std::int64_t>>& groups,
                               tensor::Shape shape) {
  auto offsets = std::make_shared<std::vector<std::int64_t>>(1, 0);
  auto members = std::make_shared<std::vector<std::int32_t>>();
  for (const auto& group : groups) {
    for (const std::int64_t member : group) members->push_back(static_cast<std::int32_t>(member));
    offsets->push_back(static_cast<std::int64_t>(members->size()));
  }
  return add(network::Maximum{std::move(offsets), std::move(members)}, {as_node(value)}, std::move(shape));
}

Value Graph::dense(const Value& x, std::int64_t outputs, network::Coefficients weight, network::Coefficients bias) {
  const std::int64_t inputs = x.shape.back();
  tensor::Shape shape = x.shape;
  shape.back() = outputs;
  const std::int64_t rows = std::accumulate(shape.begin(), shape.end() - 1, std::int64_t{1}, std::multiplies<>());
  return add(network::Dense{rows, inputs, outputs, std::move(weight), std::move(bias)}, {as_node(x)}, std::move(shape));
}

}  // namespace plumb::onnx
