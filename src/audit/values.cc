#include "audit/values.h"

#include <algorithm>

#include "audit/layers.h"
#include "base/numbers.h"
#include "network/op_kind.h"

namespace plumb::audit {
namespace {

Interval largest(Interval a, const Interval& b) { return {std::max(a.low, b.low), std::max(a.high, b.high)}; }

struct ElementValue {
  const network::Network& network;
  network::NodeId id;
  std::int64_t element;
  std::span<const Interval> inputs;
  const Known& known;

  Interval argument(std::size_t a, std::int64_t i) const { return known(network.node(id).arguments[a], i); }

  Interval operator()(const network::Input& op) const {
    return inputs[index(network.input_offset(op.index) + element)];
  }
  Interval operator()(const network::Relu&) const { return largest(argument(0, element), 0.0); }
  Interval operator()(const network::Maximum& op) const {
    Interval most = -kInfinity;
    for (const std::int32_t m : op.group(element)) most = largest(most, argument(0, m));
    return most;
  }
  Interval operator()(const network::AffineOp auto&) const {
    Interval sum;
    const Interval constant =
        for_each_term(network, id, element,
                      [&](std::size_t a, std::int64_t i, const Interval& w) { sum = sum + argument(a, i) * w; });
    return sum + constant;
  }
};

Interval dot(std::span<const double> coefficients, std::span<const Interval> values) {
  Interval sum;
  for (std::size_t i = 0; i < coefficients.size(); ++i) sum = sum + values[i] * Interval(coefficients[i]);
  return sum;
}

}  // namespace

std::vector<Interval> values_of(const network::Network& network, network::NodeId id, std::span<const Interval> inputs,
                                const Known& known) {
  std::vector<Interval> values;
  for (std::int64_t i = 0; i < network.size(id); ++i) {
    values.push_back(std::visit(ElementValue{network, id, i, inputs, known}, network.node(id).op));
  }
  return values;
}

bool may_be_unsafe(const property::Query& query, std::span<const Interval> input) {
  std::vector<std::vector<Interval>> values;
  for (network::NodeId id = 0; id < query.network->nodes().size(); ++id) {
    values.push_back(values_of(*query.network, id, input,
                               [&](network::NodeId of, std::int64_t element) { return values[of][index(element)]; }));
  }
  std::vector<Interval> outputs;
  for (const network::NetworkOutput& output : query.network->outputs()) {
    outputs.insert(outputs.end(), values[output.node].begin(), values[output.node].end());
  }
  const auto may_hold = [&](const property::OutputInequality& inequality) {
    const Interval value = dot(inequality.outputs, outputs) + dot(inequality.inputs, input);
    return inequality.strict ? value.low < inequality.bound : value.low <= inequality.bound;
  };
  return std::ranges::any_of(query.unsafe.conjunctions, [&](const property::Conjunction& conjunction) {
    return std::ranges::all_of(conjunction, may_hold);
  });
}

}  // namespace plumb::audit
