// The import rule for Cast. A cast that rounds is not piecewise linear, so a value of the network may only be cast to
// types that hold all its numbers. Constants are rounded here, as at run time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/rounding.h"
#include "onnx/element_type.h"
#include "onnx/node.h"

namespace plumb::onnx {
namespace {

std::vector<Value> cast_node(const Value& x, int target) {
  if (!is_float_type(target)) throw Unsupported{"not piecewise linear: rounds to integers"};
  if (!holds_all_of(target, x.exact_in)) {
    throw Unsupported{
        fmt::format("not piecewise linear: rounds values of type {} to {} (export the network in one type)",
                    name_of_type(x.exact_in), name_of_type(target))};
  }
  Value result = x;
  result.type = target;
  return {result};
}

// Rounds constants to a type. If they are known only up to an error, the error of the result covers every number that
// the true constants may be rounded to.
network::Coefficients rounded(const network::Coefficients& numbers, int target) {
  std::vector<double> values(numbers.values().begin(), numbers.values().end());
  const network::CoefficientError& error = numbers.error();
  double absolute = 0;
  for (double& v : values) {
    const double middle = rounded_to(target, v);
    if (error != network::CoefficientError{}) {
      const double reach = loose_sum_up(error.absolute, loose_product_up(error.relative, std::abs(v)));
      // Rounding is monotone: all true values round to numbers between low and high.
      const double low = rounded_to(target, sum_down(v, -reach)), high = rounded_to(target, sum_up(v, reach));
      absolute = std::max({absolute, sum_up(high, -middle), sum_up(middle, -low)});
    }
    v = middle;
  }
  if (!std::isfinite(absolute)) throw DataError("", fmt::format("a constant does not fit {}", name_of_type(target)));
  return network::Coefficients(std::move(values), network::CoefficientError{0, absolute});
}

double as_float(std::int64_t v, int target) {
  return target == ::onnx::TensorProto::DOUBLE ? static_cast<double>(v)
                                               : rounded_to(target, static_cast<double>(static_cast<float>(v)));
}

std::vector<Value> cast_to_float(const Value& x, int target) {
  Value result = x;
  result.type = target;
  if (x.is_integer()) {
    std::vector<double> values;
    for (const std::int64_t v : x.integers()) values.push_back(as_float(v, target));
    result.content = network::Coefficients(std::move(values));
    result.exact_in = target;
  } else if (!holds_all_of(target, x.exact_in)) {
    result.content = rounded(x.reals(), target);
    result.exact_in = target;
  }
  return {result};
}

std::int64_t as_integer(double v) {
  if (!(std::abs(v) < 0x1p62)) throw DataError("", fmt::format("{} does not fit an integer", v));
  return static_cast<std::int64_t>(v);
}

std::vector<Value> cast_to_integer(const Value& x, int target) {
  const bool to_truth = target == ::onnx::TensorProto::BOOL;
  std::vector<std::int64_t> result;
  if (x.is_integer()) {
    for (const std::int64_t v : x.integers()) result.push_back(to_truth ? v != 0 : v);
  } else {
    // A number with an error may lie on either side of an integer.
    if (x.reals().error() != network::CoefficientError{})
      throw Unsupported{"integers from constants that were rounded"};
    for (const double v : x.reals().values()) result.push_back(to_truth ? v != 0 : as_integer(v));
  }
  Value integers = integer_value(x.shape, std::move(result));
  integers.type = target;
  return {integers};
}

std::vector<Value> import_cast(OnnxNode& node) {
  const Value& x = node.input(0);
  const auto target = static_cast<int>(node.integer("to", 0));
  if (x.is_node()) return cast_node(x, target);
  if (is_float_type(target)) return cast_to_float(x, target);
  if (is_integer_type(target)) return cast_to_integer(x, target);
  throw Unsupported{fmt::format("Plumb does not read values of type {}", name_of_type(target))};
}

}  // namespace

const RuleTable& cast_rules() {
  static const RuleTable rules{
      {"Cast", import_cast, {{6, "T1 -> T2", "to:int!"}, {19, "T1 -> T2", "saturate:int to:int!"}}}};
  return rules;
}

}  // namespace plumb::onnx
