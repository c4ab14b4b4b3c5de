// values.h: what the operations compute, forwards for values and backwards for linear functionals.
//
// N is a number with an enclosure: Interval, or another type with the same operations (construction from a double,
// N::between(low, high), +, -, * and larger()).
//
// Sound: whatever numbers the inputs and the weights stand for, every value of the network is within its enclosure.
#pragma once

#include "network.h"

namespace checker {

template <class N>
N number(const Numbers& numbers, std::size_t i) {
  return numbers.is_exact() ? N(numbers.low[i]) : N::between(numbers.low[i], numbers.high[i]);
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

// sum_k += v * weight_k
template <class N>
void add_products(N* sum, const N& v, const Numbers& weights, std::size_t first, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) sum[k] = sum[k] + v * number<N>(weights, first + k);
}
inline void add_products(Interval* sum, const Interval& v, const Numbers& weights, std::size_t first,
                         std::size_t count) {
  if (!weights.is_exact() || !v.is_finite()) return add_products<Interval>(sum, v, weights, first, count);
  const double* w = weights.low.data() + first;
  const double low = v.low(), high = v.high;
  for (std::size_t k = 0; k < count; ++k) {
    sum[k].minus_low += larger(-low * w[k], -high * w[k]);
    sum[k].high += larger(low * w[k], high * w[k]);
  }
}

// The value of an element. `values` are those of the network's nodes.
template <class N>
N affine_value(const Node& node, const Affine& op, const Affine::Element& element,
               const std::vector<std::vector<N>>& values) {
  N sum = element.bias < 0 ? N(0.0) : number<N>(op.biases, at(element.bias));
  for (const Affine::Run& run : op.patterns[at(element.pattern)]) {
    const N* x = values[node.arguments[at(run.argument)]].data() + element.source + run.source;
    const std::size_t first = at(element.weight + run.weight), count = at(run.count);
    if (op.weights.is_exact()) {
      const double* w = op.weights.low.data() + first;
      for (std::size_t k = 0; k < count; ++k) sum = sum + scaled(w[k], x[k]);
    } else {
      for (std::size_t k = 0; k < count; ++k) sum = sum + number<N>(op.weights, first + k) * x[k];
    }
  }
  return sum;
}

// Replaces v times an element by what defines it: adds to rows[argument], coefficients of the arguments' elements, and
// to a constant.
template <class N, class Rows>
void pull_back(const Node& node, const Affine& op, std::size_t i, const N& v, Rows& rows, N& constant) {
  const Affine::Element& element = op.elements[i];
  for (const Affine::Run& run : op.patterns[at(element.pattern)]) {
    add_products(rows[node.arguments[at(run.argument)]].data() + element.source + run.source, v, op.weights,
                 at(element.weight + run.weight), at(run.count));
  }
  if (element.bias >= 0) constant = constant + v * number<N>(op.biases, at(element.bias));
}

// The values of a node. `values` has those of its arguments; `inputs` are all inputs of the network, one after another.
template <class N>
std::vector<N> value_of_node(const Node& node, const std::vector<std::vector<N>>& values,
                             const std::vector<N>& inputs) {
  std::vector<N> result;
  result.reserve(at(node.size));
  if (const auto* input = std::get_if<Input>(&node.op)) {
    result.assign(inputs.begin() + input->offset, inputs.begin() + input->offset + node.size);
  } else if (std::holds_alternative<Relu>(node.op)) {
    for (const N& x : values[node.arguments[0]]) result.push_back(larger(x, N(0.0)));
  } else if (const auto* maximum = std::get_if<Maximum>(&node.op)) {
    const std::vector<N>& x = values[node.arguments[0]];
    for (std::size_t i = 0; i + 1 < maximum->offsets.size(); ++i) {
      N largest = x[at(maximum->members[at(maximum->offsets[i])])];
      for (std::int64_t m = maximum->offsets[i] + 1; m < maximum->offsets[i + 1]; ++m)
        largest = larger(largest, x[at(maximum->members[at(m)])]);
      result.push_back(largest);
    }
  } else {
    const auto& op = std::get<Affine>(node.op);
    for (const Affine::Element& element : op.elements) result.push_back(affine_value(node, op, element, values));
  }
  return result;
}

// The values of all nodes.
template <class N>
std::vector<std::vector<N>> values_of(const Network& network, const std::vector<N>& inputs) {
  std::vector<std::vector<N>> values;
  values.reserve(network.nodes.size());
  for (const Node& node : network.nodes) values.push_back(value_of_node(node, values, inputs));
  return values;
}

}  // namespace checker
