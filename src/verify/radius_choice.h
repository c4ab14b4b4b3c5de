// radius_choice.h: which radius to ask an engine about next, while the bracket around a minimum distortion shrinks.
//
// In:  the ends of the bracket, and what the engine answered at earlier radii. Out: a radius between the ends.
//
// With a witness the radii lie at a few shares of its distance, for an early lower end, and then just below it, where
// one proof closes the bracket. Without one they grow. Around radii that the engine could not decide, others are tried.
#pragma once

#include <array>
#include <optional>

#include "base/rational.h"

namespace plumb::verify {

// No unsafe point lies within `lower`, and a witness lies at `upper`, which is infinite if there is none.
struct BracketEnds {
  double lower, upper;
};

// Proofs at these shares of the witness's distance come before the one that closes the bracket: they are cheaper, and
// they provide a lower end early.
inline constexpr std::array<double, 4> kEarlyShares{0.125, 0.3, 0.6, 0.9};

// The smallest radius of the form of property::radius_below() that is not below x, so that nothing within the reach is
// left out.
Rational radius_up_to(double x);

class RadiusChoice {
 public:
  // No radius beyond `reach` is chosen. The bracket is closed at the relative gap `gap`.
  RadiusChoice(double reach, double gap) : reach_(reach), gap_(gap) {}

  // Returns the radius to ask about next; nullopt if no answer could narrow the bracket.
  std::optional<Rational> next(const BracketEnds& ends) const;

  // Called after an answer that moved an end of the bracket: a proof, or a witness that is nearer than the last.
  void proven(const BracketEnds& ends);
  void nearer_witness(const BracketEnds& ends);
  // The engine could not decide the radius: remembers it, so that others beside it are tried. Returns false after too
  // many.
  bool undecided(double radius);

 private:
  std::optional<double> early_radius(const BracketEnds& ends) const;
  std::optional<double> beside_the_undecided(const BracketEnds& ends) const;
  void keep_undecided_between(const BracketEnds& ends);

  double reach_, gap_;
  struct Undecided {
    double least, most;
  };
  std::optional<Undecided> undecided_;  // radii below the witness that the engine could not decide
  std::size_t proofs_below_ = 0;        // proofs since the last witness
  int misses_ = 0;                      // nearer witnesses since the last proof
  int retreats_ = 0;
  int vain_above_ = 0;  // questions above the undecided radii that were in vain, since an end last moved
};

}  // namespace plumb::verify
