#include "audit/piece.h"

#include <fmt/format.h>

#include "audit/region_points.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/overloaded.h"
#include "network/op_kind.h"

namespace plumb::audit {
namespace {

// The members of one element of a maximum; none of another operation.
std::span<const std::int32_t> members_of(const network::Op& op, std::int64_t element) {
  using Members = std::span<const std::int32_t>;
  return std::visit(Overloaded{[](const network::OpWithoutUnits auto&) { return Members(); },
                               [](const network::Relu&) { return Members(); },
                               [&](const network::Maximum& maximum) { return maximum.group(element); }},
                    op);
}

// Whether the region may contain no point. Boxes and balls have one; that is checked when a Region is made.
bool may_be_empty(const property::SimpleRegion& region) {
  return std::visit(
      Overloaded{[](const property::Box&) { return false; }, [](const property::Ball&) { return false; },
                 [](const property::AffineImage&) { return true; }, [](const property::Polytope&) { return true; }},
      region);
}

std::string what_is_bounded(const events::CutClaim& cut) {
  return cut.is_joint() ? fmt::format("{} units", cut.bounded.size()) : fmt::format("unit {}", cut.bounded[0].first);
}

}  // namespace

Piece::Piece(const network::Network& network, property::SimpleRegion region, const std::atomic<bool>* cancel)
    : known_{network, region, box_around(region), {}, {}, {}, {}, false},
      cancel_(cancel),
      may_be_empty_(may_be_empty(region)),
      empty_(is_certainly_empty(region)) {
  for (auto* of_nodes : {&known_.lower, &known_.upper, &known_.relu_slope}) of_nodes->resize(network.nodes().size());
  known_.maxima.resize(network.nodes().size());
}

void Piece::list_units(const events::UnitList& list) {
  if (empty_) return;
  if (known_.lower.back().empty()) throw InternalError("audit", "units are listed before nodes are bounded");
  if (!list.maxima_are_chains && !list.chains.empty()) throw InternalError("audit", "unexpected chains");
  known_.list = list;
  known_.listed = true;
  forms_.clear();
  known_.places.clear();
  known_.chains.clear();
  known_.unit_of.assign(known_.network.nodes().size(), {});
  known_.chain_of.assign(known_.network.nodes().size(), {});
  for (network::NodeId id = 0; id < known_.network.nodes().size(); ++id) {
    const auto elements_are_units = [&](const network::Relu&) {
      known_.unit_of[id].assign(index(known_.network.size(id)), -1);
    };
    std::visit(
        Overloaded{[](const network::OpWithoutUnits auto&) {}, elements_are_units, [](const network::Maximum&) {}},
        known_.network.node(id).op);
  }
  for (const events::NodeClaim& claim : list.maxima) take_lines(claim);
  for (const events::UnitClaim& unit : list.units) {
    known_.places.push_back({unit.node, unit.element, -1, 0});
    if (unit.node >= known_.network.nodes().size() || unit.element < 0 ||
        unit.element >= known_.network.size(unit.node)) {
      throw InternalError("audit", "a listed unit does not exist in the network");
    }
    if (!known_.unit_of[unit.node].empty()) {
      known_.unit_of[unit.node][index(unit.element)] = static_cast<std::int32_t>(known_.places.size()) - 1;
    }
  }
  for (const events::MaximumChain& chain : list.chains) add_chain(chain);
  const auto is_lost = [&](const Proven::Place& place) {
    return place.chain < 0 && known_.unit_of[place.node].empty();
  };
  if (!empty_ && std::ranges::any_of(known_.places, is_lost)) {
    throw InternalError("audit", "a listed unit is neither a ReLU nor a link of a chain");
  }
}

// Adds links in order: the argument of each is bounded along the lines of those before it.
void Piece::add_chain(const events::MaximumChain& claim) {
  if (empty_) return;
  const bool is_somewhere = claim.node < known_.network.nodes().size() && claim.element >= 0 &&
                            claim.element < known_.network.size(claim.node);
  const std::span<const std::int32_t> members =
      is_somewhere ? members_of(known_.network.node(claim.node).op, claim.element) : std::span<const std::int32_t>();
  if (members.empty()) throw InternalError("audit", "a chain that does not belong to a maximum");
  const auto is_member = [&](std::int64_t m) { return std::ranges::find(members, m) != members.end(); };
  const std::size_t number = known_.chains.size();
  if (!known_.chain_of[claim.node].emplace(claim.element, number).second) {
    throw InternalError("audit", "two chains of one maximum");
  }
  if (!is_member(claim.first)) throw InternalError("audit", "the first of a chain is not a member");
  known_.chains.push_back({claim.node, claim.element, claim.first, {}, 0});
  for (const events::MaximumChain::Link& link : claim.links) {
    if (!is_member(link.member)) throw InternalError("audit", "a link of a chain is not a member");
    add_link(number, link);
  }
  Proven::Chain& chain = known_.chains[number];
  chain.left_out = known_.most_ahead(claim.node, claim.element, claim.first, chain.links);
}

void Piece::add_link(std::size_t number, const events::MaximumChain::Link& claim) {
  Proven::Chain& chain = known_.chains[number];
  const network::NodeId argument = known_.network.node(chain.node).arguments[0];
  const auto ahead = [&](double sign) {
    Functional functional;
    functional.on_elements.push_back({argument, claim.member, sign});
    functional.on_prefixes.push_back({number, chain.links.size(), -sign});
    return lower_bound(functional, {}).value;
  };
  const double lower = ahead(1), upper = -ahead(-1);
  bounds_proven_ += 2;
  const double close = kSameBound * std::max(std::abs(lower), std::abs(upper));
  const std::string what =
      fmt::format("a link of node '{}', element {}", known_.network.node(chain.node).name, chain.element);
  switch (claim.place) {
    case events::MaximumChain::Place::kBelow:
      expect(upper <= close, what, 0, upper);
      break;
    case events::MaximumChain::Place::kAbove:
      expect(lower >= -close, what, 0, lower);
      break;
    case events::MaximumChain::Place::kUnit: {
      expect_unit(claim.unit);
      Proven::Place& place = known_.places[index(claim.unit)];
      if (place.chain >= 0) throw InternalError("audit", "a unit that is two links");
      place = {chain.node, chain.element, static_cast<std::int32_t>(number), chain.links.size()};
      const events::UnitClaim& unit = known_.list.units[index(claim.unit)];
      expect(unit.lower <= lower + close, what, unit.lower, lower);
      expect(unit.upper >= upper - close, what, unit.upper, upper);
      break;
    }
  }
  chain.links.push_back({claim, lower, upper});
}

void Piece::expect_unit(std::int32_t unit) const {
  if (unit >= 0 && index(unit) < known_.places.size()) return;
  throw InternalError("audit", fmt::format("unit {} is not in the list", unit));
}

Functional Piece::argument_of(std::int32_t unit, double factor) const {
  expect_unit(unit);
  const Proven::Place& place = known_.places[index(unit)];
  const network::NodeId argument = known_.network.node(place.node).arguments[0];
  Functional functional;
  if (place.chain < 0) {
    functional.on_elements.push_back({argument, place.element, factor});
    return functional;
  }
  const Proven::Chain& chain = known_.chains[index(place.chain)];
  functional.on_elements.push_back({argument, chain.links[place.link].claim.member, factor});
  functional.on_prefixes.push_back({index(place.chain), place.link, -factor});
  return functional;
}

std::vector<std::int8_t> Piece::sides(const std::vector<events::UnitDecision>& decisions) const {
  std::vector<std::int8_t> sides(units(), 0);
  for (const events::UnitDecision& decision : decisions) {
    expect_unit(decision.unit);
    sides[index(decision.unit)] = decision.active ? 1 : -1;
  }
  return sides;
}

// sum += factor (row - constant). A cut of one unit may only contain units before it: the pass reaches these later.
void Piece::add_row(const events::CutClaim& cut, const Interval& factor, Functional& sum) const {
  for (const auto& [k, b] : cut.bounded) expect_unit(k);
  for (const auto& [u, g] : cut.on_coordinates) {
    if (u < 0 || index(u) >= known_.list.coordinates.size())
      throw InternalError("audit", "a cut over a coordinate that does not exist");
    sum.on_coordinates.push_back({u, factor * Interval(g)});
  }
  for (const auto& [k, g] : cut.on_units) {
    expect_unit(k);
    if (!cut.is_joint() && k >= cut.bounded[0].first) {
      throw InternalError("audit", "a cut over units that are not earlier than its own");
    }
    sum.on_units.push_back({k, factor * Interval(g)});
  }
}

void Piece::add_excess(const ProvenCut& cut, const Interval& factor, Functional& sum) const {
  add_row(cut.claim, -factor, sum);
  for (const auto& [k, b] : cut.claim.bounded) sum.on_units.push_back({k, factor * Interval(b)});
  sum.constant = sum.constant - factor * Interval(cut.constant);
}

// The claimed coefficients with the audit's own constant. For a cut without cases it is raised until the cut lies above
// zero and above its unit's argument.
ProvenCut Piece::proven_cut(const events::CutClaim& claim, const events::CutProof& proof,
                            const std::map<std::int64_t, ProvenCut>& cuts) const {
  if (claim.is_joint() || !proof.cases.empty()) return proven_by_cases(claim, proof.cases, cuts);
  Functional above_zero, above_argument = argument_of(claim.bounded[0].first, -1);
  for (Functional* above : {&above_zero, &above_argument}) {
    add_row(claim, 1.0, *above);
    above->constant = claim.constant;
  }
  const Choice box{.slope = {}, .box = true};
  const Bound zero = lower_bound(above_zero, box);
  const Bound argument =
      lower_bound(above_argument, proof.composed ? composition(proof.slope, proof.above, cuts) : box);
  const double missing = std::max({0.0, -zero.value, -argument.value});
  expect(missing <= kSameBound * std::max(zero.magnitude, argument.magnitude), "a cut of " + what_is_bounded(claim),
         claim.constant, claim.constant + missing);
  return {claim, sum_up(claim.constant, missing)};
}

// The same for a cut with cases: the constant is raised until the excess is at most zero in each of them.
ProvenCut Piece::proven_by_cases(const events::CutClaim& claim, const std::vector<events::CutCase>& cases,
                                 const std::map<std::int64_t, ProvenCut>& cuts) const {
  const events::TreeRoot whole_piece;
  OpenSubproblems open(1, std::span(&whole_piece, 1));
  ProvenCut cut{claim, claim.constant};
  Functional room;
  add_excess(cut, -1.0, room);
  double missing = 0, magnitude = 0;
  for (const events::CutCase& one : cases) {
    open.split_and_close(0, one.decisions);
    if (one.multiplier.size() != units()) throw InternalError("audit", "there must be one multiplier for each unit");
    Choice choice = composition(one.slope, one.above, cuts);
    choice.side = sides(one.decisions);
    choice.multiplier = one.multiplier;
    const Bound bound = lower_bound(room, choice);
    missing = std::max(missing, -bound.value);
    magnitude = std::max(magnitude, bound.magnitude);
  }
  const std::string what = "a cut of " + what_is_bounded(claim);
  if (!open.all_closed(0)) throw InternalError("audit: " + what, "its cases do not cover the piece");
  expect(missing <= kSameBound * magnitude, what, claim.constant, claim.constant + missing);
  cut.constant = sum_up(claim.constant, missing);
  return cut;
}

Choice Piece::composition(std::span<const double> slope, std::span<const std::int64_t> above,
                          const std::map<std::int64_t, ProvenCut>& cuts) const {
  if (slope.size() != units() || above.size() != units()) {
    throw InternalError("audit", "there must be one slope and one cut for each unit");
  }
  Choice choice{.slope = slope};
  for (std::size_t k = 0; k < above.size(); ++k) {
    if (above[k] < 0) continue;
    const auto cut = cuts.find(above[k]);
    if (cut == cuts.end() || cut->second.claim.is_joint() || index(cut->second.claim.bounded[0].first) != k) {
      throw InternalError("audit", "a cut rests on an unknown cut");
    }
    choice.cuts[static_cast<std::int32_t>(k)] = {{&cut->second, 1.0}};
  }
  return choice;
}

// With S the sum of the weights, S bounded . r <= sum_c w_c row_c. So the claimed row is valid where
// S row - sum_c w_c row_c is not negative. If that can be negative over the box of coordinates and units, the constant
// is raised accordingly.
ProvenCut Piece::merged_cut(const events::CutClaim& claim, std::span<const ProvenCut* const> of,
                            std::span<const double> weights) const {
  Functional difference;
  Interval sum;
  for (std::size_t c = 0; c < of.size(); ++c) {
    if (of[c]->claim.bounded != claim.bounded || !(weights[c] >= 0))
      throw InternalError("audit", "cuts of different units, or with negative weights, are mixed");
    add_row(of[c]->claim, -weights[c], difference);
    difference.constant = difference.constant - Interval(weights[c]) * Interval(of[c]->constant);
    sum = sum + Interval(weights[c]);
  }
  if (!(sum.low > 0)) throw InternalError("audit", "cuts are mixed without weights");
  add_row(claim, sum, difference);
  difference.constant = difference.constant + sum * Interval(claim.constant);
  const Bound bound = lower_bound(difference, {.slope = {}, .box = true});
  const double missing = std::max(0.0, round_up(-bound.value / sum.low));
  double magnitude = std::abs(claim.constant);
  for (const auto& [u, g] : claim.on_coordinates) magnitude += std::abs(g);
  for (const auto& [k, g] : claim.on_units) magnitude += std::abs(g);
  expect(missing <= kSameBound * magnitude, "a mean of cuts of " + what_is_bounded(claim), claim.constant,
         claim.constant + missing);
  return {claim, sum_up(claim.constant, missing)};
}

void Piece::expect(bool confirmed, const std::string& what, double claimed, double proven) const {
  if (confirmed) return;
  throw InternalError("audit: " + what, fmt::format("{} is claimed, but only {} can be proven again", claimed, proven));
}

}  // namespace plumb::audit
