// layered.cc: the network's own layers as a program, element by element, as in Tjeng et al., section 4.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/numbers.h"
#include "base/overloaded.h"
#include "base/rounding.h"
#include "milp/encoding/affine_rows.h"
#include "milp/encoding/encoded_network.h"
#include "milp/encoding/maximum.h"

namespace plumb::milp {
namespace {

// What stands for an element of a node in the program: a variable, or a number.
struct Value {
  std::optional<program::VariableId> variable;
  double number = 0;
};

class LayeredEncoder {
 public:
  LayeredEncoder(const bounds::RegionBounds& bounds, const EncodingOptions& options)
      : bounds_(bounds), network_(bounds.network->network()), options_(options), values_(network_.nodes().size()) {
    for (network::NodeId id = 0; id < values_.size(); ++id) values_[id].resize(index(network_.size(id)));
  }

  EncodedNetwork run(const bounds::Functionals& functionals) {
    add_inputs();
    for (std::int64_t f = 0; f < functionals.count; ++f) result_.functionals.push_back(functional(functionals, f));
    return std::move(result_);
  }

  EncodedNetwork run(network::NodeId node, std::span<const std::int64_t> elements) {
    add_inputs();
    for (const std::int64_t element : elements) {
      Expression expression;
      add_product(expression, 1, value(node, element));
      result_.functionals.push_back(std::move(expression));
    }
    return std::move(result_);
  }

 private:
  program::Program& program() { return result_.program; }

  // Adds x, and for an affine image also z with x = offset + G z.
  void add_inputs() {
    if (bounds_.parts.size() != 1) throw InternalError("layered encoding", "its region is a union");
    const property::Box& box = bounds_.inputs;
    for (std::size_t j = 0; j < box.size(); ++j) {
      inputs_.push_back(program().add_variable(box.lower[j], box.upper[j], fmt::format("x{}", j)));
    }
    const auto add_coordinates = [&] {
      for (const program::VariableId x : inputs_) result_.coordinates.push_back(expression_of(x));
    };
    std::visit(
        Overloaded{[&](const property::Box&) { add_coordinates(); }, [&](const property::Ball&) { add_coordinates(); },
                   [&](const property::AffineImage& image) { add_parameters(image); },
                   [&](const property::Polytope&) { add_coordinates(); }},
        bounds_.parts[0]);
  }

  void add_parameters(const property::AffineImage& image) {
    const std::size_t parameters = image.parameters.size();
    for (std::size_t p = 0; p < parameters; ++p) {
      result_.coordinates.push_back(expression_of(
          program().add_variable(image.parameters.lower[p], image.parameters.upper[p], fmt::format("z{}", p))));
    }
    for (std::size_t j = 0; j < inputs_.size(); ++j) {
      Expression x = expression_of(inputs_[j]);
      for (std::size_t p = 0; p < parameters; ++p) {
        x.terms.push_back({result_.coordinates[p]->terms[0].variable, -image.generator[j * parameters + p]});
      }
      add_between(program(), image.offset[j], x, {}, image.offset[j]);
    }
  }

  // Adds weight * value to the sum. A value that is a number goes into the constant.
  void add_product(Expression& sum, double weight, const Value& value) {
    if (weight == 0) return;
    if (value.variable) {
      sum.terms.push_back({*value.variable, weight});
      return;
    }
    const double low = sum_down(sum.constant, product_down(weight, value.number));
    const double high = sum_up(sum.constant, product_up(weight, value.number));
    sum.error = sum_up(sum.error, sum_up(high, -low));
    sum.constant = low;
  }

  Expression functional(const bounds::Functionals& functionals, std::int64_t f) {
    Expression sum;
    if (!functionals.constants.empty()) sum.constant = functionals.constants[index(f)];
    if (!functionals.errors.empty()) sum.error = functionals.errors[index(f)];
    for (const auto& [id, block] : functionals.rows) {
      const double* row = block.row(f);
      block.for_each_run([&, node = id](std::int64_t in_row, std::int64_t in_value, std::int64_t length) {
        for (std::int64_t i = 0; i < length; ++i) {
          if (row[in_row + i] != 0) add_product(sum, row[in_row + i], value(node, in_value + i));
        }
      });
    }
    combine_terms(program(), sum, options_.ignored_coefficient);
    return sum;
  }

  double lower(network::NodeId id, std::int64_t i) const { return bounds_.store.lower(id)[index(i)]; }
  double upper(network::NodeId id, std::int64_t i) const { return bounds_.store.upper(id)[index(i)]; }
  std::string name(network::NodeId id, std::int64_t i) const { return fmt::format("{}_{}", network_.node(id).name, i); }

  // Encodes the element when it is first needed, so that elements on which no functional depends are left out.
  Value value(network::NodeId id, std::int64_t i) {
    std::optional<Value>& known = values_[id][index(i)];
    if (!known) {
      const Value made = lower(id, i) == upper(id, i) ? Value{{}, lower(id, i)} : made_value(id, i);
      values_[id][index(i)] = made;
      return made;
    }
    return *known;
  }

  Value made_value(network::NodeId id, std::int64_t i) {
    const network::Node& node = network_.node(id);
    return std::visit(
        Overloaded{
            [&](const network::Input& op) { return Value{inputs_[index(network_.input_offset(op.index) + i)]}; },
            [&](const network::Constant&) { return Value{free_variable(id, i)}; },
            [&](const network::IndexMap& op) { return moved(node, (*op.source)[index(i)]); },
            [&](const network::Relu&) { return relu(id, i); },
            [&](const network::Maximum& op) { return maximum(id, op, i); },
            [&](const network::Dense&) { return affine(id, i); },
            [&](const network::Convolution&) { return affine(id, i); },
            [&](const network::TransposedConvolution&) { return affine(id, i); },
            [&](const network::ScaleShift&) { return affine(id, i); },
            [&](const network::Sum&) { return affine(id, i); },
        },
        node.op);
  }

  program::VariableId free_variable(network::NodeId id, std::int64_t i) {
    return program().add_variable(lower(id, i), upper(id, i), name(id, i));
  }

  Value moved(const network::Node& node, std::int64_t source) {
    if (source < 0) return {};
    const network::Located from =
        network::locate(source, [&](std::size_t a) { return network_.size(node.arguments[a]); });
    return value(node.arguments[from.argument], from.position);
  }

  // y = W x + b, up to what the errors of the stored coefficients can change.
  Value affine(network::NodeId id, std::int64_t i) {
    const AffineRow row = affine_row(network_, id, i);
    Expression sum{{}, row.bias, bounds_.scale[id].slack.empty() ? 0.0 : bounds_.scale[id].slack[index(i)]};
    for (const Weight& weight : row.weights) add_product(sum, weight.value, value(weight.node, weight.element));
    combine_terms(program(), sum, options_.ignored_coefficient);
    const program::VariableId y = free_variable(id, i);
    const program::Term minus_y{y, -1};
    defined_by_.emplace(y, add_between(program(), 0, sum, {&minus_y, 1}, 0));
    return {y};
  }

  Value relu(network::NodeId id, std::int64_t i) {
    const network::NodeId argument = network_.node(id).arguments[0];
    const double l = lower(argument, i), u = upper(argument, i);
    if (bounds::stability(l, u) == bounds::Stability::kInactive) return {};
    const Value x = value(argument, i);
    if (bounds::stability(l, u) == bounds::Stability::kActive) return x;
    if (!x.variable) return {{}, std::max(x.number, 0.0)};
    const auto [y, a] = add_relu(program(), expression_of(*x.variable), l, u, options_.big_m, name(id, i));
    if (const auto row = defined_by_.find(*x.variable); row != defined_by_.end()) {
      result_.units.push_back({row->second, *x.variable, y, a});
    }
    return {y};
  }

  Value maximum(network::NodeId id, const network::Maximum& op, std::int64_t i) {
    const network::NodeId argument = network_.node(id).arguments[0];
    const std::span<const std::int32_t> group = op.group(i);
    std::vector<std::int64_t> winners =
        bounds::possible_winners(group, bounds_.store.lower(argument), bounds_.store.upper(argument));
    if (winners.size() == 1) return value(argument, winners[0]);
    // The program has them in the network's order, without the leader in front.
    std::ranges::sort(winners, {}, [&](std::int64_t m) { return std::ranges::find(group, m) - group.begin(); });
    std::vector<Member> members;
    for (const std::int64_t m : winners) {
      const Value x = value(argument, m);
      members.push_back({x.variable ? expression_of(*x.variable) : Expression{{}, x.number, 0}, lower(argument, m),
                         upper(argument, m)});
    }
    return {add_maximum(program(), members, name(id, i)).value};
  }

  const bounds::RegionBounds& bounds_;
  const network::Network& network_;
  const EncodingOptions& options_;
  EncodedNetwork result_;
  std::vector<program::VariableId> inputs_;
  std::vector<std::vector<std::optional<Value>>> values_;
  std::map<program::VariableId, program::RowId> defined_by_;  // for values of affine operations
};

}  // namespace

EncodedNetwork encode_layered(const bounds::RegionBounds& bounds, const bounds::Functionals& functionals,
                              const EncodingOptions& options) {
  return LayeredEncoder(bounds, options).run(functionals);
}

EncodedNetwork encode_layered(const bounds::RegionBounds& bounds, network::NodeId node,
                              std::span<const std::int64_t> elements, const EncodingOptions& options) {
  return LayeredEncoder(bounds, options).run(node, elements);
}

}  // namespace plumb::milp
