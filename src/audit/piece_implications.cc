// What inequalities imply at the unsafe points of a subproblem (events::Implication): the part of Piece that proves it
// again.
#include <fmt/format.h>

#include "audit/piece.h"
#include "audit/region_points.h"
#include "base/error.h"
#include "base/numbers.h"

namespace plumb::audit {

using events::Implication;

// functional <= limit.
struct Piece::Premise {
  Functional functional;
  double limit = 0;
};

Piece::Premise Piece::premise_of(const Implication& claim, const Ranges& ranges, Functional functional) const {
  if (claim.from == Implication::From::kFunctional) return {std::move(functional), 0};
  const auto unit = static_cast<std::int32_t>(claim.premise);
  const Interval whole = bounds_of(unit), range = ranges.units[index(unit)];
  if (claim.from == Implication::From::kUpperEnd) return {argument_of(unit, 1), std::min(whole.high, range.high)};
  return {argument_of(unit, -1), -std::max(whole.low, range.low)};
}

// What is proven of the end: for an upper end its negative, so that larger is better in every case. For a
// contradiction, by how much the premise is missed.
Bound Piece::implied_end(const Implication& claim, const Ranges& ranges, Functional functional) const {
  Choice choice{.slope = claim.slope, .ranges = ranges.units, .coordinates = ranges.coordinates};
  choice.box = claim.slope.empty();
  if (claim.from == Implication::From::kArgument)
    return lower_bound(argument_of(claim.number, claim.upper ? -1 : 1), choice);

  Premise premise = premise_of(claim, ranges, std::move(functional));
  const double c = claim.coefficient;
  const std::pair<std::int32_t, Interval> without{claim.number, -Interval(c)};
  if (claim.about == Implication::About::kUnit) premise.functional.on_units.push_back(without);
  if (claim.about == Implication::About::kCoordinate) premise.functional.on_coordinates.push_back(without);
  Bound rest = lower_bound(premise.functional, choice);
  rest.magnitude += std::abs(premise.limit);
  const double room = sum_up(premise.limit, -rest.value);  // c x <= room
  if (claim.about == Implication::About::kContradiction) return {-room, rest.magnitude};
  const Interval end = Interval(room) / c;
  return {claim.upper ? -end.high : end.low, rest.magnitude / std::abs(c)};
}

void Piece::take_implied(const Implication& claim, const Bound& proven, Ranges& ranges) const {
  const bool is_contradiction = claim.about == Implication::About::kContradiction;
  const double sign = claim.upper && !is_contradiction ? -1 : 1, claimed = sign * claim.bound;
  const double magnitude = proven.magnitude + std::abs(claimed);
  expect(claimed <= proven.value + kSameBound * magnitude,
         fmt::format("an implication about {} {}", claim.about == Implication::About::kUnit ? "unit" : "coordinate",
                     claim.number),
         claim.bound, sign * proven.value);
  const double end = sign * std::min(claimed, proven.value);
  if (is_contradiction) {
    ranges.contradiction = end;
    ranges.contradicting = magnitude;
    return;
  }
  const bool is_unit = claim.about == Implication::About::kUnit;
  Interval& range = is_unit ? ranges.units[index(claim.number)] : ranges.coordinates[index(claim.number)];
  const bool is_value = is_unit && claim.from != Implication::From::kArgument;
  if (claim.upper) {
    range.high = std::min(range.high, end);
    if (is_value && end < 0) range.low = std::max(range.low, 0.0);  // relu(z) is negative nowhere
  } else if (!is_value || end > 0) {
    range.low = std::max(range.low, end);
  }
}

std::vector<Interval> Piece::widest_coordinates() const {
  const auto* image = std::get_if<property::AffineImage>(&known_.region);
  const std::vector<Interval> box =
      image != nullptr ? box_around(property::SimpleRegion(image->parameters)) : known_.inputs;
  std::vector<Interval> widest;
  for (const events::CoordinateClaim& u : known_.list.coordinates) {
    if (u.radius == 0)
      widest.push_back({-1, 1});
    else
      widest.push_back((box[index(u.input)] - Interval(u.centre)) / u.radius);
  }
  return widest;
}

SharedRanges Piece::implied(const SharedRanges& before, const std::vector<events::UnitDecision>& decisions,
                            std::span<const Implication> claims,
                            const std::function<Functional(const Implication&)>& premise) const {
  auto ranges = std::make_shared<Ranges>(before ? *before : unknown_ranges());
  if (ranges->coordinates.empty()) ranges->coordinates = widest_coordinates();
  for (const events::UnitDecision& decision : decisions) {
    expect_unit(decision.unit);
    Interval& range = ranges->units[index(decision.unit)];
    if (decision.active)
      range.low = std::max(range.low, 0.0);
    else
      range.high = std::min(range.high, 0.0);
  }
  for (const Implication& claim : claims) {
    expect_implication(claim);
    const bool has_functional = claim.from == Implication::From::kFunctional;
    take_implied(claim, implied_end(claim, *ranges, has_functional ? premise(claim) : Functional()), *ranges);
  }
  return ranges;
}

// Whether its parts fit each other. The premise is checked where it is used.
void Piece::expect_implication(const Implication& claim) const {
  const bool is_about_argument = claim.from == Implication::From::kArgument;
  bool fits = claim.slope.empty() || claim.slope.size() == units();
  switch (claim.about) {
    case Implication::About::kCoordinate:
      fits = fits && !is_about_argument && claim.number >= 0 && index(claim.number) < known_.list.coordinates.size();
      break;
    case Implication::About::kUnit:
      expect_unit(claim.number);
      break;
    case Implication::About::kContradiction:
      fits = fits && !is_about_argument && claim.coefficient == 0;
      break;
  }
  if (!is_about_argument && claim.about != Implication::About::kContradiction)
    fits = fits && std::isfinite(claim.coefficient) && (claim.upper ? claim.coefficient > 0 : claim.coefficient < 0);
  if (!fits) throw InternalError("audit", "an implication whose parts do not fit each other");
}

}  // namespace plumb::audit
