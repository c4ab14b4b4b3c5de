#include "audit/values.h"

#include <algorithm>

#include "audit/layers.h"
#include "base/numbers.h"

namespace plumb::audit {
namespace {

Interval largest(Interval a, const Interval& b) { return {std::max(a.low, b.low), std::max(a.high, b.high)}; }

Interval dot(std::span<const double> coefficients, std::span<const Interval> values) {
  Interval sum;
  for (std::size_t i = 0; i < coefficients.size(); ++i) sum = sum + values[i] * Interval(coefficients[i]);
  return sum;
}

}  // namespace

std::span<const std::int32_t> members_of(const network::Maximum& maximum, std::int64_t element) {
  const auto first = index((*maximum.offsets)[index(element)]), last = index((*maximum.offsets)[index(element + 1)]);
  return std::span<const std::int32_t>(*maximum.members).subspan(first, last - first);
}

std::vector<Interval> values_of(const network::Network& network, network::NodeId id, std::span<const Interval> inputs,
                                const Known& known) {
  const network::Node& node = network.node(id);
  Interval sum;
  const VisitTerm add_term = [&](std::size_t a, std::int64_t element, const Interval& w) {
    sum = sum + known(node.arguments[a], element) * w;
  };
  std::vector<Interval> values;
  for (std::int64_t i = 0; i < network.size(id); ++i) {
    if (const auto* input = std::get_if<network::Input>(&node.op)) {
      values.push_back(inputs[index(network.input_offset(input->index) + i)]);
    } else if (std::holds_alternative<network::Relu>(node.op)) {
      values.push_back(largest(known(node.arguments[0], i), 0.0));
    } else if (const auto* maximum = std::get_if<network::Maximum>(&node.op)) {
      Interval most = -kInfinity;
      for (const std::int32_t m : members_of(*maximum, i)) most = largest(most, known(node.arguments[0], m));
      values.push_back(most);
    } else {
      sum = 0;
      const Interval constant = for_each_term(network, id, i, add_term);
      values.push_back(sum + constant);
    }
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
