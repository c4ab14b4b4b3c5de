#include "lanes/layered_lanes.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/numbers.h"
#include "base/overloaded.h"
#include "lanes/adam.h"
#include "network/op_kind.h"

namespace plumb::lanes {
namespace {

// The undecided ReLUs alone, without undecided maxima.
bounds::UndecidedElements undecided_relus(const bounds::RegionBounds& bounds) {
  const network::Network& network = bounds.network->network();
  bounds::UndecidedElements relus = undecided_elements(bounds);
  relus.count = 0;
  for (network::NodeId id = 0; id < network.nodes().size(); ++id) {
    const bool split =
        std::visit(Overloaded{[](const network::OpWithoutUnits auto&) { return false; },
                              [](const network::Relu&) { return true; }, [](const network::Maximum&) { return false; }},
                   network.node(id).op);
    for (std::int32_t& variable : relus.variable[id]) {
      variable = split && variable >= 0 ? static_cast<std::int32_t>(relus.count++) : -1;
    }
  }
  return relus;
}

// Relaxes the row of each lane by the choices that the lane holds.
class LaneRelaxation final : public bounds::RowRelaxation {
 public:
  LaneRelaxation(const bounds::UndecidedElements& relus, Lanes<double>& lanes) : relus_(relus), lanes_(lanes) {
    lanes.on_value.fill(0);
    lanes.on_row.fill(0);
  }

  const bounds::UndecidedElements& units() const override { return relus_; }

  double relax(std::int64_t lane, std::int32_t k, double v, double& intercepts) override {
    lanes_.on_value.at(k, lane) = v;
    const double m = coefficient(lane, k, v, intercepts);
    lanes_.on_row.at(k, lane) = m;
    return m;
  }

 private:
  double coefficient(std::int64_t lane, std::int32_t k, double v, double& intercepts) const {
    const double split = lanes_.split.at(k, lane), multiplier = std::max(0.0, lanes_.multiplier.at(k, lane));
    if (split > 0) return v - multiplier;
    if (split < 0) return multiplier;
    if (v > 0) return v * std::clamp(lanes_.slope.at(k, lane), 0.0, 1.0);
    intercepts += v * lanes_.upper_intercept.at(k, lane);
    return v * lanes_.upper_slope.at(k, lane);
  }

  const bounds::UndecidedElements& relus_;
  Lanes<double>& lanes_;
};

std::vector<double> lane_of(const LaneTable<double>& table, std::int64_t count, std::int64_t lane) {
  std::vector<double> values(index(count));
  for (std::int64_t i = 0; i < count; ++i) values[index(i)] = table.at(i, lane);
  return values;
}

}  // namespace

LayeredLanes::LayeredLanes(const bounds::RegionBounds& bounds, bounds::Functionals functionals, const Budget* budget)
    : bounds_(bounds),
      network_(bounds.network->network()),
      space_(bounds),
      functionals_(std::move(functionals)),
      budget_(budget),
      relus_(undecided_relus(bounds)) {
  std::int32_t group = 0;
  for (network::NodeId id = 0; id < network_.nodes().size(); ++id) {
    const std::size_t before = unit_.size();
    for (std::size_t i = 0; i < relus_.variable[id].size(); ++i) {
      if (relus_.variable[id][i] >= 0) unit_.push_back({id, static_cast<std::int64_t>(i), group});
    }
    if (unit_.size() > before) ++group;
    const bounds::AffineMap* map = bounds.network->map(id);
    pass_cost_ += network_.size(id) * (map != nullptr ? map->terms() : 1);
  }
  no_cuts_.first.assign(unit_.size() + 1, 0);
}

Lanes<double> LayeredLanes::lanes() const {
  Lanes<double> lanes(kLanes<double>, inputs(), units(), 0, 0);
  for (std::int64_t k = 0; k < units(); ++k) {
    const reduction::UnitPlace& unit = unit_[index(k)];
    const bounds::Lines& lines = bounds_.relu[unit.node];
    std::fill_n(lanes_of(lanes.slope, k), kLanes<double>, lines.lower_slope[index(unit.element)]);
    std::fill_n(lanes_of(lanes.upper_slope, k), kLanes<double>, lines.upper_slope[index(unit.element)]);
    std::fill_n(lanes_of(lanes.upper_intercept, k), kLanes<double>, lines.upper_intercept[index(unit.element)]);
  }
  return lanes;
}

void LayeredLanes::ask_row(Lanes<double>& lanes, std::int64_t lane, std::int64_t row, double factor) const {
  lanes.row[index(lane)] = row;
  lanes.sign[index(lane)] = factor;
}

// The rows of all lanes; zeros where nothing is asked.
bounds::Functionals LayeredLanes::asked(const Lanes<double>& lanes) const {
  bounds::Functionals rows{kLanes<double>, {}, {}, {}};
  rows.constants.assign(index(kLanes<double>), 0.0);
  rows.errors.assign(index(kLanes<double>), 0.0);
  const auto block_of = [&](network::NodeId id) -> bounds::RowBlock& {
    const bounds::Image& image = bounds_.network->image(id);
    return rows.rows.try_emplace(id, bounds::RowBlock(image, whole(image), kLanes<double>)).first->second;
  };
  for (std::int64_t lane = 0; lane < kLanes<double>; ++lane) {
    const std::int64_t row = lanes.row[index(lane)];
    const double sign = lanes.sign[index(lane)];
    if (row < 0) continue;
    if (row < units()) {
      const reduction::UnitPlace& unit = unit_[index(row)];
      block_of(network_.node(unit.node).arguments[0]).row(lane)[unit.element] = sign;
      continue;
    }
    const std::int64_t f = row - units();
    for (const auto& [id, block] : functionals_.rows) {
      double* to = block_of(id).row(lane);
      block.for_each_run([&](std::int64_t in_row, std::int64_t in_value, std::int64_t length) {
        for (std::int64_t i = 0; i < length; ++i) to[in_value + i] = sign * block.row(f)[in_row + i];
      });
    }
    if (!functionals_.constants.empty()) rows.constants[index(lane)] = sign * functionals_.constants[index(f)];
    if (!functionals_.errors.empty()) rows.errors[index(lane)] = functionals_.errors[index(f)];
  }
  // A decision with a multiplier counts even if nothing that is asked depends on its unit, so its node gets rows (of
  // zeros).
  for (std::int64_t k = 0; k < units(); ++k) {
    for (std::int64_t lane = 0; lane < kLanes<double>; ++lane) {
      if (lanes.split.at(k, lane) != 0 && lanes.multiplier.at(k, lane) != 0) block_of(unit_[index(k)].node);
    }
  }
  return rows;
}

void LayeredLanes::backward(Lanes<double>& lanes) const {
  LaneRelaxation relaxation(relus_, lanes);
  const bounds::BoundedRows rows = lower_bounds(bounds_, asked(lanes), relaxation, budget_);
  std::copy(rows.lower.begin(), rows.lower.end(), lanes.bound.begin());
  set_inputs(rows, lanes);
}

// Stores each lane's row over the inputs as a row over u, and its minimiser.
void LayeredLanes::set_inputs(const bounds::BoundedRows& rows, Lanes<double>& lanes) const {
  for (std::int64_t lane = 0; lane < kLanes<double>; ++lane) {
    std::vector<reduction::Entry> row;
    for (const auto& [id, block] : rows.at_inputs) {
      const auto offset = network_.input_offset(std::get<network::Input>(network_.node(id).op).index);
      block.for_each_run([&](std::int64_t in_row, std::int64_t in_value, std::int64_t length) {
        for (std::int64_t i = 0; i < length; ++i) {
          row.push_back({static_cast<std::int32_t>(offset + in_value + i), block.row(lane)[in_row + i]});
        }
      });
    }
    double constant = 0, error = 0;
    std::vector<double> over_u(index(inputs()), 0.0), point(index(inputs()), 0.0);
    for (const reduction::Entry& term : space_.over_coordinates(row, constant, error))
      over_u[index(term.column)] = term.value;
    if (space_.is_cube()) {
      for (std::size_t i = 0; i < point.size(); ++i) point[i] = over_u[i] > 0 ? -1 : (over_u[i] < 0 ? 1 : 0);
    } else {
      point = minimiser(space_.part(), over_u);
    }
    for (std::int64_t i = 0; i < inputs(); ++i) {
      lanes.gradient.at(i, lane) = over_u[index(i)];
      lanes.values.at(i, lane) = point[index(i)];
    }
  }
}

// The value of a node at a lane's inputs, from the values of its arguments. A maximum is taken as it is even if ReLUs
// are relaxed: forward() only serves to find gradients of slopes, which need not be exact.
struct LayeredLanes::ForwardRule {
  const LayeredLanes& system;
  const std::vector<double>& input;
  const std::vector<std::vector<double>>& values;
  network::NodeId id;
  Relus relus;
  std::int64_t lane;
  Lanes<double>& lanes;

  const network::Network& network() const { return system.network_; }
  const std::vector<double>& argument(std::size_t a = 0) const { return values[network().node(id).arguments[a]]; }

  std::vector<double> operator()(const network::Input& op) const {
    const auto first = input.begin() + network().input_offset(op.index);
    return {first, first + network().size(id)};
  }
  std::vector<double> operator()(const network::Constant& op) const {
    return {op.values.values().begin(), op.values.values().end()};
  }
  std::vector<double> operator()(const network::Dense&) const { return affine(); }
  std::vector<double> operator()(const network::Convolution&) const { return affine(); }
  std::vector<double> operator()(const network::TransposedConvolution&) const { return affine(); }
  std::vector<double> operator()(const network::ScaleShift&) const { return affine(); }
  std::vector<double> operator()(const network::Sum&) const { return affine(); }

  std::vector<double> operator()(const network::IndexMap& op) const {
    std::vector<double> y;
    for (const std::int32_t source : *op.source) {
      if (source < 0) {
        y.push_back(0);
        continue;
      }
      const auto [a, position] =
          network::locate(source, [&](std::size_t arg) { return network().size(network().node(id).arguments[arg]); });
      y.push_back(argument(a)[index(position)]);
    }
    return y;
  }

  std::vector<double> operator()(const network::Relu&) const {
    std::vector<double> y = argument();
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::int32_t k = system.relus_.variable[id][i];
      const double z = y[i];
      y[i] = k >= 0 && relus == Relus::kRelaxed ? relaxed(k, z) : std::max(0.0, z);
      if (k < 0) continue;
      lanes.argument.at(k, lane) = z;
      lanes.values.at(system.inputs() + k, lane) = y[i];
    }
    return y;
  }

  std::vector<double> operator()(const network::Maximum& op) const {
    std::vector<double> y;
    for (std::int64_t g = 0; g < op.groups(); ++g) {
      double largest = -kInfinity;
      for (std::int64_t m = (*op.offsets)[index(g)]; m < (*op.offsets)[index(g + 1)]; ++m) {
        largest = std::max(largest, argument()[index((*op.members)[index(m)])]);
      }
      y.push_back(largest);
    }
    return y;
  }

 private:
  std::vector<double> affine() const {
    std::vector<std::span<const double>> arguments;
    for (const network::NodeId a : network().node(id).arguments) arguments.emplace_back(values[a]);
    const bounds::AffineMap& map = *system.bounds_.network->map(id);
    std::vector<double> y = map.apply(arguments);
    for (std::size_t i = 0; i < map.biases().size(); ++i) y[i] += map.biases()[i];
    return y;
  }

  // Along the line that backward() took.
  double relaxed(std::int32_t k, double z) const {
    const double split = lanes.split.at(k, lane);
    if (split != 0) return split > 0 ? z : 0;
    if (lanes.on_value.at(k, lane) > 0) return lanes.slope.at(k, lane) * z;
    return lanes.upper_slope.at(k, lane) * z + lanes.upper_intercept.at(k, lane);
  }
};

std::vector<std::vector<double>> LayeredLanes::propagate(Lanes<double>& lanes, std::int64_t lane, Relus relus) const {
  const std::vector<double> input = space_.network_input(lane_of(lanes.values, inputs(), lane));
  std::vector<std::vector<double>> values(network_.nodes().size());
  for (network::NodeId id = 0; id < network_.nodes().size(); ++id) {
    values[id] = std::visit(ForwardRule{*this, input, values, id, relus, lane, lanes}, network_.node(id).op);
  }
  return values;
}

void LayeredLanes::forward(Lanes<double>& lanes) const {
  for (std::int64_t lane = 0; lane < kLanes<double>; ++lane) {
    if (lanes.row[index(lane)] >= 0 && !limit_reached(budget_)) propagate(lanes, lane, Relus::kRelaxed);
  }
}

int LayeredLanes::ascend(Lanes<double>& lanes, const AscentOptions& options, Ascent<double>& ascent) const {
  return ascend_by_adam<double>(*this, no_cuts_, lanes, options, ascent);
}

void LayeredLanes::evaluate(Lanes<double>& lanes) const {
  for (std::int64_t lane = 0; lane < kLanes<double>; ++lane) {
    const std::int64_t row = lanes.row[index(lane)];
    if (row < 0) continue;
    lanes.bound[index(lane)] = kInfinity;
    if (limit_reached(budget_)) continue;
    const std::vector<std::vector<double>> values = propagate(lanes, lane, Relus::kTrue);
    const double value = row < units() ? lanes.argument.at(row, lane) : functional_value(row - units(), values);
    lanes.bound[index(lane)] = lanes.sign[index(lane)] * value;
  }
}

double LayeredLanes::functional_value(std::int64_t f, const std::vector<std::vector<double>>& values) const {
  double sum = functionals_.constants.empty() ? 0 : functionals_.constants[index(f)];
  for (const auto& [id, block] : functionals_.rows) {
    block.for_each_run([&](std::int64_t in_row, std::int64_t in_value, std::int64_t length) {
      for (std::int64_t i = 0; i < length; ++i) sum += block.row(f)[in_row + i] * values[id][index(in_value + i)];
    });
  }
  return sum;
}

void LayeredLanes::differentiate(Lanes<double>& lanes) const {
  const network::Evaluator<double> evaluator(bounds_.network->shared_network());
  network::Evaluator<double>::Workspace workspace;
  for (std::int64_t lane = 0; lane < kLanes<double>; ++lane) {
    if (lanes.row[index(lane)] < 0 || limit_reached(budget_)) continue;
    const std::int64_t f = lanes.row[index(lane)] - units();
    if (f < 0) throw InternalError("layered lanes", "gradients are of functionals, not of units");
    const std::vector<double> input = space_.network_input(lane_of(lanes.values, inputs(), lane));
    std::vector<double> outputs(index(network_.output_size())), gradient(input.size());
    evaluator.evaluate_with_gradient(input, output_coefficients(f), outputs, gradient, workspace);
    add_input_coefficients(f, gradient);
    std::vector<reduction::Entry> row;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      row.push_back({static_cast<std::int32_t>(i), lanes.sign[index(lane)] * gradient[i]});
    }
    double constant = 0, error = 0;
    for (std::int64_t i = 0; i < inputs(); ++i) lanes.gradient.at(i, lane) = 0;
    for (const reduction::Entry& term : space_.over_coordinates(row, constant, error)) {
      lanes.gradient.at(term.column, lane) = term.value;
    }
  }
}

// The coefficients of a functional over the concatenated outputs. If two outputs are the same node, the first one
// carries the coefficients.
std::vector<double> LayeredLanes::output_coefficients(std::int64_t f) const {
  std::vector<double> coefficients(index(network_.output_size()), 0.0);
  std::int64_t offset = 0;
  std::set<network::NodeId> done;
  for (const network::NetworkOutput& output : network_.outputs()) {
    const auto found = functionals_.rows.find(output.node);
    if (found != functionals_.rows.end() && done.insert(output.node).second) {
      found->second.for_each_run([&](std::int64_t in_row, std::int64_t in_value, std::int64_t length) {
        std::copy_n(found->second.row(f) + in_row, length, coefficients.begin() + offset + in_value);
      });
    }
    offset += network_.size(output.node);
  }
  return coefficients;
}

// Adds the functional's coefficients of inputs that are not outputs.
void LayeredLanes::add_input_coefficients(std::int64_t f, std::vector<double>& gradient) const {
  for (const auto& [id, block] : functionals_.rows) {
    const network::Input* input = as_input(network_.node(id).op);
    const auto is_output = [node = id](const network::NetworkOutput& output) { return output.node == node; };
    if (input == nullptr || std::ranges::any_of(network_.outputs(), is_output)) continue;
    const auto offset = network_.input_offset(input->index);
    block.for_each_run([&](std::int64_t in_row, std::int64_t in_value, std::int64_t length) {
      for (std::int64_t i = 0; i < length; ++i) gradient[index(offset + in_value + i)] += block.row(f)[in_row + i];
    });
  }
}

}  // namespace plumb::lanes
