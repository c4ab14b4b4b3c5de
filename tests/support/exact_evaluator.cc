#include "support/exact_evaluator.h"

#include <algorithm>

#include "support/exact_rules.h"

namespace plumb::testing {
namespace {

using Values = std::vector<ExactInterval>;

const ExactInterval kZero{0, 0};

ExactInterval larger(const ExactInterval& a, const ExactInterval& b) {
  return {std::max(a.low, b.low), std::max(a.high, b.high)};
}

struct Rule : ExactAffineRules<ExactInterval> {
  using ExactAffineRules::operator();

  Values operator()(const network::Relu&) const {
    Values y;
    for (const ExactInterval& v : x()) y.push_back(larger(v, kZero));
    return y;
  }
  Values operator()(const network::Maximum& op) const {
    Values y;
    for (std::int64_t g = 0; g < op.groups(); ++g) {
      const auto first = (*op.offsets)[index(g)], last = (*op.offsets)[index(g + 1)];
      ExactInterval best = x()[index((*op.members)[index(first)])];
      for (std::int64_t m = first + 1; m < last; ++m) best = larger(best, x()[index((*op.members)[index(m)])]);
      y.push_back(best);
    }
    return y;
  }
};

}  // namespace

ExactInterval operator+(const ExactInterval& a, const ExactInterval& b) {
  return {mpq_class(a.low + b.low), mpq_class(a.high + b.high)};
}

ExactInterval operator*(const ExactInterval& a, const ExactInterval& b) {
  const mpq_class products[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  return {*std::min_element(products, products + 4), *std::max_element(products, products + 4)};
}

ExactInterval exact(const network::Coefficients& coefficients, std::int64_t i) {
  const mpq_class value(coefficients[i]);
  const mpq_class radius =
      mpq_class(coefficients.error().relative) * abs(value) + mpq_class(coefficients.error().absolute);
  return {mpq_class(value - radius), mpq_class(value + radius)};
}

std::vector<Values> exact_values(const network::Network& network, const std::vector<mpq_class>& input) {
  Values inputs;
  for (const mpq_class& x : input) inputs.push_back({x, x});
  std::vector<Values> values;
  values.reserve(network.nodes().size());
  for (network::NodeId id = 0; id < network.nodes().size(); ++id) {
    std::vector<const Values*> arguments;
    for (const network::NodeId argument : network.node(id).arguments) arguments.push_back(&values[argument]);
    values.push_back(std::visit(Rule{{network, inputs, std::move(arguments), network.size(id)}}, network.node(id).op));
  }
  return values;
}

std::vector<ExactInterval> exact_outputs(const network::Network& network, const std::vector<mpq_class>& input) {
  const auto values = exact_values(network, input);
  std::vector<ExactInterval> outputs;
  for (const network::NetworkOutput& output : network.outputs()) {
    outputs.insert(outputs.end(), values[output.node].begin(), values[output.node].end());
  }
  return outputs;
}

std::vector<mpq_class> exact_point(const std::vector<double>& point) { return {point.begin(), point.end()}; }

}  // namespace plumb::testing
