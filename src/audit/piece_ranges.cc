// Ranges of units at the unsafe points of a subproblem: the part of Piece that proves them again.
#include <fmt/format.h>

#include "audit/piece.h"
#include "base/error.h"
#include "base/numbers.h"

namespace plumb::audit {

namespace {

Interval common(const Interval& a, const Interval& b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }

}  // namespace

// What is proven about the argument over the whole piece.
Interval Piece::bounds_of(std::int32_t unit) const {
  expect_unit(unit);
  const Proven::Place& place = known_.places[index(unit)];
  if (place.chain >= 0) {
    const Proven::Link& link = known_.chains[index(place.chain)].links[place.link];
    return {link.lower, link.upper};
  }
  const network::NodeId argument = known_.network.node(place.node).arguments[0];
  return {known_.lower[argument][index(place.element)], known_.upper[argument][index(place.element)]};
}

// An affine lower bound of the unit's argument, or of minus the argument, over the whole piece. Every subproblem asks
// for the same ones, so they are kept.
const AffineForm& Piece::form_of(std::int32_t unit, bool negated) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 28;
  const auto found = forms_.find({unit, negated});
  if (found != forms_.end()) return found->second;
  if (forms_.size() * known_.inputs.size() * sizeof(Interval) > kMostBytes) forms_.clear();
  ++bounds_proven_;
  return forms_[{unit, negated}] = affine_form(argument_of(unit, negated ? -1 : 1), {});
}

Ranges Piece::unknown_ranges() const { return {std::vector<Interval>(units(), {-kInfinity, kInfinity})}; }

SharedRanges Piece::narrowed(const SharedRanges& before, const AffineForm& at_most_zero,
                             std::span<const events::NarrowedRange> claims) {
  auto ranges = std::make_shared<Ranges>(before ? *before : unknown_ranges());
  for (const events::NarrowedRange& claim : claims) {
    expect_unit(claim.unit);
    if (!(claim.factor >= 0) || !std::isfinite(claim.factor))
      throw InternalError("audit", "a range with a factor that is negative or not finite");
    const double sign = claim.upper ? -1 : 1, claimed = sign * claim.bound;
    const Bound proven =
        minimum_over_piece(known_, combined(form_of(claim.unit, claim.upper), claim.factor, at_most_zero));
    expect(claimed <= proven.value + kSameBound * proven.magnitude,
           fmt::format("the {} end of the range of unit {}", claim.upper ? "upper" : "lower", claim.unit), claim.bound,
           sign * proven.value);
    const double end = sign * std::min(claimed, proven.value);
    Interval& range = ranges->units[index(claim.unit)];
    if (claim.upper)
      range.high = std::min(range.high, end);
    else
      range.low = std::max(range.low, end);
  }
  return ranges;
}

std::vector<std::int8_t> Piece::sides(const std::vector<events::UnitDecision>& decisions,
                                      const SharedRanges& ranges) const {
  std::vector<std::int8_t> sides = this->sides(decisions);
  for (std::size_t k = 0; ranges && k < sides.size(); ++k) {
    if (sides[k] != 0) continue;
    if (ranges->units[k].low > 0) sides[k] = 1;
    if (ranges->units[k].high < 0) sides[k] = -1;
  }
  return sides;
}

Bound Piece::empty_by(const SharedRanges& ranges, const std::vector<events::UnitDecision>& decisions) const {
  const std::vector<std::int8_t> sides = this->sides(decisions);
  Bound most{-kInfinity, 0};
  const auto take = [&](double by, double magnitude) {
    if (by > most.value) most = {by, magnitude};
  };
  for (std::size_t k = 0; k < sides.size(); ++k) {
    const Interval whole = bounds_of(static_cast<std::int32_t>(k));
    Interval range = ranges ? common(whole, ranges->units[k]) : whole;
    if (sides[k] > 0) range.low = std::max(range.low, 0.0);
    if (sides[k] < 0) range.high = std::min(range.high, 0.0);
    take(sum_down(range.low, -range.high), magnitude(whole));
  }
  if (!ranges) return most;
  for (const Interval& range : ranges->coordinates) take(sum_down(range.low, -range.high), magnitude(range));
  take(ranges->contradiction, ranges->contradicting);
  return most;
}

}  // namespace plumb::audit
