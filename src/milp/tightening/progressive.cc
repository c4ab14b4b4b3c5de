#include "milp/tightening/progressive.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/error.h"
#include "base/numbers.h"
#include "base/overloaded.h"
#include "network/op_kind.h"

namespace plumb::milp {
namespace {

constexpr std::size_t kElementsThroughLayers = 64;

bool has(const std::vector<bounds::BoundMethod>& methods, bounds::BoundMethod method) {
  return std::find(methods.begin(), methods.end(), method) != methods.end();
}

class Progressive {
 public:
  Progressive(bounds::RegionBounds& bounds, const TighteningOptions& options, const program::Solver* solver,
              Budget& budget)
      : bounds_(bounds), network_(bounds.network->network()), options_(options), solver_(solver), budget_(budget) {}

  ElementBoundStatistics run() {
    bounds::BoundOptions cheap{
        .method = bounds::BoundMethod::kInterval, .most_bytes = options_.row_bytes, .budget = &budget_};
    const bool linear = has(options_.methods, bounds::BoundMethod::kLinear);
    if (linear && (options_.progressive || options_.methods.back() == bounds::BoundMethod::kLinear)) {
      cheap.method = bounds::BoundMethod::kLinear;
    }
    if (options_.methods.back() > bounds::BoundMethod::kLinear)
      cheap.refine_further = [this](network::NodeId id) { refine(id); };
    compute_bounds(bounds_, cheap);
    return statistics_;
  }

 private:
  void refine(network::NodeId id) {
    if (is_given(network_.node(id).op) || is_over()) return;
    std::vector<std::int64_t> elements = wanted(id);
    const bool exact = is_affine_in_a_box(bounds_, id);
    note(id, elements, exact ? bounds::Refinement::kExact : bounds::Refinement::kRefined);
    if (exact) return;
    if (uses(bounds::BoundMethod::kAlpha) && !elements.empty()) {
      refine_by_slopes(id, elements);
      elements = wanted(id);
    }
    const bool programs = uses(bounds::BoundMethod::kLp) || uses(bounds::BoundMethod::kMilp);
    if (!programs || elements.empty() || is_over()) return;
    ElementBounds element_bounds(bounds_, id, elements, *solver_, options_.programs);
    for (const bounds::BoundMethod method : {bounds::BoundMethod::kLp, bounds::BoundMethod::kMilp}) {
      if (uses(method)) refine_by_programs(id, element_bounds, method);
    }
    add(element_bounds.statistics());
  }

  bool is_over() const { return budget_.reached() != LimitReached::kNone; }

  void note(network::NodeId id, const std::vector<std::int64_t>& elements, bounds::Refinement what) {
    for (std::int64_t i = 0; i < network_.size(id); ++i) {
      if (bounds_.store.refinement(id, i) == bounds::Refinement::kNotNeeded) {
        bounds_.store.note(id, i, bounds::Refinement::kAlreadyDecided);
      }
    }
    for (const std::int64_t element : elements) bounds_.store.note(id, element, what);
  }

  bool uses(bounds::BoundMethod method) const {
    return options_.progressive ? has(options_.methods, method) : options_.methods.back() == method;
  }

  // The elements that are still open, or all of them if not progressive.
  std::vector<std::int64_t> wanted(network::NodeId id) const {
    const std::vector<bool> open = open_elements(bounds_, id);
    std::vector<std::int64_t> elements;
    for (std::int64_t i = 0; i < network_.size(id); ++i) {
      if (open[index(i)] || !options_.progressive) elements.push_back(i);
    }
    return elements;
  }

  void refine_by_slopes(network::NodeId id, const std::vector<std::int64_t>& elements) {
    if (const auto reduced =
            reduction::ReducedNetwork::build(bounds_, id, elements, options_.programs.most_bytes, &budget_)) {
      return refine_by_slopes(id, elements,
                              *options_.back_end->double_system({.network = *reduced, .budget = &budget_}));
    }
    // Rows through the layers are long, so only a few are bounded at a time.
    for (std::size_t at = 0; at < elements.size() && !is_over(); at += kElementsThroughLayers) {
      const std::size_t count = std::min(kElementsThroughLayers, elements.size() - at);
      const std::vector<std::int64_t> some(elements.begin() + static_cast<std::ptrdiff_t>(at),
                                           elements.begin() + static_cast<std::ptrdiff_t>(at + count));
      refine_by_slopes(id, some, *options_.back_end->layered_system(bounds_, element_functionals(id, some), &budget_));
    }
  }

  // Uses two lanes per element: one bounds the element from below, the other its negative.
  void refine_by_slopes(network::NodeId id, const std::vector<std::int64_t>& elements,
                        const lanes::LaneSystem<double>& system) {
    const std::size_t at_once = index(system.width() / 2);
    lanes::Ascent<double> ascent(system);
    for (std::size_t at = 0; at < elements.size() && !is_over(); at += at_once) {
      lanes::Lanes<double> lanes = system.lanes();
      const std::size_t count = std::min(at_once, elements.size() - at);
      for (std::size_t i = 0; i < at_once; ++i) {  // lanes that are left over repeat the last element
        const auto row = system.units() + static_cast<std::int64_t>(at + std::min(i, count - 1));
        system.ask_row(lanes, static_cast<std::int64_t>(2 * i), row, 1);
        system.ask_row(lanes, static_cast<std::int64_t>(2 * i + 1), row, -1);
      }
      system.ascend(lanes, {.steps = options_.slope_steps, .target = kInfinity}, ascent);
      for (std::size_t i = 0; i < count; ++i) {
        record(id, {elements[at + i], 1}, ascent.bound[2 * i], bounds::BoundMethod::kAlpha);
        record(id, {elements[at + i], -1}, ascent.bound[2 * i + 1], bounds::BoundMethod::kAlpha);
      }
    }
  }

  bounds::Functionals element_functionals(network::NodeId id, const std::vector<std::int64_t>& elements) const {
    const bounds::Image& image = bounds_.network->image(id);
    bounds::Functionals result{static_cast<std::int64_t>(elements.size()), {}, {}, {}};
    bounds::RowBlock block(image, whole(image), result.count);
    for (std::int64_t r = 0; r < result.count; ++r) block.row(r)[elements[index(r)]] = 1;
    result.rows.emplace(id, std::move(block));
    return result;
  }

  // Bounds one side of every open element, then the other side of those that are still open.
  void refine_by_programs(network::NodeId id, ElementBounds& element_bounds, bounds::BoundMethod method) {
    std::vector<int> first(index(network_.size(id)), 0);
    const bool signs_suffice = only_signs_matter(id);
    const double enough = signs_suffice && options_.progressive ? 0 : kInfinity;
    for (const int turn : {0, 1}) {
      std::vector<Side> sides;
      for (const std::int64_t element : wanted(id)) {
        int& sign = first[index(element)];
        sign = turn == 0 ? first_sign(id, element, signs_suffice) : -sign;
        if (sign != 0) sides.push_back({element, sign, enough});
      }
      const std::vector<double> lower = element_bounds.lower_bounds(sides, method, budget_);
      for (std::size_t i = 0; i < sides.size(); ++i) record(id, sides[i], lower[i], method);
    }
  }

  // Whether the signs of the node's elements decide all units that read it. They decide those of a ReLU, but not of a
  // maximum.
  bool only_signs_matter(network::NodeId id) const {
    const Overloaded is_decided_by_signs{[](const network::OpWithoutUnits auto&) { return true; },
                                         [](const network::Relu&) { return true; },
                                         [](const network::Maximum&) { return false; }};
    return std::ranges::all_of(network_.nodes(), [&](const network::Node& node) {
      return node.arguments.empty() || node.arguments[0] != id || std::visit(is_decided_by_signs, node.op);
    });
  }

  // The upper bound comes first, as in the paper, unless the lower bound is nearer to zero.
  int first_sign(network::NodeId id, std::int64_t element, bool signs_suffice) const {
    const double lower = bounds_.store.lower(id)[index(element)], upper = bounds_.store.upper(id)[index(element)];
    return signs_suffice && -lower < upper ? 1 : -1;
  }

  // A solver's claim that contradicts the bounds in the store is ignored.
  void record(network::NodeId id, const Side& side, double lower, bounds::BoundMethod method) {
    if (!std::isfinite(lower)) return;
    const double bound = side.sign * lower;
    const bool crosses = side.sign > 0 ? bound > bounds_.store.upper(id)[index(side.element)]
                                       : bound < bounds_.store.lower(id)[index(side.element)];
    if (method == bounds::BoundMethod::kMilp && crosses) return;
    if (side.sign > 0)
      bounds_.store.tighten_lower(id, side.element, bound, method);
    else
      bounds_.store.tighten_upper(id, side.element, bound, method);
  }

  void add(const ElementBoundStatistics& more) {
    statistics_.lps += more.lps;
    statistics_.milps += more.milps;
    statistics_.simplex_iterations += more.simplex_iterations;
    statistics_.nodes += more.nodes;
  }

  bounds::RegionBounds& bounds_;
  const network::Network& network_;
  const TighteningOptions& options_;
  const program::Solver* solver_;
  Budget& budget_;
  ElementBoundStatistics statistics_;
};

}  // namespace

void check_methods(const std::vector<bounds::BoundMethod>& methods) {
  if (methods.empty()) throw ArgumentError("tightening", "the list of methods is empty", "give at least interval");
  for (std::size_t i = 1; i < methods.size(); ++i) {
    if (methods[i - 1] < methods[i]) continue;
    throw ArgumentError("tightening", "the methods do not go from cheap to expensive",
                        "an increasing list out of interval,linear,alpha,lp,milp");
  }
}

ElementBoundStatistics compute_tight_bounds(bounds::RegionBounds& bounds, const TighteningOptions& options,
                                            const program::Solver* solver, Budget& budget) {
  check_methods(options.methods);
  if (options.methods.back() >= bounds::BoundMethod::kLp && solver == nullptr) {
    throw InternalError("tightening", "linear programs need a solver");
  }
  return Progressive(bounds, options, solver, budget).run();
}

bool uses_claims(const bounds::RegionBounds& bounds) {
  const network::Network& network = bounds.network->network();
  for (network::NodeId id = 0; id < network.nodes().size(); ++id) {
    for (std::int64_t i = 0; bounds.store.has(id) && i < network.size(id); ++i) {
      if (bounds.store.lower_method(id, i) == bounds::BoundMethod::kMilp) return true;
      if (bounds.store.upper_method(id, i) == bounds::BoundMethod::kMilp) return true;
    }
  }
  return false;
}

}  // namespace plumb::milp
