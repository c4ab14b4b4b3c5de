#include "reduction/reduced_network.h"

#include <algorithm>
#include <numeric>

#include "bounds/bounds.h"
#include "tensor/reductions.h"

namespace plumb {
namespace {

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

// The elements whose rows make a variable: a ReLU's argument, or the members of a maximum that may win.
std::vector<std::int64_t> elements_behind(const RegionBounds& bounds, NodeId id, std::int64_t element) {
  const Node& node = bounds.network.network().node(id);
  const auto* maximum = std::get_if<Maximum>(&node.op);
  if (maximum == nullptr) return {element};
  const NodeId argument = node.arguments[0];
  const auto lower = bounds.store.lower(argument), upper = bounds.store.upper(argument);
  const double floor = lower[index(bounds.maximum[id][index(element)].lower_member)];
  std::vector<std::int64_t> rivals;
  for (std::int64_t m = (*maximum->offsets)[index(element)]; m < (*maximum->offsets)[index(element + 1)]; ++m) {
    const std::int64_t member = (*maximum->members)[index(m)];
    const bool known = std::find(rivals.begin(), rivals.end(), member) != rivals.end();
    if (!known && upper[index(member)] >= floor) rivals.push_back(member);
  }
  return rivals;
}

}  // namespace

ReducedNetwork::ReducedNetwork(const RegionBounds& bounds, std::span<const double> functionals) {
  const Network& network = bounds.network.network();
  const Kinks kinks = undecided_kinks(bounds);
  const std::map<NodeId, std::vector<Wanted>> wanted = list_rows(bounds, kinks);
  const auto margins = static_cast<std::int64_t>(functionals.size()) / network.output_size();
  const std::size_t rows = index(first_functional_ + margins);
  inputs_.assign(rows * index(network.input_size()), 0.0);
  earlier_.assign(rows * variables_.size(), 0.0);
  constants_.resize(rows);
  errors_.resize(rows);

  for (const auto& [id, all] : wanted) {
    // Elements at one place of an image see the same windows: they are substituted together.
    const Image& image = bounds.network.image(id);
    const std::int64_t pixels = image.height * image.width;
    std::map<std::int64_t, std::vector<Wanted>> by_pixel;
    for (const Wanted& w : all) by_pixel[w.element % pixels].push_back(w);
    for (const auto& [pixel, group] : by_pixel) {
      std::vector<std::int64_t> channels, targets;
      for (const Wanted& w : group) {
        channels.push_back(w.element / pixels);
        targets.push_back(w.row);
      }
      const std::int64_t y = pixel / image.width, x = pixel % image.width;
      store(network, substitute(bounds, kinks, unit_functionals(bounds, id, y, x, channels, Signs::kPlus)), targets);
    }
  }
  std::vector<std::int64_t> targets(index(margins));
  std::iota(targets.begin(), targets.end(), first_functional_);
  store(network, substitute(bounds, kinks, output_functionals(bounds, functionals)), targets);
  drop_unused_inputs(network.input_size());
}

// Numbers the variables' rows, and says which element of which node each of them is.
std::map<NodeId, std::vector<ReducedNetwork::Wanted>> ReducedNetwork::list_rows(const RegionBounds& bounds,
                                                                                const Kinks& kinks) {
  const Network& network = bounds.network.network();
  std::map<NodeId, std::vector<Wanted>> wanted;
  for (NodeId id = 0; id < network.nodes().size(); ++id) {
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(kinks.variable[id].size()); ++i) {
      if (kinks.variable[id][index(i)] < 0) continue;
      Variable variable{id, i, std::holds_alternative<Relu>(network.node(id).op), first_functional_, 0};
      for (const std::int64_t element : elements_behind(bounds, id, i)) {
        wanted[network.node(id).arguments[0]].push_back({element, first_functional_++});
      }
      variable.last_row = first_functional_;
      variables_.push_back(variable);
    }
  }
  return wanted;
}

void ReducedNetwork::store(const Network& network, const SubstitutedRows& rows,
                           const std::vector<std::int64_t>& targets) {
  for (const auto& [id, block] : rows.inputs) {
    const auto offset = network.input_offset(std::get<Input>(network.node(id).op).index);
    for (std::size_t r = 0; r < targets.size(); ++r) {
      double* to = inputs_.data() + targets[r] * network.input_size() + offset;
      const double* from = block.row(static_cast<std::int64_t>(r));
      block.for_each_run([&](std::int64_t in_row, std::int64_t in_value, std::int64_t length) {
        std::copy_n(from + in_row, length, to + in_value);
      });
    }
  }
  const std::size_t width = variables_.size();
  for (std::size_t r = 0; r < targets.size(); ++r) {
    std::copy_n(rows.variables.begin() + static_cast<std::ptrdiff_t>(r * width), width,
                earlier_.begin() + targets[r] * static_cast<std::ptrdiff_t>(width));
    constants_[index(targets[r])] = rows.constants[r];
    errors_[index(targets[r])] = rows.errors[r];
  }
}

void ReducedNetwork::drop_unused_inputs(std::int64_t input_size) {
  for (std::int64_t j = 0; j < input_size; ++j) {
    for (std::int64_t r = 0; r < rows(); ++r) {
      if (inputs_[index(r * input_size + j)] == 0) continue;
      used_inputs_.push_back(j);
      break;
    }
  }
  std::vector<double> kept;
  kept.reserve(index(rows()) * used_inputs_.size());
  for (std::int64_t r = 0; r < rows(); ++r) {
    for (const std::int64_t j : used_inputs_) kept.push_back(inputs_[index(r * input_size + j)]);
  }
  inputs_ = std::move(kept);
}

std::vector<double> ReducedNetwork::evaluate(std::span<const double> point) const {
  std::vector<double> x, r(variables_.size(), 0.0);
  for (const std::int64_t j : used_inputs_) x.push_back(point[index(j)]);
  const auto value = [&](std::int64_t row) {
    return dot(inputs(row).data(), x.data(), static_cast<std::int64_t>(x.size())) +
           dot(earlier(row).data(), r.data(), static_cast<std::int64_t>(r.size())) + constant(row);
  };
  for (std::size_t k = 0; k < variables_.size(); ++k) {
    const Variable& variable = variables_[k];
    double largest = value(variable.first_row);
    for (std::int64_t row = variable.first_row + 1; row < variable.last_row; ++row)
      largest = std::max(largest, value(row));
    r[k] = variable.is_relu ? std::max(0.0, largest) : largest;
  }
  std::vector<double> result;
  for (std::int64_t row = first_functional_; row < rows(); ++row) result.push_back(value(row));
  return result;
}

std::int64_t ReducedNetwork::bytes() const {
  return static_cast<std::int64_t>((inputs_.size() + earlier_.size() + 2 * constants_.size()) * sizeof(double));
}

}  // namespace plumb
