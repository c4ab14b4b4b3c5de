// Bounds of elements over the whole piece: the part of Piece that proves them again.
#include <fmt/format.h>

#include "audit/piece.h"
#include "audit/values.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/overloaded.h"
#include "network/op_kind.h"

namespace plumb::audit {
namespace {

// Relative to the largest value so far: after cancellation, a bound is as uncertain as the last bits of that value.
constexpr double kLastBits = 0x1p-40;
// Interval bounds that are this close to the claim, relative to their magnitude, need no backward pass.
constexpr double kGoodEnough = 0x1p-44;

}  // namespace

double Piece::closeness(double magnitude) const { return std::max(kSameBound * magnitude, kLastBits * largest_); }

void Piece::bound_by_intervals(network::NodeId id) {
  const auto known = [&](network::NodeId of, std::int64_t i) {
    return Interval(known_.lower[of][index(i)], known_.upper[of][index(i)]);
  };
  for (const Interval& value : values_of(known_.network, id, known_.inputs, known)) {
    known_.lower[id].push_back(value.low);
    known_.upper[id].push_back(value.high);
  }
}

void Piece::take_lines(const events::NodeClaim& claim) {
  const auto size = index(known_.network.size(claim.node));
  const bool fits = std::visit(Overloaded{[](const network::OpWithoutUnits auto&) { return true; },
                                          [&](const network::Relu&) { return claim.slope.size() == size; },
                                          [&](const network::Maximum&) { return claim.maxima.size() == size; }},
                               known_.network.node(claim.node).op);
  if (!fits) throw InternalError("audit", "the lines of a node do not fit its elements");
  known_.relu_slope[claim.node].assign(claim.slope.begin(), claim.slope.end());
  known_.maxima[claim.node] = claim.maxima;
}

void Piece::bound_nodes(std::span<const events::NodeClaim> claims) {
  if (empty_) return;
  if (claims.size() != known_.network.nodes().size()) throw InternalError("audit", "some nodes have no bounds");
  if (!known_.lower[0].empty()) throw InternalError("audit", "nodes are bounded twice");
  for (network::NodeId id = 0; id < known_.network.nodes().size() && !empty_; ++id) {
    bound_by_intervals(id);
    const events::NodeClaim& claim = claims[id];
    if (claim.node != id || claim.lower.size() != known_.lower[id].size() ||
        claim.upper.size() != known_.upper[id].size()) {
      throw InternalError("audit", "bounds of nodes are not in order");
    }
    take_lines(claim);
    for (std::size_t i = 0; i < claim.lower.size() && !empty_; ++i) {
      bound_element(id, static_cast<std::int64_t>(i), claim.lower[i], claim.upper[i], false);
    }
  }
}

// Bounds an element by backward passes where intervals are not as good as the claim, or `always`.
void Piece::bound_element(network::NodeId id, std::int64_t element, double claimed_lower, double claimed_upper,
                          bool always) {
  double &lower = known_.lower[id][index(element)], &upper = known_.upper[id][index(element)];
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
  const auto what = [&] {
    return fmt::format("bounds of node '{}', element {}", known_.network.node(id).name, element);
  };
  const double close = closeness(scale);
  if (!(claimed_lower <= lower + close)) expect(false, what(), claimed_lower, lower);
  if (!(claimed_upper >= upper - close)) expect(false, what(), claimed_upper, upper);
  largest_ = std::max({largest_, std::abs(lower), std::abs(upper)});
}

// Tightens an element's bounds. Bounds that cross prove that the piece is empty.
void Piece::raise(network::NodeId id, std::int64_t element, double lower, double upper) {
  double &low = known_.lower[id][index(element)], &high = known_.upper[id][index(element)];
  if (std::max(low, lower) > std::min(high, upper)) {
    if (!may_be_empty_) throw InternalError("audit", "lower and upper bounds cross over a region that is not empty");
    empty_ = true;
    return;
  }
  low = std::max(low, lower);
  high = std::min(high, upper);
}

bool Piece::proves_empty(std::span<const events::NodeClaim> lines) {
  for (network::NodeId id = 0; id < lines.size() && may_be_empty_ && !empty_; ++id) {
    bound_by_intervals(id);
    take_lines(lines[id]);
    for (std::int64_t i = 0; i < known_.network.size(id) && !empty_; ++i)
      bound_element(id, i, -kInfinity, kInfinity, true);
  }
  return empty_;
}

void Piece::tighten(std::int32_t unit, double lower, std::span<const double> slope_below, double upper,
                    std::span<const double> slope_above) {
  if (empty_) return;
  expect_unit(unit);
  if (slope_below.size() != units() || slope_above.size() != units()) {
    throw InternalError("audit", "there must be one slope for each unit");
  }
  forms_.clear();
  const double own_lower = lower_bound(argument_of(unit, 1), {.slope = slope_below}).value;
  const double own_upper = -lower_bound(argument_of(unit, -1), {.slope = slope_above}).value;
  bounds_proven_ += 2;
  const Proven::Place& place = known_.places[index(unit)];
  double low = 0, high = 0;
  if (place.chain < 0) {
    const network::NodeId argument = known_.network.node(place.node).arguments[0];
    raise(argument, place.element, own_lower, own_upper);
    if (empty_) return;
    low = known_.lower[argument][index(place.element)];
    high = known_.upper[argument][index(place.element)];
  } else {
    Proven::Link& link = known_.chains[index(place.chain)].links[place.link];
    low = link.lower = std::max(link.lower, own_lower);
    high = link.upper = std::min(link.upper, own_upper);
    if (low > high && may_be_empty_) empty_ = true;
  }
  const double scale = std::max(std::abs(low), std::abs(high));
  const std::string what =
      fmt::format("a unit of node '{}', element {}", known_.network.node(place.node).name, place.element);
  expect(empty_ || lower <= low + kSameBound * scale, what, lower, low);
  expect(empty_ || upper >= high - kSameBound * scale, what, upper, high);
  events::UnitClaim& claim = known_.list.units[index(unit)];  // later claims draw the unit's line over this range
  claim.lower = std::max(claim.lower, lower);
  claim.upper = std::min(claim.upper, upper);
}

void Piece::raise_element(network::NodeId node, std::int64_t element, const Interval& proven, const Interval& claimed,
                          double magnitude) {
  raise(node, element, proven.low, proven.high);
  if (empty_) return;
  const double low = known_.lower[node][index(element)], high = known_.upper[node][index(element)];
  const double close = closeness(std::max({std::abs(low), std::abs(high), magnitude}));
  const std::string what = fmt::format("element {} of node '{}'", element, known_.network.node(node).name);
  expect(claimed.low <= low + close, what, claimed.low, low);
  expect(claimed.high >= high - close, what, claimed.high, high);
}

}  // namespace plumb::audit
