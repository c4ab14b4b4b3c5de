#include "vnnlib/joined_networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "network/op_kind.h"
#include "vnnlib/fit.h"

namespace plumb::vnnlib {
namespace {

void check_isomorphic(const Script& script, const std::vector<network::Network>& networks, const std::string& name) {
  for (std::size_t n = 0; n < networks.size(); ++n) {
    const DeclaredNetwork& declared = script.networks[n];
    if (!declared.isomorphic_to) continue;
    const auto other = std::ranges::find(script.networks, *declared.isomorphic_to, &DeclaredNetwork::name);
    const network::Network& to = networks[static_cast<std::size_t>(other - script.networks.begin())];
    const auto same = [](const network::NetworkInput& a, const network::NetworkInput& b) { return a.shape == b.shape; };
    if (std::ranges::equal(to.inputs(), networks[n].inputs(), same)) continue;
    fail(name, declared.at, fmt::format("{} is not isomorphic to {}: their inputs differ", declared.name, other->name));
  }
}

using Pairs = std::set<std::pair<std::int64_t, std::int64_t>>;

// Collects the pairs (a, b) of inputs for which a <= b is asserted.
void find_orders(const Formula& formula, Pairs& orders) {
  if (formula.kind == Formula::Kind::kAnd) {
    for (const Formula& part : formula.parts) find_orders(part, orders);
  }
  const auto& [terms, constant] = formula.comparison.form;
  if (formula.kind != Formula::Kind::kComparison || terms.size() != 2 || !constant.is_zero()) return;
  if (terms[0].variable.output || terms[1].variable.output) return;
  if (!(terms[0].coefficient + terms[1].coefficient).is_zero()) return;
  const bool first_is_less = !terms[0].coefficient.is_negative();
  orders.emplace(terms[first_is_less ? 0 : 1].variable.index, terms[first_is_less ? 1 : 0].variable.index);
}

bool equal(const Tensor& a, const Tensor& b, const Pairs& orders) {
  const std::int64_t elements = tensor::element_count(a.shape);
  if (elements != tensor::element_count(b.shape)) return false;
  for (std::int64_t i = 0; i < elements; ++i) {
    if (!orders.contains({a.first + i, b.first + i}) || !orders.contains({b.first + i, a.first + i})) return false;
  }
  return true;
}

// Moves every input to its place. Coefficients of inputs that share a place are added up.
void move_inputs(Formula& formula, const std::vector<std::int64_t>& places) {
  for (Formula& part : formula.parts) move_inputs(part, places);
  std::map<Variable, Decimal> moved;
  for (Term& term : formula.comparison.form.terms) {
    Variable variable = term.variable;
    if (!variable.output) variable.index = places[static_cast<std::size_t>(variable.index)];
    Decimal& coefficient = moved[variable];
    coefficient = coefficient + term.coefficient;
  }
  formula.comparison.form.terms.clear();
  for (auto& [variable, coefficient] : moved) {
    if (!coefficient.is_zero()) formula.comparison.form.terms.push_back({variable, std::move(coefficient)});
  }
}

class Joining {
 public:
  explicit Joining(Script& script) : script_(script) { find_orders(script.assertions, orders_); }

  void add(const DeclaredNetwork& declared, const network::Network& network) {
    std::vector<network::NodeId> ids;
    for (const network::Node& node : network.nodes()) {
      if (const network::Input* input = as_input(node.op)) {
        const auto i = static_cast<std::size_t>(input->index);
        ids.push_back(input_node(declared.inputs[i], network.inputs()[i], node));
        continue;
      }
      network::Node copy = node;
      copy.name = declared.name + "." + node.name;
      for (network::NodeId& argument : copy.arguments) argument = ids[argument];
      if (copy.direct) copy.direct->argument = ids[copy.direct->argument];
      ids.push_back(nodes_.size());
      nodes_.push_back(std::move(copy));
    }
    for (network::NetworkOutput output : network.outputs()) {
      output.name = declared.name + "." + output.name;
      output.node = ids[output.node];
      outputs_.push_back(std::move(output));
    }
  }

  network::Network finish(std::int64_t opset, std::shared_ptr<const network::Network> stored) {
    move_inputs(script_.assertions, script_.input_places);
    script_.inputs = elements_;
    return network::Network(std::move(nodes_), std::move(inputs_), std::move(outputs_), opset, std::move(stored));
  }

 private:
  // Returns a new node, or the node of an earlier input that is asserted to be equal.
  network::NodeId input_node(const Tensor& tensor, const network::NetworkInput& input, const network::Node& node) {
    const auto twin = std::ranges::find_if(tensors_, [&](const auto& earlier) {
      return equal(earlier.tensor, tensor, orders_) && earlier.type == input.type;
    });
    const bool shared = twin != tensors_.end();
    const std::int64_t first = shared ? twin->place : elements_;
    const std::int64_t count = tensor::element_count(tensor.shape);
    script_.input_places.resize(std::max(script_.input_places.size(), static_cast<std::size_t>(tensor.first + count)));
    for (std::int64_t i = 0; i < count; ++i)
      script_.input_places[static_cast<std::size_t>(tensor.first + i)] = first + i;
    if (shared) return twin->node;
    tensors_.push_back({tensor, input.type, first, nodes_.size()});
    network::Node copy = node;
    copy.op = network::Input{static_cast<std::int64_t>(inputs_.size())};
    nodes_.push_back(std::move(copy));
    inputs_.push_back(input);
    elements_ += count;
    return nodes_.size() - 1;
  }

  struct Placed {
    Tensor tensor;
    network::ElementType type;
    std::int64_t place;  // of its first element
    network::NodeId node;
  };

  Script& script_;
  Pairs orders_;
  std::vector<Placed> tensors_;
  std::vector<network::Node> nodes_;
  std::vector<network::NetworkInput> inputs_;
  std::vector<network::NetworkOutput> outputs_;
  std::int64_t elements_ = 0;
};

}  // namespace

JoinedNetwork join_networks(Script& script, std::vector<network::Network> networks, const std::string& name) {
  std::vector<std::string> notices;
  if (networks.size() == 1) return {std::move(networks[0]), std::move(notices)};  // lower_vnnlib() checks the fit
  for (std::size_t n = 0; n < networks.size(); ++n) {
    std::ranges::move(check_fit(script.networks[n], networks[n], name), std::back_inserter(notices));
  }
  check_isomorphic(script, networks, name);
  Script same_script = script;
  Joining stored(same_script), joining(script);
  for (std::size_t n = 0; n < networks.size(); ++n) {
    stored.add(script.networks[n], networks[n].stored() ? *networks[n].stored() : networks[n]);
    joining.add(script.networks[n], networks[n]);
  }
  const std::int64_t opset = networks[0].opset();
  auto as_stored = std::make_shared<const network::Network>(stored.finish(opset, nullptr));
  return {joining.finish(opset, std::move(as_stored)), std::move(notices)};
}

}  // namespace plumb::vnnlib
