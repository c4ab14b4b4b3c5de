#include "verify/radius_choice.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "property/growing_region.h"

namespace plumb::verify {
namespace {

constexpr double kCoarse = 0.01;
// How far below the witness the closing proof is tried, as a share of the gap. If the engine cannot decide so close to
// the witness, three times that distance is still within the gap.
constexpr double kClosing = 0.25;

}  // namespace

Rational radius_up_to(double x) {
  const Rational below = property::radius_below(x);
  return below.nearest() >= x ? below : property::radius_below(x * (1 + 0x1p-36));
}

std::optional<Rational> RadiusChoice::next(const BracketEnds& ends) const {
  if (ends.upper == kInfinity) {
    // No attack succeeded: ask about growing radii up to the reach, and bisect below undecided ones.
    const double grown = ends.lower == 0 ? reach_ * 0x1p-4 : 4 * ends.lower;
    if (!undecided_) return radius_up_to(std::min(grown, reach_));
    const double least = undecided_->least;
    if (least - ends.lower <= kCoarse * least) return std::nullopt;
    return radius_up_to(ends.lower + (least - ends.lower) / 2);
  }
  // Just below the witness. If nearer witnesses were found there repeatedly, ever further below it.
  const double further = kClosing * gap_ * ends.upper * std::pow(8, misses_);
  const double halfway = ends.lower + (ends.upper - ends.lower) / 2;
  const double closing = misses_ == 0 ? ends.upper - further : std::max(halfway, ends.upper - further);
  double target = closing;
  if (undecided_) {
    const std::optional<double> beside = beside_the_undecided(ends);
    if (!beside) return std::nullopt;
    target = *beside;
  } else if (const std::optional<double> early = early_radius(ends)) {
    target = std::min(closing, *early);
  }
  const Rational radius = property::radius_below(target);
  if (radius.nearest() <= ends.lower || radius.nearest() >= ends.upper) return std::nullopt;
  return radius;
}

void RadiusChoice::proven(const BracketEnds& ends) {
  ++proofs_below_;
  misses_ = 0;
  keep_undecided_between(ends);
}

void RadiusChoice::nearer_witness(const BracketEnds& ends) {
  proofs_below_ = 0;
  ++misses_;
  keep_undecided_between(ends);
}

bool RadiusChoice::undecided(double radius) {
  constexpr int kMostRetreats = 24;
  if (undecided_ && radius > undecided_->most) ++vain_above_;
  if (!undecided_) undecided_ = Undecided{radius, radius};
  undecided_->least = std::min(undecided_->least, radius);
  undecided_->most = std::max(undecided_->most, radius);
  return ++retreats_ <= kMostRetreats;
}

// The next of the early shares of the witness's distance that lies above what is already proven.
std::optional<double> RadiusChoice::early_radius(const BracketEnds& ends) const {
  for (std::size_t share = proofs_below_; share < kEarlyShares.size(); ++share) {
    const double radius = ends.upper * kEarlyShares[share];
    if (property::radius_below(radius).nearest() > ends.lower) return radius;
  }
  return std::nullopt;
}

// Returns where to ask next around radii that the engine could not decide.
std::optional<double> RadiusChoice::beside_the_undecided(const BracketEnds& ends) const {
  const double gap = gap_ * ends.upper;
  // The lower end must come closer to the undecided radii than the gap, because they are themselves part of the gap.
  // It must come closer still where that may close the bracket.
  const double below = undecided_->least - ends.lower;
  const double close_enough = ends.upper - undecided_->least < gap ? 0.001 : 0.02;
  if (below > close_enough * gap) {
    // Move away from the witness in growing steps until something is proven, then bisect.
    const double back = ends.upper - 3 * (ends.upper - undecided_->least);
    return std::max(back, ends.lower + below / 2);
  }
  // Then there may be a nearer witness above them. Asking is expensive, and in vain with an engine that finds none.
  constexpr int kMostInVain = 2;
  const double above = ends.upper - undecided_->most;
  if (above > 1.5 * kClosing * gap && vain_above_ < kMostInVain) return undecided_->most + above / 2;
  return std::nullopt;
}

// Called when an end has moved. Keeps the undecided radii that still lie between the two ends.
void RadiusChoice::keep_undecided_between(const BracketEnds& ends) {
  vain_above_ = 0;
  if (!undecided_) return;
  const auto is_between = [&](double radius) { return ends.lower < radius && radius < ends.upper; };
  if (!is_between(undecided_->least)) undecided_->least = undecided_->most;
  if (!is_between(undecided_->most)) undecided_->most = undecided_->least;
  if (!is_between(undecided_->least)) undecided_.reset();
}

}  // namespace plumb::verify
