// values.h: the values of a network's nodes at a point or over a box of inputs.
//
// N is a number with an enclosure: Interval, or another type with the same operations (construction from a double,
// N::between(low, high), +, -, * and larger()).
//
// Sound: whatever numbers the inputs and the weights stand for, every value of the network is within its enclosure.
#pragma once

#include "terms.h"

namespace checker {

// Encloses the larger of two numbers.
inline Interval larger(const Interval& a, const Interval& b) {
  return Interval::between(larger(a.low(), b.low()), larger(a.high, b.high));
}

template <class N>
N number(const Numbers& numbers, std::int64_t i) {
  const auto at = static_cast<std::size_t>(i);
  return numbers.is_exact() ? N(numbers.low[at]) : N::between(numbers.low[at], numbers.high[at]);
}

// w x. Of an interval, two products suffice.
template <class N>
N scaled(double w, const N& x) {
  return N(w) * x;
}
inline Interval scaled(double w, const Interval& x) {
  if (w == 0) return 0.0;  // also if an end of x is infinite
  return w > 0 ? Interval::between(-(w * x.minus_low), w * x.high)
               : Interval::between(-(-w * x.high), -w * x.minus_low);
}

// The value of one affine element.
template <class N>
N affine_value(const Network& network, const Node& node, std::int64_t element,
               const std::vector<std::vector<N>>& values) {
  const Bias bias = bias_of(node, element);
  N sum = bias.numbers == nullptr ? N(0.0) : number<N>(*bias.numbers, bias.index);
  for_each_run(
      network, node, element,
      [&](std::size_t argument, std::int64_t first, const Numbers& weights, std::int64_t weight, std::int64_t count) {
        const N* x = values[node.arguments[argument]].data() + first;
        if (weights.is_exact()) {
          const double* w = weights.low.data() + weight;
          for (std::int64_t k = 0; k < count; ++k) sum = sum + scaled(w[k], x[k]);
        } else {
          for (std::int64_t k = 0; k < count; ++k) sum = sum + number<N>(weights, weight + k) * x[k];
        }
      });
  return sum;
}

// The value of a node. `values` has those of its arguments; `inputs` are all inputs of the network, one after another.
template <class N>
std::vector<N> value_of_node(const Network& network, const Node& node, const std::vector<std::vector<N>>& values,
                             const std::vector<N>& inputs) {
  std::vector<N> result;
  result.reserve(static_cast<std::size_t>(node.size));
  if (const auto* input = std::get_if<Input>(&node.op)) {
    result.assign(inputs.begin() + input->offset, inputs.begin() + input->offset + node.size);
  } else if (std::holds_alternative<Relu>(node.op)) {
    for (const N& x : values[node.arguments[0]]) result.push_back(larger(x, N(0.0)));
  } else if (const auto* maximum = std::get_if<Maximum>(&node.op)) {
    const std::vector<N>& x = values[node.arguments[0]];
    for (std::size_t i = 0; i + 1 < maximum->offsets.size(); ++i) {
      const auto first = static_cast<std::size_t>(maximum->offsets[i]);
      const auto last = static_cast<std::size_t>(maximum->offsets[i + 1]);
      N largest = x[static_cast<std::size_t>(maximum->members[first])];
      for (std::size_t m = first + 1; m < last; ++m) {
        largest = larger(largest, x[static_cast<std::size_t>(maximum->members[m])]);
      }
      result.push_back(largest);
    }
  } else {
    for (std::int64_t i = 0; i < node.size; ++i) result.push_back(affine_value(network, node, i, values));
  }
  return result;
}

// The values of all nodes.
template <class N>
std::vector<std::vector<N>> values_of(const Network& network, const std::vector<N>& inputs) {
  std::vector<std::vector<N>> values;
  values.reserve(network.nodes.size());
  for (const Node& node : network.nodes) values.push_back(value_of_node(network, node, values, inputs));
  return values;
}

}  // namespace checker
