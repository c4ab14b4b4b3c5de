#include "audit/piece.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <set>

#include "audit/layers.h"
#include "audit/region_minimum.h"
#include "audit/values.h"
#include "base/error.h"

namespace plumb::audit {
namespace {

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

constexpr double kInf = std::numeric_limits<double>::infinity();

// A claim may be this much better than what is proven again, relative to the numbers involved: bounds are rounded
// differently, and lines that rest on them lie elsewhere by as much.
constexpr double kSameBound = 0x1p-20;
// Bounds by intervals that are as good as the claim up to this need no pass.
constexpr double kGoodEnough = 0x1p-44;

}  // namespace

// One functional on its way to the inputs.
class Substitution {
 public:
  Substitution(Piece& piece, const Choice& choice)
      : piece_(piece), network_(piece.network_), choice_(choice), on_link_(piece.list_.units.size()) {
    on_coordinates_.resize(piece.list_.coordinates.size());
  }

  Bound bound(const Functional& functional) {
    start(functional);
    for (NodeId id = last_ + 1; id-- > 0;) {
      if (row(id).empty() && !reaches_chains_of(id) && !has_multipliers_.contains(id)) continue;
      at_ = {id, -1, 0};
      leave(id);
    }
    return minimum_at_inputs();
  }

 private:
  std::vector<Interval>& row(NodeId id) { return piece_.on_node_[id]; }

  void add(NodeId id, std::int64_t element, const Interval& coefficient) {
    if (row(id).empty()) row(id).resize(index(network_.size(id)));
    Interval& entry = row(id)[index(element)];
    entry = entry + coefficient;
    expect_finite(entry);
    last_ = std::max(last_, id);
  }

  // Numbers that are too large, or none, must not get lost beside a zero: nothing is proven then.
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
      last_ = std::max(last_, piece_.chains_[prefix.chain].node);
    }
    constant_ = functional.constant;
    for (std::size_t k = 0; k < piece_.places_.size(); ++k) {
      if (!speaks_of(static_cast<std::int32_t>(k))) continue;
      has_multipliers_.insert(piece_.places_[k].node);
      last_ = std::max(last_, piece_.places_[k].node);
    }
  }

  // Whether a unit passes something on even where nothing asks about its value.
  bool speaks_of(std::int32_t unit) const {
    if (unit < 0) return false;
    if (!choice_.passed.empty()) return choice_.passed[index(unit)] != 0;
    return !choice_.side.empty() && choice_.side[index(unit)] != 0;
  }

  // To the value of a listed unit.
  void add_to_unit(std::int32_t unit, const Interval& coefficient) {
    const Piece::Place& place = piece_.places_[index(unit)];
    if (at_ && !comes_before(place)) throw InternalError("audit", "a cut speaks of a unit that is not earlier");
    if (place.chain < 0) return add(place.node, place.element, coefficient);
    on_link_[index(unit)] = on_link_[index(unit)] + coefficient;
    expect_finite(on_link_[index(unit)]);
    links_touched_ = true;
    last_ = std::max(last_, place.node);
  }

  // Whether a unit is still ahead, on the way back.
  bool comes_before(const Piece::Place& place) const {
    if (place.node != at_->node) return place.node < at_->node;
    if (place.chain < 0) return false;
    return place.element != at_->element ? place.element < at_->element : place.link < at_->link;
  }

  bool reaches_chains_of(NodeId id) const {
    return (links_touched_ || !prefixes_.empty()) && !piece_.chain_of_.empty() && !piece_.chain_of_[id].empty();
  }

  // Moves the row of a node to its arguments.
  void leave(NodeId id) {
    const Node& node = network_.node(id);
    if (std::holds_alternative<Input>(node.op)) return;
    if (row(id).empty()) row(id).resize(index(network_.size(id)));
    const std::vector<Interval> leaving = std::move(row(id));
    row(id).clear();
    if (std::holds_alternative<Relu>(node.op)) return leave_relu(id, leaving);
    if (std::holds_alternative<Maximum>(node.op)) return leave_maximum(id, leaving);
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

  void leave_relu(NodeId id, const std::vector<Interval>& leaving) {
    const NodeId argument = network_.node(id).arguments[0];
    for (std::size_t i = 0; i < leaving.size(); ++i) {
      const std::int32_t unit = piece_.listed_ ? piece_.unit_of_[id][i] : -1;
      if (leaving[i].is_zero() && !speaks_of(unit)) continue;
      const double l = piece_.lower_[argument][i], u = piece_.upper_[argument][i];
      const double slope =
          piece_.listed_ || piece_.relu_slope_[id].empty() ? (u > -l ? 1.0 : 0.0) : piece_.relu_slope_[id][i];
      const double m = unit >= 0 ? through_unit(unit, leaving[i].low, l, u) : along_lines(leaving[i].low, slope, l, u);
      if (m != 0) add(argument, static_cast<std::int64_t>(i), m);
    }
  }

  // Elements in reverse: the cuts of later ones may speak of earlier ones.
  void leave_maximum(NodeId id, const std::vector<Interval>& leaving) {
    for (std::size_t i = leaving.size(); i-- > 0;) {
      const auto element = static_cast<std::int64_t>(i);
      at_->element = element;
      if (piece_.listed_ && piece_.list_.maxima_are_chains) {
        const auto chain = piece_.chain_of_[id].find(element);
        if (chain != piece_.chain_of_[id].end()) {
          leave_chain(chain->second, leaving[i]);
          continue;
        }
      }
      if (!leaving[i].is_zero()) leave_along_lines(id, element, leaving[i]);
    }
  }

  // W is the coefficient of L_j, of which L_(j-1) keeps W - m.
  void leave_chain(std::size_t number, const Interval& on_maximum) {
    const Piece::Chain& chain = piece_.chains_[number];
    const NodeId argument = network_.node(chain.node).arguments[0];
    Interval w = on_maximum;
    constant_ = constant_ + Interval(times_down(std::min(0.0, w.low), chain.left_out));
    for (std::size_t j = chain.links.size() + 1; j-- > 0;) {
      for (const Functional::OnPrefix& prefix : prefixes_) {
        if (prefix.chain == number && prefix.position == j) w = w + prefix.coefficient;
      }
      if (j == 0) break;
      const Piece::Link& link = chain.links[j - 1];
      const std::int32_t unit = link.claim.unit;
      at_->link = j - 1;
      const Interval on_relu = unit >= 0 ? w + on_link_[index(unit)] : w;
      if (on_relu.is_zero() && !speaks_of(unit)) continue;
      const double slope = link.claim.place == MaximumChain::Place::kAbove ? 1 : 0;
      const double m = unit >= 0 ? through_unit(unit, on_relu.low, link.lower, link.upper)
                                 : along_lines(on_relu.low, slope, link.lower, link.upper);
      if (m == 0) continue;
      add(argument, link.claim.member, m);
      w = w - Interval(m);
    }
    if (!w.is_zero()) add(argument, chain.first, w);
  }

  // y >= x_below for any member; y <= s . x + t on a box for the t at which the line touches.
  void leave_along_lines(NodeId id, std::int64_t element, const Interval& v) {
    const NodeId argument = network_.node(id).arguments[0];
    const MaximumClaim& lines = piece_.maxima_[id][index(element)];
    const auto members = members_of(std::get<Maximum>(network_.node(id).op), element);
    const auto is_member = [&](std::int64_t m) { return std::ranges::find(members, m) != members.end(); };
    if (!is_member(lines.below) || !std::ranges::all_of(lines.above, is_member)) {
      throw InternalError("audit", "the lines of a maximum are about others than its members");
    }
    if (lines.above.size() == 1) {  // it is said to win always
      constant_ =
          constant_ + Interval(times_down(std::min(0.0, v.low), piece_.most_ahead(id, element, lines.above[0], {})));
      return add(argument, lines.above[0], v);
    }
    if (v.low >= 0) return add(argument, lines.below, v);
    if (v.high > 0) {  // of unknown sign, and nearly zero
      const double high = std::max(0.0, piece_.upper_[id][index(element)]);
      const double low = std::min(0.0, piece_.lower_[id][index(element)]);
      constant_ = constant_ + Interval(std::min(times_down(v.low, high), times_down(v.high, low)));
      return;
    }
    std::map<std::int64_t, double> slope;
    for (std::size_t m = 0; m < lines.above.size(); ++m) slope[lines.above[m]] = std::clamp(lines.slope[m], 0.0, 1.0);
    constant_ = constant_ + v * Interval(touching(argument, members, slope));
    for (const auto& [member, s] : slope) add(argument, member, v * Interval(s));
  }

  // At most max over m of (1 - s_m) u_m - sum over j != m of s_j l_j.
  double touching(NodeId argument, std::span<const std::int32_t> members, const std::map<std::int64_t, double>& slope) {
    double most = -kInf;
    for (const std::int32_t m : members) {
      const auto own = slope.find(m);
      Interval t =
          (Interval(1) - Interval(own == slope.end() ? 0 : own->second)) * Interval(piece_.upper_[argument][index(m)]);
      for (const auto& [j, s] : slope) {
        if (j != m) t = t - Interval(s) * Interval(piece_.lower_[argument][index(j)]);
      }
      most = std::max(most, t.high);
    }
    return most;
  }

  // v relu(z) >= m z + constant on [l, u]; returns m.
  double along_lines(double v, double slope, double l, double u) {
    if (l >= 0) return v;
    if (u <= 0) return 0;
    if (v > 0) return std::clamp(std::clamp(slope, 0.0, 1.0) * v, 0.0, v);
    const double m = std::clamp(std::clamp(u / (u - l), 0.0, 1.0) * v, v, 0.0);
    const double at_l = times_down(-m, l), at_u = times_down(sum_down(v, -m), u);
    constant_ = constant_ + Interval(std::min(at_l, at_u));
    return m;
  }

  double through_unit(std::int32_t unit, double v, double l, double u) {
    const std::size_t k = index(unit);
    const int side = choice_.side.empty() ? 0 : choice_.side[k];
    const double multiplier = choice_.multiplier.empty() ? 0 : std::max(0.0, choice_.multiplier[k]);
    if (!choice_.passed.empty()) return passed_on(choice_.passed[k], v, side, l, u);
    if (side > 0) return std::min(v, v - multiplier);
    if (side < 0) return multiplier;
    if (v > 0) {
      const double slope = choice_.slope.empty() ? piece_.list_.units[k].slope : choice_.slope[k];
      return choice_.box ? 0 : std::clamp(std::clamp(slope, 0.0, 1.0) * v, 0.0, v);
    }
    if (choice_.box) {
      constant_ = constant_ + Interval(times_down(v, std::max(0.0, u)));
      return 0;
    }
    return along_lines(share_out(unit, v), 0, std::min(l, 0.0), std::max(u, 0.0));
  }

  // v relu(z) is m z + (v relu(z) - m z), whose second part is least at zero or at an end of what z may be.
  double passed_on(double m, double v, int side, double l, double u) {
    double least = 0;
    if (side >= 0) least = std::min(least, times_down(sum_down(v, -m), std::max(0.0, u)));
    if (side <= 0) least = std::min(least, times_down(-m, std::min(0.0, l)));
    constant_ = constant_ + Interval(least);
    return m;
  }

  // Cuts take their shares of a negative coefficient; what is left is returned.
  double share_out(std::int32_t unit, double v) {
    const auto cuts = choice_.cuts.find(unit);
    if (cuts == choice_.cuts.end()) return v;
    double left = v;
    for (const auto& [cut, weight] : cuts->second) {
      const double share = std::max(left, v * std::max(0.0, weight));  // at least what is left: that stays negative
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

  Bound minimum_at_inputs() {
    RegionFunctional functional{std::vector<Interval>(piece_.inputs_.size()), on_coordinates_, piece_.list_.coordinates,
                                choice_.on_region};
    for (NodeId id = 0; id < network_.nodes().size(); ++id) {
      const auto* input = std::get_if<Input>(&network_.node(id).op);
      if (input == nullptr || row(id).empty()) continue;
      const auto offset = index(network_.input_offset(input->index));
      for (std::size_t i = 0; i < row(id).size(); ++i) {
        functional.on_inputs[offset + i] = functional.on_inputs[offset + i] + row(id)[i];
      }
      row(id).clear();
    }
    for (const Interval& u : on_coordinates_) expect_finite(u);
    expect_finite(constant_);
    if (broken_) return {-kInf, 0};
    Bound bound;
    bound.size = magnitude(constant_);
    for (std::size_t i = 0; i < piece_.inputs_.size(); ++i) {
      bound.size += magnitude(functional.on_inputs[i]) * magnitude(piece_.inputs_[i]);
    }
    for (const Interval& u : on_coordinates_) bound.size += magnitude(u);
    bound.value = sum_down(minimum(piece_.region_, functional), constant_.low);
    if (std::isnan(bound.value)) bound.value = -kInf;
    return bound;
  }

  Piece& piece_;
  const Network& network_;
  const Choice& choice_;
  std::vector<Interval> on_link_, on_coordinates_;  // coefficients of chain units' values, and of u
  std::vector<Functional::OnPrefix> prefixes_;
  bool links_touched_ = false, broken_ = false;
  std::set<NodeId> has_multipliers_;
  struct At {
    NodeId node = 0;
    std::int64_t element = 0;
    std::size_t link = 0;
  };
  std::optional<At> at_;  // where the way back has come to
  Interval constant_;
  NodeId last_ = 0;
};

Piece::Piece(const Network& network, SimpleRegion region)
    : network_(network),
      region_(std::move(region)),
      inputs_(box_around(region_)),
      may_be_empty_(std::holds_alternative<Polytope>(region_) || std::holds_alternative<AffineImage>(region_)),
      empty_(is_certainly_empty(region_)),
      lower_(network.nodes().size()),
      upper_(network.nodes().size()),
      relu_slope_(network.nodes().size()),
      maxima_(network.nodes().size()),
      on_node_(network.nodes().size()) {}

Bound Piece::lower_bound(const Functional& functional, const Choice& choice) {
  for (const auto& term : functional.on_elements) {
    if (lower_[term.node].empty()) throw InternalError("audit", "a claim about what has no bounds yet");
  }
  return Substitution(*this, choice).bound(functional);
}

void Piece::bound_by_intervals(NodeId id) {
  const auto known = [&](NodeId of, std::int64_t i) { return Interval(lower_[of][index(i)], upper_[of][index(i)]); };
  for (const Interval& value : values_of(network_, id, inputs_, known)) {
    lower_[id].push_back(value.low);
    upper_[id].push_back(value.high);
  }
}

void Piece::take_lines(const NodeClaim& claim) {
  const auto size = index(network_.size(claim.node));
  const Op& op = network_.node(claim.node).op;
  if ((std::holds_alternative<Relu>(op) && claim.slope.size() != size) ||
      (std::holds_alternative<Maximum>(op) && claim.maxima.size() != size)) {
    throw InternalError("audit", "a node's lines are not those of its elements");
  }
  relu_slope_[claim.node].assign(claim.slope.begin(), claim.slope.end());
  maxima_[claim.node] = claim.maxima;
}

void Piece::bound_nodes(std::span<const NodeClaim> claims) {
  if (empty_) return;
  if (claims.size() != network_.nodes().size()) throw InternalError("audit", "there are nodes without bounds");
  if (!lower_[0].empty()) throw InternalError("audit", "nodes are bounded twice");
  for (NodeId id = 0; id < network_.nodes().size() && !empty_; ++id) {
    bound_by_intervals(id);
    const NodeClaim& claim = claims[id];
    if (claim.node != id || claim.lower.size() != lower_[id].size() || claim.upper.size() != upper_[id].size()) {
      throw InternalError("audit", "bounds of nodes are not in order");
    }
    take_lines(claim);
    for (std::size_t i = 0; i < claim.lower.size() && !empty_; ++i) {
      bound_element(id, static_cast<std::int64_t>(i), claim.lower[i], claim.upper[i], false);
    }
  }
}

// By a pass backward, where that is needed to be as good as the claim.
void Piece::bound_element(NodeId id, std::int64_t element, double claimed_lower, double claimed_upper, bool always) {
  double &lower = lower_[id][index(element)], &upper = upper_[id][index(element)];
  const double scale = std::max(std::abs(lower), std::abs(upper));
  const Choice along;
  if (always || claimed_lower > lower + kGoodEnough * scale) {
    raise(id, element, lower_bound({{{id, element, 1.0}}, {}, {}, {}, {}}, along).value, upper);
    ++bounds_proven_;
  }
  if (!empty_ && (always || claimed_upper < upper - kGoodEnough * scale)) {
    raise(id, element, lower, -lower_bound({{{id, element, -1.0}}, {}, {}, {}, {}}, along).value);
    ++bounds_proven_;
  }
  if (empty_) return;
  const auto what = [&] { return fmt::format("bounds of node '{}', element {}", network_.node(id).name, element); };
  if (!(claimed_lower <= lower + kSameBound * scale)) expect(false, what(), claimed_lower, lower);
  if (!(claimed_upper >= upper - kSameBound * scale)) expect(false, what(), claimed_upper, upper);
}

// Better bounds, or a proof that there is nothing to bound.
void Piece::raise(NodeId id, std::int64_t element, double lower, double upper) {
  double &low = lower_[id][index(element)], &high = upper_[id][index(element)];
  if (std::max(low, lower) > std::min(high, upper)) {
    if (!may_be_empty_) throw InternalError("audit", "bounds cross over a region that is not empty");
    empty_ = true;
    return;
  }
  low = std::max(low, lower);
  high = std::min(high, upper);
}

bool Piece::proves_empty(std::span<const NodeClaim> lines) {
  for (NodeId id = 0; id < lines.size() && may_be_empty_ && !empty_; ++id) {
    bound_by_intervals(id);
    take_lines(lines[id]);
    for (std::int64_t i = 0; i < network_.size(id) && !empty_; ++i) bound_element(id, i, -kInf, kInf, true);
  }
  return empty_;
}

void Piece::list_units(const UnitList& list) {
  if (empty_) return;
  if (lower_.back().empty()) throw InternalError("audit", "units are listed before nodes are bounded");
  if (!list.maxima_are_chains && !list.chains.empty()) throw InternalError("audit", "chains that are not to be used");
  list_ = list;
  listed_ = true;
  places_.clear();
  chains_.clear();
  unit_of_.assign(network_.nodes().size(), {});
  chain_of_.assign(network_.nodes().size(), {});
  for (NodeId id = 0; id < network_.nodes().size(); ++id) {
    if (std::holds_alternative<Relu>(network_.node(id).op)) unit_of_[id].assign(index(network_.size(id)), -1);
  }
  for (const NodeClaim& claim : list.maxima) take_lines(claim);
  for (const UnitClaim& unit : list.units) {
    places_.push_back({unit.node, unit.element, -1, 0});
    if (unit.node >= network_.nodes().size() || unit.element < 0 || unit.element >= network_.size(unit.node)) {
      throw InternalError("audit", "a listed unit is nowhere in the network");
    }
    if (!unit_of_[unit.node].empty()) {
      unit_of_[unit.node][index(unit.element)] = static_cast<std::int32_t>(places_.size()) - 1;
    }
  }
  for (const MaximumChain& chain : list.chains) add_chain(chain);
  const auto is_lost = [&](const Place& place) { return place.chain < 0 && unit_of_[place.node].empty(); };
  if (!empty_ && std::ranges::any_of(places_, is_lost)) {
    throw InternalError("audit", "a listed unit is neither a ReLU nor a link of a chain");
  }
}

// Links in order: each one's argument is bounded along the lines of those before it.
void Piece::add_chain(const MaximumChain& claim) {
  if (empty_) return;
  if (claim.node >= network_.nodes().size()) throw InternalError("audit", "a chain of no node");
  const auto* maximum = std::get_if<Maximum>(&network_.node(claim.node).op);
  if (maximum == nullptr) throw InternalError("audit", "a chain that is no maximum");
  if (claim.element < 0 || claim.element >= network_.size(claim.node)) {
    throw InternalError("audit", "a chain of no element");
  }
  const auto members = members_of(*maximum, claim.element);
  const auto is_member = [&](std::int64_t m) { return std::ranges::find(members, m) != members.end(); };
  if (!is_member(claim.first)) throw InternalError("audit", "a chain's first is no member");
  const std::size_t number = chains_.size();
  const NodeId argument = network_.node(claim.node).arguments[0];
  if (chain_of_[claim.node].contains(claim.element)) throw InternalError("audit", "two chains of one maximum");
  chains_.push_back({claim.node, claim.element, claim.first, {}, 0});
  chain_of_[claim.node][claim.element] = number;
  for (const MaximumChain::Link& link : claim.links) {
    if (!is_member(link.member)) throw InternalError("audit", "a chain's link is no member");
    const std::size_t before = chains_[number].links.size();
    const auto ahead = [&](double sign) {
      Functional functional;
      functional.on_elements.push_back({argument, link.member, sign});
      functional.on_prefixes.push_back({number, before, -sign});
      return lower_bound(functional, {}).value;
    };
    const double lower = ahead(1), upper = -ahead(-1);
    bounds_proven_ += 2;
    chains_[number].links.push_back({link, lower, upper});
    const double scale = std::max(std::abs(lower), std::abs(upper));
    const std::string what =
        fmt::format("a link of node '{}', element {}", network_.node(claim.node).name, claim.element);
    switch (link.place) {
      case MaximumChain::Place::kBelow:
        expect(upper <= kSameBound * scale, what, 0, upper);
        break;
      case MaximumChain::Place::kAbove:
        expect(lower >= -kSameBound * scale, what, 0, lower);
        break;
      case MaximumChain::Place::kUnit: {
        expect_unit(link.unit);
        if (places_[index(link.unit)].chain >= 0) throw InternalError("audit", "a unit that is two links");
        const UnitClaim& unit = list_.units[index(link.unit)];
        places_[index(link.unit)] = {claim.node, claim.element, static_cast<std::int32_t>(number), before};
        expect(unit.lower <= lower + kSameBound * scale, what, unit.lower, lower);
        expect(unit.upper >= upper - kSameBound * scale, what, unit.upper, upper);
        break;
      }
    }
  }
  chains_[number].left_out = most_ahead(claim.node, claim.element, claim.first, chains_[number].links);
}

// How far a member that is neither the leader nor in a link may be above the leader; zero if it never is.
double Piece::most_ahead(NodeId node, std::int64_t element, std::int64_t leader, const std::vector<Link>& links) const {
  const NodeId argument = network_.node(node).arguments[0];
  double most = 0;
  for (const std::int32_t m : members_of(std::get<Maximum>(network_.node(node).op), element)) {
    const auto linked = [&](const Link& link) { return link.claim.member == m; };
    if (m == leader || std::ranges::any_of(links, linked)) continue;
    most = std::max(most, sum_up(upper_[argument][index(m)], -lower_[argument][index(leader)]));
  }
  return most;
}

void Piece::expect_unit(std::int32_t unit) const {
  if (unit >= 0 && index(unit) < places_.size()) return;
  throw InternalError("audit", fmt::format("unit {} is not in the list", unit));
}

Functional Piece::argument_of(std::int32_t unit, double factor) const {
  expect_unit(unit);
  const Place& place = places_[index(unit)];
  const NodeId argument = network_.node(place.node).arguments[0];
  Functional functional;
  if (place.chain < 0) {
    functional.on_elements.push_back({argument, place.element, factor});
    return functional;
  }
  const Chain& chain = chains_[index(place.chain)];
  functional.on_elements.push_back({argument, chain.links[place.link].claim.member, factor});
  functional.on_prefixes.push_back({index(place.chain), place.link, -factor});
  return functional;
}

void Piece::tighten(std::int32_t unit, double lower, std::span<const double> slope_below, double upper,
                    std::span<const double> slope_above) {
  if (empty_) return;
  expect_unit(unit);
  if (slope_below.size() != units() || slope_above.size() != units()) {
    throw InternalError("audit", "there must be one slope for each unit");
  }
  const double own_lower = lower_bound(argument_of(unit, 1), {.slope = slope_below}).value;
  const double own_upper = -lower_bound(argument_of(unit, -1), {.slope = slope_above}).value;
  bounds_proven_ += 2;
  const Place& place = places_[index(unit)];
  double low = 0, high = 0;
  if (place.chain < 0) {
    const NodeId argument = network_.node(place.node).arguments[0];
    raise(argument, place.element, own_lower, own_upper);
    if (empty_) return;
    low = lower_[argument][index(place.element)];
    high = upper_[argument][index(place.element)];
  } else {
    Link& link = chains_[index(place.chain)].links[place.link];
    low = link.lower = std::max(link.lower, own_lower);
    high = link.upper = std::min(link.upper, own_upper);
    if (low > high && may_be_empty_) empty_ = true;
  }
  const double scale = std::max(std::abs(low), std::abs(high));
  const std::string what =
      fmt::format("a unit of node '{}', element {}", network_.node(place.node).name, place.element);
  expect(empty_ || lower <= low + kSameBound * scale, what, lower, low);
  expect(empty_ || upper >= high - kSameBound * scale, what, upper, high);
}

// The claimed coefficients with a constant of our own: the least at which the cut lies above zero and above the owner's
// argument.
ProvenCut Piece::proven_cut(const CutClaim& claim, const CutProof& proof,
                            const std::map<std::int64_t, ProvenCut>& cuts) {
  expect_unit(claim.owner);
  Functional above_zero, above_argument = argument_of(claim.owner, -1);
  above_zero.constant = above_argument.constant = claim.constant;
  for (const auto& [u, g] : claim.on_coordinates) {
    if (u < 0 || index(u) >= list_.coordinates.size()) throw InternalError("audit", "a cut over unknown coordinates");
    above_zero.on_coordinates.push_back({u, g});
  }
  for (const auto& [k, g] : claim.on_units) {
    // Not about the owner itself, nor about what depends on it.
    expect_unit(k);
    if (k >= claim.owner) throw InternalError("audit", "a cut over units that are not earlier than its owner");
    above_zero.on_units.push_back({k, g});
  }
  above_argument.on_coordinates = above_zero.on_coordinates;
  above_argument.on_units = above_zero.on_units;
  Choice box, composed;
  box.box = true;
  composed.slope = proof.slope;
  if (proof.composed && (proof.slope.size() != units() || proof.above.size() != units())) {
    throw InternalError("audit", "there must be one slope and one cut for each unit");
  }
  for (std::size_t k = 0; proof.composed && k < proof.above.size(); ++k) {
    if (proof.above[k] < 0) continue;
    const auto cut = cuts.find(proof.above[k]);
    if (cut == cuts.end() || cut->second.claim.owner != static_cast<std::int32_t>(k)) {
      throw InternalError("audit", "a cut rests on one that is not known");
    }
    composed.cuts[static_cast<std::int32_t>(k)] = {{&cut->second, 1.0}};
  }
  const Bound zero = lower_bound(above_zero, box);
  const Bound argument = lower_bound(above_argument, proof.composed ? composed : box);
  const double missing = std::max({0.0, -zero.value, -argument.value});
  expect(empty_ || missing <= kSameBound * std::max(zero.size, argument.size),
         fmt::format("a cut of unit {}", claim.owner), claim.constant, claim.constant + missing);
  return {claim, sum_up(claim.constant, missing)};
}

// The upper end of factor (on_coordinates . u + on_units . r) is not needed anywhere else: u in [-1, 1], r in [0,
// upper].
double Piece::upper_of(std::int32_t unit) const {
  const Place& place = places_[index(unit)];
  const double upper = place.chain < 0 ? upper_[network_.node(place.node).arguments[0]][index(place.element)]
                                       : chains_[index(place.chain)].links[place.link].upper;
  return std::max(0.0, upper);
}

// S r <= sum_c w_c (cut_c), with S the sum of the weights: the claim's row is valid where S row - sum_c w_c row_c is
// not negative; what is missing is added to its constant.
ProvenCut Piece::merged_cut(const CutClaim& claim, std::span<const ProvenCut* const> of,
                            std::span<const double> weights) {
  expect_unit(claim.owner);
  Functional difference;
  Interval sum;
  for (std::size_t c = 0; c < of.size(); ++c) {
    if (of[c]->claim.owner != claim.owner || !(weights[c] >= 0)) throw InternalError("audit", "cuts that do not mix");
    const Interval w = weights[c];
    sum = sum + w;
    for (const auto& [u, g] : of[c]->claim.on_coordinates) difference.on_coordinates.push_back({u, -(w * Interval(g))});
    for (const auto& [k, g] : of[c]->claim.on_units) difference.on_units.push_back({k, -(w * Interval(g))});
    difference.constant = difference.constant - w * Interval(of[c]->constant);
  }
  if (!(sum.low > 0)) throw InternalError("audit", "cuts that are mixed without weights");
  for (const auto& [u, g] : claim.on_coordinates) {
    if (u < 0 || index(u) >= list_.coordinates.size()) throw InternalError("audit", "a cut over unknown coordinates");
    difference.on_coordinates.push_back({u, sum * Interval(g)});
  }
  for (const auto& [k, g] : claim.on_units) {
    expect_unit(k);
    if (k >= claim.owner) throw InternalError("audit", "a cut over units that are not earlier than its owner");
    difference.on_units.push_back({k, sum * Interval(g)});
  }
  difference.constant = difference.constant + sum * Interval(claim.constant);
  Choice box;
  box.box = true;
  const Bound bound = lower_bound(difference, box);
  const double missing = std::max(0.0, round_up(-bound.value / sum.low));
  double size = std::abs(claim.constant);
  for (const auto& [u, g] : claim.on_coordinates) size += std::abs(g);
  for (const auto& [k, g] : claim.on_units) size += std::abs(g) * upper_of(k);
  expect(empty_ || missing <= kSameBound * size, fmt::format("a mean of cuts of unit {}", claim.owner), claim.constant,
         claim.constant + missing);
  return {claim, sum_up(claim.constant, missing)};
}

void Piece::expect(bool confirmed, const std::string& what, double claimed, double proven) const {
  if (confirmed) return;
  throw InternalError("audit: " + what, fmt::format("{} is claimed, {} is what can be proven again", claimed, proven));
}

}  // namespace plumb::audit
