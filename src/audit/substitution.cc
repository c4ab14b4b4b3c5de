#include "audit/substitution.h"

#include <optional>
#include <set>
#include <utility>

#include "audit/layers.h"
#include "audit/region_minimum.h"
#include "audit/values.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/overloaded.h"
#include "network/op_kind.h"

namespace plumb::audit {
namespace {

// One backward pass of a functional to the inputs.
class Substitution {
 public:
  Substitution(const Proven& known, const Choice& choice)
      : known_(known),
        network_(known.network),
        choice_(choice),
        rows_(known.network.nodes().size()),
        on_link_(known.list.units.size()),
        on_coordinates_(known.list.coordinates.size()) {}

  AffineForm form(const Functional& functional) {
    start(functional);
    for (network::NodeId id = last_ + 1; id-- > 0;) {
      if (row(id).empty() && !reaches_chains_of(id) && !has_multipliers_.contains(id)) continue;
      at_ = {id, -1, 0};
      leave(id);
    }
    return form_at_inputs();
  }

 private:
  std::vector<Interval>& row(network::NodeId id) { return rows_[id]; }

  void add(network::NodeId id, std::int64_t element, const Interval& coefficient) {
    if (row(id).empty()) row(id).resize(index(network_.size(id)));
    Interval& entry = row(id)[index(element)];
    entry = entry + coefficient;
    expect_finite(entry);
    last_ = std::max(last_, id);
  }

  // Infinity and NaN must not vanish in a product with zero. If they occur, nothing is proven.
  void expect_finite(const Interval& number) {
    if (!std::isfinite(number.low) || !std::isfinite(number.high)) broken_ = true;
  }

  void start(const Functional& functional) {
    for (const auto& [id, element, coefficient] : functional.on_elements) add(id, element, coefficient);
    for (const auto& [unit, coefficient] : functional.on_units) add_to_unit(unit, coefficient);
    for (const auto& [u, coefficient] : functional.on_coordinates) {
      on_coordinates_[index(u)] = on_coordinates_[index(u)] + coefficient;
    }
    for (const auto& prefix : functional.on_prefixes) {
      prefixes_.push_back(prefix);
      last_ = std::max(last_, known_.chains[prefix.chain].node);
    }
    constant_ = functional.constant;
    for (std::size_t k = 0; k < known_.places.size(); ++k) {
      if (!speaks_of(static_cast<std::int32_t>(k))) continue;
      has_multipliers_.insert(known_.places[k].node);
      last_ = std::max(last_, known_.places[k].node);
    }
  }

  // Whether a unit passes a coefficient to its argument even if its own coefficient is zero.
  bool speaks_of(std::int32_t unit) const {
    if (unit < 0) return false;
    if (!choice_.passed.empty()) return choice_.passed[index(unit)] != 0;
    return !choice_.side.empty() && choice_.side[index(unit)] != 0;
  }

  // Adds a coefficient to the value of a listed unit.
  void add_to_unit(std::int32_t unit, const Interval& coefficient) {
    const Proven::Place& place = known_.places[index(unit)];
    if (at_ && !comes_before(place)) throw InternalError("audit", "a cut refers to a unit that is not earlier");
    if (place.chain < 0) return add(place.node, place.element, coefficient);
    on_link_[index(unit)] = on_link_[index(unit)] + coefficient;
    expect_finite(on_link_[index(unit)]);
    links_touched_ = true;
    last_ = std::max(last_, place.node);
  }

  // Whether the pass has yet to reach a unit.
  bool comes_before(const Proven::Place& place) const {
    if (place.node != at_->node) return place.node < at_->node;
    if (place.chain < 0) return false;
    return place.element != at_->element ? place.element < at_->element : place.link < at_->link;
  }

  bool reaches_chains_of(network::NodeId id) const {
    return (links_touched_ || !prefixes_.empty()) && !known_.chain_of.empty() && !known_.chain_of[id].empty();
  }

  // Moves the row of a node to its arguments.
  void leave(network::NodeId id) {
    if (choice_.values && has_units(network_.node(id).op)) return end_at_values(id, taken(id));
    std::visit(
        Overloaded{[](const network::Input&) {}, [&](const network::AffineOp auto&) { leave_affine(id, taken(id)); },
                   [&](const network::Relu&) { leave_relu(id, taken(id)); },
                   [&](const network::Maximum& op) { leave_maximum(id, op, taken(id)); }},
        network_.node(id).op);
  }

  // The node's row, which is empty from then on.
  std::vector<Interval> taken(network::NodeId id) {
    if (row(id).empty()) row(id).resize(index(network_.size(id)));
    return std::exchange(row(id), {});
  }

  // Each element of the node may have any value within its bounds.
  void end_at_values(network::NodeId id, const std::vector<Interval>& leaving) {
    for (std::size_t i = 0; i < leaving.size(); ++i) {
      if (leaving[i].is_zero()) continue;
      const Interval term = leaving[i] * Interval(known_.lower[id][i], known_.upper[id][i]);
      constant_ = constant_ + term;
      of_values_ += magnitude(term);
    }
  }

  void leave_affine(network::NodeId id, const std::vector<Interval>& leaving) {
    const network::Node& node = network_.node(id);
    Interval v;
    const VisitTerm pass_on = [&](std::size_t a, std::int64_t element, const Interval& w) {
      if (!w.is_zero()) add(node.arguments[a], element, v * w);
    };
    for (std::size_t i = 0; i < leaving.size(); ++i) {
      v = leaving[i];
      if (v.is_zero()) continue;
      constant_ = constant_ + v * for_each_term(network_, id, static_cast<std::int64_t>(i), pass_on);
    }
  }

  void leave_relu(network::NodeId id, const std::vector<Interval>& leaving) {
    const network::NodeId argument = network_.node(id).arguments[0];
    for (std::size_t i = 0; i < leaving.size(); ++i) {
      const std::int32_t unit = known_.listed ? known_.unit_of[id][i] : -1;
      if (leaving[i].is_zero() && !speaks_of(unit)) continue;
      const auto [l, u] = within_range(unit, known_.lower[argument][i], known_.upper[argument][i]);
      const double slope = known_.listed || known_.relu_slope[id].empty() ? (u > -(1 - 0x1p-20) * l ? 1.0 : 0.0)
                                                                          : known_.relu_slope[id][i];
      const double m = unit >= 0 ? through_unit(unit, leaving[i].low, l, u) : along_lines(leaving[i].low, slope, l, u);
      if (m != 0) add(argument, static_cast<std::int64_t>(i), m);
    }
  }

  // Elements in reverse order: cuts of later ones may contain earlier ones.
  void leave_maximum(network::NodeId id, const network::Maximum& op, const std::vector<Interval>& leaving) {
    for (std::size_t i = leaving.size(); i-- > 0;) {
      const auto element = static_cast<std::int64_t>(i);
      at_->element = element;
      if (known_.listed && known_.list.maxima_are_chains) {
        const auto chain = known_.chain_of[id].find(element);
        if (chain != known_.chain_of[id].end()) {
          leave_chain(chain->second, leaving[i]);
          continue;
        }
      }
      if (!leaving[i].is_zero()) leave_along_lines(id, op.group(element), element, leaving[i]);
    }
  }

  // w is the coefficient of L_j = L_(j-1) + relu(x_member - L_(j-1)). If m passes to the argument of the relu, L_(j-1)
  // keeps w - m.
  void leave_chain(std::size_t number, const Interval& on_maximum) {
    const Proven::Chain& chain = known_.chains[number];
    const network::NodeId argument = network_.node(chain.node).arguments[0];
    Interval w = on_maximum;
    constant_ = constant_ + Interval(times_down(std::min(0.0, w.low), chain.left_out));
    for (std::size_t j = chain.links.size() + 1; j-- > 0;) {
      for (const Functional::OnPrefix& prefix : prefixes_) {
        if (prefix.chain == number && prefix.position == j) w = w + prefix.coefficient;
      }
      if (j == 0) break;
      const Proven::Link& link = chain.links[j - 1];
      const std::int32_t unit = link.claim.unit;
      at_->link = j - 1;
      const Interval on_relu = unit >= 0 ? w + on_link_[index(unit)] : w;
      if (on_relu.is_zero() && !speaks_of(unit)) continue;
      const double slope = link.claim.place == events::MaximumChain::Place::kAbove ? 1 : 0;
      const auto [l, u] = within_range(unit, link.lower, link.upper);
      const double m = unit >= 0 ? through_unit(unit, on_relu.low, l, u) : along_lines(on_relu.low, slope, l, u);
      if (m == 0) continue;
      add(argument, link.claim.member, m);
      w = w - Interval(m);
    }
    if (!w.is_zero()) add(argument, chain.first, w);
  }

  // y >= x_below holds for any member. y <= s . x + t holds on a box for the t that touching() computes.
  void leave_along_lines(network::NodeId id, std::span<const std::int32_t> members, std::int64_t element,
                         const Interval& v) {
    const network::NodeId argument = network_.node(id).arguments[0];
    const events::MaximumClaim& lines = known_.maxima[id][index(element)];
    const auto is_member = [&](std::int64_t m) { return std::ranges::find(members, m) != members.end(); };
    if (!is_member(lines.below) || !std::ranges::all_of(lines.above, is_member)) {
      throw InternalError("audit", "the lines of a maximum do not fit its members");
    }
    if (lines.above.size() == 1) {  // it is claimed to be the largest everywhere
      constant_ =
          constant_ + Interval(times_down(std::min(0.0, v.low), known_.most_ahead(id, element, lines.above[0], {})));
      return add(argument, lines.above[0], v);
    }
    if (v.low >= 0) return add(argument, lines.below, v);
    if (v.high > 0) {  // of unknown sign, and close to zero
      const double high = std::max(0.0, known_.upper[id][index(element)]);
      const double low = std::min(0.0, known_.lower[id][index(element)]);
      constant_ = constant_ + Interval(std::min(times_down(v.low, high), times_down(v.high, low)));
      return;
    }
    std::map<std::int64_t, double> slope;
    for (std::size_t m = 0; m < lines.above.size(); ++m) slope[lines.above[m]] = std::clamp(lines.slope[m], 0.0, 1.0);
    constant_ = constant_ + v * Interval(touching(argument, members, slope));
    for (const auto& [member, s] : slope) add(argument, member, v * Interval(s));
  }

  // An upper bound on max over m of (1 - s_m) u_m - sum over j != m of s_j l_j.
  double touching(network::NodeId argument, std::span<const std::int32_t> members,
                  const std::map<std::int64_t, double>& slope) {
    double most = -kInfinity;
    for (const std::int32_t m : members) {
      const auto own = slope.find(m);
      Interval t =
          (Interval(1) - Interval(own == slope.end() ? 0 : own->second)) * Interval(known_.upper[argument][index(m)]);
      for (const auto& [j, s] : slope) {
        if (j != m) t = t - Interval(s) * Interval(known_.lower[argument][index(j)]);
      }
      most = std::max(most, t.high);
    }
    return most;
  }

  // Adds the c of v relu(z) >= m z + c on [l, u] to the constant and returns m.
  double along_lines(double v, double slope, double l, double u) {
    if (l >= 0) return v;
    if (u <= 0) return 0;
    if (v > 0) return std::clamp(std::clamp(slope, 0.0, 1.0) * v, 0.0, v);
    return along_upper_line(v, std::clamp(u / (u - l), 0.0, 1.0), l, u);
  }

  // The same for v <= 0 and l <= 0 <= u, where `slope` in [0, 1] is that of the upper line.
  double along_upper_line(double v, double slope, double l, double u) {
    const double m = std::clamp(slope * v, v, 0.0);
    const double at_l = times_down(-m, l), at_u = times_down(sum_down(v, -m), u);
    constant_ = constant_ + Interval(std::min(at_l, at_u));
    return m;
  }

  Interval within_range(std::int32_t unit, double l, double u) const {
    if (unit < 0 || choice_.ranges.empty()) return {l, u};
    return {std::max(l, choice_.ranges[index(unit)].low), std::min(u, choice_.ranges[index(unit)].high)};
  }

  // The slope of the line that a search draws over the claimed range. That matters where the range is hardly wider than
  // rounding errors, because the line over the proven range may then have any other slope.
  double upper_slope(std::int32_t unit) const {
    const events::UnitClaim& claim = known_.list.units[index(unit)];
    const auto [l, u] = within_range(unit, claim.lower, claim.upper);
    if (l >= 0) return 1;
    return u <= 0 ? 0 : std::clamp(u / (u - l), 0.0, 1.0);
  }

  double through_unit(std::int32_t unit, double v, double l, double u) {
    const std::size_t k = index(unit);
    const int side = choice_.side.empty() ? 0 : choice_.side[k];
    const double multiplier = choice_.multiplier.empty() ? 0 : std::max(0.0, choice_.multiplier[k]);
    if (!choice_.passed.empty()) return passed_on(choice_.passed[k], v, side, l, u);
    if (side > 0) return std::min(v, v - multiplier);
    if (side < 0) return multiplier;
    if (choice_.box) {
      constant_ = constant_ + Interval(times_down(v, std::max(0.0, v > 0 ? l : u)));
      return 0;
    }
    if (v > 0) {
      const double slope = choice_.slope.empty() ? known_.list.units[k].slope : choice_.slope[k];
      return std::clamp(std::clamp(slope, 0.0, 1.0) * v, 0.0, v);
    }
    return along_upper_line(share_out(unit, v), upper_slope(unit), std::min(l, 0.0), std::max(u, 0.0));
  }

  // v relu(z) = m z + (v relu(z) - m z). The second part is least at zero or at an end of the range of z; that minimum
  // is added to the constant. Returns m.
  double passed_on(double m, double v, int side, double l, double u) {
    double least = 0;
    if (side >= 0) least = std::min(least, times_down(sum_down(v, -m), std::max(0.0, u)));
    if (side <= 0) least = std::min(least, times_down(-m, std::min(0.0, l)));
    constant_ = constant_ + Interval(least);
    return m;
  }

  // Cuts take their shares of a negative coefficient. Returns what is left of it.
  double share_out(std::int32_t unit, double v) {
    const auto cuts = choice_.cuts.find(unit);
    if (cuts == choice_.cuts.end()) return v;
    double left = v;
    for (const auto& [cut, weight] : cuts->second) {
      const double share = std::max(left, v * std::max(0.0, weight));  // not below `left`: the rest stays <= 0
      if (!(share < 0)) continue;
      left = std::min(0.0, sum_down(left, -share));
      for (const auto& [u, g] : cut->claim.on_coordinates) {
        on_coordinates_[index(u)] = on_coordinates_[index(u)] + Interval(share) * Interval(g);
      }
      for (const auto& [k, g] : cut->claim.on_units) add_to_unit(k, Interval(share) * Interval(g));
      constant_ = constant_ + Interval(share) * Interval(cut->constant);
    }
    return left;
  }

  AffineForm form_at_inputs() {
    AffineForm form{std::vector<Interval>(known_.inputs.size()), on_coordinates_, constant_};
    for (network::NodeId id = 0; id < network_.nodes().size(); ++id) {
      const network::Input* input = as_input(network_.node(id).op);
      if (input == nullptr || row(id).empty()) continue;
      const auto offset = index(network_.input_offset(input->index));
      for (std::size_t i = 0; i < row(id).size(); ++i) {
        form.on_inputs[offset + i] = form.on_inputs[offset + i] + row(id)[i];
      }
      row(id).clear();
    }
    for (const Interval& u : on_coordinates_) expect_finite(u);
    expect_finite(constant_);
    if (broken_) {  // minus infinity, which is below everything
      return {std::vector<Interval>(known_.inputs.size()), std::vector<Interval>(on_coordinates_.size()), -kInfinity};
    }
    form.magnitude = magnitude(constant_) + of_values_;
    for (std::size_t i = 0; i < known_.inputs.size(); ++i) {
      form.magnitude += magnitude(form.on_inputs[i]) * magnitude(known_.inputs[i]);
    }
    for (const Interval& u : on_coordinates_) form.magnitude += magnitude(u);
    return form;
  }

  const Proven& known_;
  const network::Network& network_;
  const Choice& choice_;
  std::vector<std::vector<Interval>> rows_;         // of each node; empty if it has no coefficients yet
  std::vector<Interval> on_link_, on_coordinates_;  // coefficients of chain units' values, and of u
  std::vector<Functional::OnPrefix> prefixes_;
  bool links_touched_ = false, broken_ = false;
  std::set<network::NodeId> has_multipliers_;
  struct At {
    network::NodeId node = 0;
    std::int64_t element = 0;
    std::size_t link = 0;
  };
  std::optional<At> at_;  // where the pass is; nullopt before it starts
  Interval constant_;
  double of_values_ = 0;  // the magnitude of the terms of end_at_values()
  network::NodeId last_ = 0;
};

}  // namespace

double Proven::most_ahead(network::NodeId node, std::int64_t element, std::int64_t leader,
                          std::span<const Link> links) const {
  const network::NodeId argument = network.node(node).arguments[0];
  double most = 0;
  for (const std::int32_t m : std::get<network::Maximum>(network.node(node).op).group(element)) {
    const auto linked = [&](const Link& link) { return link.claim.member == m; };
    if (m == leader || std::ranges::any_of(links, linked)) continue;
    most = std::max(most, sum_up(upper[argument][index(m)], -lower[argument][index(leader)]));
  }
  return most;
}

AffineForm affine_form(const Proven& known, const Functional& functional, const Choice& choice) {
  for (const auto& term : functional.on_elements) {
    if (known.lower[term.node].empty()) throw InternalError("audit", "a claim about a node without bounds");
  }
  return Substitution(known, choice).form(functional);
}

AffineForm combined(const AffineForm& a, double factor, const AffineForm& b) {
  AffineForm sum = a;
  for (std::size_t i = 0; i < sum.on_inputs.size(); ++i)
    sum.on_inputs[i] = sum.on_inputs[i] + b.on_inputs[i] * Interval(factor);
  for (std::size_t i = 0; i < sum.on_coordinates.size(); ++i)
    sum.on_coordinates[i] = sum.on_coordinates[i] + b.on_coordinates[i] * Interval(factor);
  sum.constant = sum.constant + b.constant * Interval(factor);
  sum.magnitude += factor * b.magnitude;
  return sum;
}

Bound minimum_over_piece(const Proven& known, const AffineForm& form, std::span<const double> on_region,
                         std::span<const Interval> coordinates) {
  const RegionFunctional functional{form.on_inputs, form.on_coordinates, known.list.coordinates, on_region,
                                    coordinates};
  Bound bound{sum_down(minimum(known.region, functional), form.constant.low), form.magnitude};
  if (std::isnan(bound.value)) bound.value = -kInfinity;
  return bound;
}

Bound lower_bound(const Proven& known, const Functional& functional, const Choice& choice) {
  return minimum_over_piece(known, affine_form(known, functional, choice), choice.on_region, choice.coordinates);
}

}  // namespace plumb::audit
