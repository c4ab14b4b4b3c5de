#include "bounds/bounds.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "base/numbers.h"
#include "base/overloaded.h"
#include "base/parallel.h"
#include "base/rounding.h"
#include "bounds/forward_forms.h"
#include "bounds/interval.h"
#include "bounds/stepwise_bounds.h"
#include "network/op_kind.h"

namespace plumb::bounds {
namespace {

constexpr std::int64_t kMostRowsAtATime = 64;
// Larger blocks of rows are slower: they leave the cache, and the system maps their memory anew each time.
constexpr std::int64_t kMostBytesAtATime = std::int64_t{32} << 20;

// Marks the members of a maximum that may be the largest, unless there is only one. A leader whose bounds are equal
// does not count: they cannot be tightened.
void mark_open_members(std::span<const std::int32_t> members, std::span<const double> lower,
                       std::span<const double> upper, std::vector<bool>& open) {
  std::vector<std::int64_t> winners = possible_winners(members, lower, upper);
  const double floor = lower[index(winners[0])];
  std::erase_if(winners, [&](std::int64_t m) { return upper[index(m)] <= floor; });
  if (winners.size() < 2) return;
  for (const std::int64_t m : winners) open[index(m)] = true;
}

class Computation {
 public:
  Computation(RegionBounds& bounds, const BoundOptions& options)
      : bounds_(bounds), network_(bounds.network->network()), options_(options) {
    for (const network::Node& node : network_.nodes()) {
      if (has_units(node.op)) refine_.insert(node.arguments[0]);
    }
    const std::int64_t element_bytes = 2 * most_bytes_of_row(network_);  // a row for x and one for -x
    const std::int64_t most_bytes = std::min(options.most_bytes / worker_count(options.threads), kMostBytesAtATime);
    rows_at_a_time_ = std::clamp<std::int64_t>(most_bytes / element_bytes, 1, kMostRowsAtATime);
    if (options.forward != ForwardUse::kNever && ForwardForms::is_possible(bounds, options.most_bytes / 2)) {
      forms_.emplace(bounds, options.threads);
    }
  }

  void run() {
    for (network::NodeId id = 0; id < network_.nodes().size(); ++id) {
      if (!options_.has_intervals || has_changed_) {
        bound_by_intervals(id);
        draw_lines(bounds_, id);
      }
      if (options_.method >= BoundMethod::kLinear && refine_.contains(id)) refine(id);
      bounds_.set_magnitude(id);
      if (options_.refine_further && refine_.contains(id)) {
        options_.refine_further(id);
        bounds_.set_magnitude(id);
        has_changed_ = true;
      }
    }
  }

 private:
  void bound_by_intervals(network::NodeId id) {
    const AffineMap* map = bounds_.network->map(id);
    if (map != nullptr) weigh_errors(id, *map);
    IntervalBounds result = interval_bounds(network_, id, bounds_.store, bounds_.inputs, map,
                                            map == nullptr ? nullptr : &bounds_.scale[id]);
    bounds_.store.set(id, std::move(result.lower), std::move(result.upper), BoundMethod::kInterval);
  }

  // Computes the error that a coefficient of 1 over each element adds when a row moves through the node.
  void weigh_errors(network::NodeId id, const AffineMap& map) {
    std::vector<std::vector<double>> arguments;
    double total = 1;
    for (const network::NodeId argument : network_.node(id).arguments) {
      arguments.push_back(bounds_.magnitude[argument]);
      total = loose_sum_up(total, total_above(arguments.back()));
    }
    bounds_.scale[id] = affine_scale(map, arguments);
    const AffineScale& scale = bounds_.scale[id];
    // Each entry of the new row, and the constant, is a sum with at most one term per element. The factor 2 leaves room
    // for rounding in the row itself.
    const double rounding = loose_product_up(2, gamma(map.size() + 8));
    auto& weight = bounds_.error_weight[id];
    weight.resize(scale.magnitude.size());
    for (std::size_t i = 0; i < weight.size(); ++i) {
      weight[i] = loose_product_up(rounding, scale.magnitude[i]);
      if (!scale.slack.empty()) weight[i] = loose_sum_up(weight[i], scale.slack[i]);
    }
    bounds_.underflow[id] =
        loose_product_up(loose_product_up(static_cast<double>(map.size() + 8), kSmallestSubnormal), total);
  }

  void refine(network::NodeId id) {
    if (is_input(network_.node(id).op)) return;
    std::vector<bool> open = open_elements(bounds_, id);
    const Refinement open_ones = is_affine_in_a_box(bounds_, id) ? Refinement::kExact : Refinement::kRefined;
    for (std::int64_t i = 0; i < network_.size(id); ++i) {
      bounds_.store.note(id, i, open[index(i)] ? open_ones : Refinement::kAlreadyDecided);
    }
    if (open_ones == Refinement::kExact) return;
    has_changed_ = true;
    bounds_.set_magnitude(id);
    const bool by_forms = forms_pay(open) && !is_over();
    if (by_forms) {
      bound_by_forms(id, open);
      open = open_elements(bounds_, id);
    }
    const bool may_end = only_relus_read(id);
    const std::vector<AtPixel> work = grouped_by_pixel(id, open);
    std::vector<std::vector<double>> least(work.size());
    parallel_for(std::ssize(work), options_.threads, [&](std::int64_t w) {
      if (is_over()) return;
      const AtPixel& at = work[index(w)];
      least[index(w)] =
          by_forms ? stepwise_bounds(bounds_, *forms_, refine_, may_end, id, at.pixel, at.channels, options_.budget)
                   : bounds_at(id, at);
    });
    for (std::size_t w = 0; w < work.size(); ++w) record(id, work[w], least[w]);
  }

  // Forms of a node take two products per column, a backward pass two per element and layer.
  bool forms_pay(const std::vector<bool>& open) const {
    constexpr std::int64_t kOpenPerColumn = 8;
    if (!forms_) return false;
    return options_.forward == ForwardUse::kAlways ||
           std::ranges::count(open, true) >= kOpenPerColumn * forms_->columns();
  }

  void bound_by_forms(network::NodeId id, const std::vector<bool>& open) {
    forms_->extend_to(id);
    for (std::int64_t i = 0; i < network_.size(id); ++i) {
      if (!open[index(i)]) continue;
      const auto [low, high] = forms_->bounds_of(id, i);
      if (std::isfinite(low)) bounds_.store.tighten_lower(id, i, low, BoundMethod::kLinear);
      if (std::isfinite(high)) bounds_.store.tighten_upper(id, i, high, BoundMethod::kLinear);
    }
  }

  bool only_relus_read(network::NodeId id) const {
    return std::ranges::all_of(network_.nodes(), [&](const network::Node& node) {
      const bool reads = std::ranges::find(node.arguments, id) != node.arguments.end();
      return !reads || std::visit(Overloaded{[](const network::OpWithoutUnits auto&) { return true; },
                                             [](const network::Relu&) { return true; },
                                             [](const network::Maximum&) { return false; }},
                                  node.op);
    });
  }

  // Channels of one pixel. These elements depend on the same windows, so they share a backward pass.
  struct AtPixel {
    std::int64_t pixel = 0;
    std::vector<std::int64_t> channels;
  };

  std::vector<AtPixel> grouped_by_pixel(network::NodeId id, const std::vector<bool>& open) const {
    const Image& image = bounds_.network->image(id);
    const std::int64_t pixels = image.height * image.width;
    std::vector<AtPixel> work;
    for (std::int64_t p = 0; p < pixels; ++p) {
      AtPixel next{p, {}};
      for (std::int64_t c = 0; c < image.channels; ++c) {
        if (open[index(c * pixels + p)]) next.channels.push_back(c);
        const bool is_full = static_cast<std::int64_t>(next.channels.size()) == rows_at_a_time_;
        if ((is_full || c + 1 == image.channels) && !next.channels.empty())
          work.push_back(std::exchange(next, AtPixel{p, {}}));
      }
    }
    return work;
  }

  // Lower bounds of the elements, then of the negated elements.
  std::vector<double> bounds_at(network::NodeId id, const AtPixel& at) const {
    const std::int64_t width = bounds_.network->image(id).width;
    return lower_bounds(
        bounds_, unit_functionals(bounds_, id, at.pixel / width, at.pixel % width, at.channels, Signs::kPlusAndMinus),
        options_.budget);
  }

  // `least` is empty, or has no finite bounds, if a limit was reached.
  void record(network::NodeId id, const AtPixel& at, const std::vector<double>& least) {
    const Image& image = bounds_.network->image(id);
    const std::size_t count = least.size() / 2;
    for (std::size_t k = 0; k < count; ++k) {
      const std::int64_t element = at.channels[k] * image.height * image.width + at.pixel;
      bounds_.store.tighten_lower(id, element, least[k], BoundMethod::kLinear);
      bounds_.store.tighten_upper(id, element, -least[count + k], BoundMethod::kLinear);
    }
  }

  bool is_over() const { return limit_reached(options_.budget); }

  RegionBounds& bounds_;
  const network::Network& network_;
  BoundOptions options_;
  std::set<network::NodeId> refine_;
  std::optional<ForwardForms> forms_;  // set if they may be used
  std::int64_t rows_at_a_time_ = 1;
  bool has_changed_ = false;  // bounds are tighter than intervals from the inputs
};

}  // namespace

std::vector<bool> open_elements(const RegionBounds& bounds, network::NodeId id) {
  const network::Network& network = bounds.network->network();
  std::vector<bool> open(index(network.size(id)), false);
  const auto lower = bounds.store.lower(id), upper = bounds.store.upper(id);
  for (const network::Node& node : network.nodes()) {
    if (node.arguments.empty() || node.arguments[0] != id) continue;
    const auto mark_open_relus = [&](const network::Relu&) {
      for (std::size_t i = 0; i < open.size(); ++i) {
        open[i] = open[i] || stability(lower[i], upper[i]) == Stability::kUnstable;
      }
    };
    const auto mark_rivals = [&](const network::Maximum& maximum) {
      for (std::int64_t g = 0; g < maximum.groups(); ++g) mark_open_members(maximum.group(g), lower, upper, open);
    };
    std::visit(Overloaded{[](const network::OpWithoutUnits auto&) {}, mark_open_relus, mark_rivals}, node.op);
  }
  return open;
}

bool is_affine_in_a_box(const RegionBounds& bounds, network::NodeId id) {
  const network::Network& network = bounds.network->network();
  const network::Node& node = network.node(id);
  if (bounds.network->map(id) == nullptr || node.arguments.size() != 1) return false;
  const bool box = bounds.parts.size() == 1 && std::holds_alternative<property::Box>(bounds.parts[0]);
  return box && is_input(network.node(node.arguments[0]).op);
}

void draw_lines(RegionBounds& bounds, network::NodeId id) {
  const network::Node& node = bounds.network->network().node(id);
  const auto relu = [&](const network::Relu&) {
    bounds.relu[id] = relu_lines(bounds.store.lower(node.arguments[0]), bounds.store.upper(node.arguments[0]));
  };
  const auto maximum = [&](const network::Maximum& op) {
    const auto lower = bounds.store.lower(node.arguments[0]), upper = bounds.store.upper(node.arguments[0]);
    bounds.maximum[id].clear();
    for (std::int64_t g = 0; g < op.groups(); ++g) {
      bounds.maximum[id].push_back(maximum_lines(op.group(g), lower, upper));
    }
  };
  std::visit(Overloaded{[](const network::OpWithoutUnits auto&) {}, relu, maximum}, node.op);
}

void compute_bounds(RegionBounds& bounds, const BoundOptions& options) { Computation(bounds, options).run(); }

Functionals output_functionals(const RegionBounds& bounds, std::span<const double> functionals) {
  const network::Network& network = bounds.network->network();
  const std::int64_t count = static_cast<std::int64_t>(functionals.size()) / network.output_size();
  Functionals start{count, {}, {}, {}};
  std::int64_t offset = 0;
  for (const network::NetworkOutput& output : network.outputs()) {
    const Image& image = bounds.network->image(output.node);
    RowBlock& block = start.rows.try_emplace(output.node, RowBlock(image, whole(image), count)).first->second;
    for (std::int64_t r = 0; r < count; ++r) {
      const double* from = functionals.data() + r * network.output_size() + offset;
      for (std::int64_t i = 0; i < image.size(); ++i) block.row(r)[i] += from[i];
    }
    offset += image.size();
  }
  return start;
}

std::vector<double> output_lower_bounds(const RegionBounds& bounds, std::span<const double> functionals) {
  return lower_bounds(bounds, output_functionals(bounds, functionals));
}

}  // namespace plumb::bounds
