// unit_ranges.h: where the arguments of units can lie at the unsafe points of a subproblem over a cube.
//
// In:  affine bounds of the units over the whole cube; an affine lower bound g . u + b of the functional f that is to
//      be shown positive, from the choices of one subproblem.
// Out: narrower ranges of the units, which hold wherever f <= 0 in the subproblem.
//
// Every unsafe point satisfies g . u + b <= f <= 0. Let B = b - |g|_1 be the lower bound of f over the cube, which is
// negative. Where B is near zero, only the neighbourhood of a corner or a face of the cube is left. For an affine lower
// bound a . u + c of a unit's argument z, with L = c - |a|_1, and any factor >= 0:
//
//     z >= a . u + c + factor (g . u + b)
//       >= c + factor b - |a + factor g|_1
//        = L + factor B + 2 (sum of min(|a_i|, factor |g_i|) over all i at which a_i and g_i have opposite signs),
//
// which is concave in the factor. An upper end of z is found in the same way, as minus a lower end of -z.
//
// Sound: all ranges are rigorous if the systems of double are. Coefficients are rounded to float, and L and B are
//        lowered by what this may change. The factor and the sum are computed in float, and the new end is corrected
//        for the rounding of the sum. It is also moved outwards by much more than rounding in double can amount to, so
//        that a listener that proves it again in another way finds the same units decided.
// Follows: reduced-cost tightening of mixed-integer solvers, with the whole inequality instead of one coordinate at a
//        time.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "base/aligned_vector.h"
#include "base/limits.h"
#include "lanes/lane_system.h"
#include "reduction/reduced_network.h"

namespace plumb::lanes {

// Ranges of all units' arguments, in the order of the units.
struct UnitRanges {
  std::vector<float> lower, upper;

  bool is_active(std::int64_t unit) const { return lower[static_cast<std::size_t>(unit)] >= 0; }
  bool is_inactive(std::int64_t unit) const { return upper[static_cast<std::size_t>(unit)] <= 0; }
};

// An upper line of relu(z) for z in a range; with exactly these coefficients it is valid over the reals.
struct UpperLine {
  double slope = 0, intercept = 0;
};
UpperLine upper_line(double lower, double upper);

// The affine function coefficients . u + least + |coefficients|_1, whose minimum over the cube is `least`. `magnitude`
// is an estimate of the sum of its terms' absolute values; no proof rests on it.
struct AffineRow {
  std::span<const float> coefficients;
  double least = 0, magnitude = 0;
};

// Affine lower bounds of z_k and -z_k for every unit k of a system. They are computed when they are first asked for. In
// large networks this takes long: units that are left when the budget reaches a limit have no bounds (`least` is minus
// infinity), which narrow nothing.
class UnitRows {
 public:
  // Keeps references to the system, which must be one of the network, and to the budget; nullptr means no limit. The
  // system's space must be a cube.
  UnitRows(const LaneSystem<double>& system, const reduction::ReducedNetwork& network, const Budget* budget = nullptr);
  // How many bytes the bounds of a system's units take.
  static std::int64_t bytes(const LaneSystem<double>& system);
  std::int64_t bytes() const { return bytes(system_); }

  std::int64_t inputs() const { return system_.inputs(); }
  std::int64_t units() const { return system_.units(); }
  // The ranges of the units over the whole piece.
  const UnitRanges& widest() const { return widest_; }
  // Of z_k for side 0, of -z_k for side 1.
  AffineRow row(std::int64_t unit, std::size_t side) const;

 private:
  void compute() const;

  const LaneSystem<double>& system_;
  const Budget* budget_;
  UnitRanges widest_;
  mutable std::once_flag computed_;
  mutable std::int64_t stride_ = 0;
  mutable AlignedVector<float> coefficients_;      // [unit][side][input], padded
  mutable std::vector<double> least_, magnitude_;  // [unit][side]
};

// The inequality g . u + b <= 0 of a subproblem.
class TargetInequality {
 public:
  // Takes it from a lane after backward(). Its bound must be finite.
  void take(const Lanes<double>& lanes, std::int64_t lane);
  AffineRow row() const { return {coefficients_, least_, magnitude_}; }

 private:
  AlignedVector<float> coefficients_;
  double least_ = 0, magnitude_ = 0;
};

// A new end of a unit's range, and the factor that proves it.
struct NarrowedEnd {
  std::int64_t unit = 0;
  bool upper = false;
  float factor = 0, bound = 0;
};

enum class Narrowing { kNothing, kNarrower, kEmpty };

// Narrows the ranges of those units for which is_open(k) is true. kEmpty means that a range has become empty: the
// subproblem contains no unsafe point. Changes that are small compared with a range are not made. Adds those that are
// made to `changes`, unless that is nullptr. Once the budget has reached a limit, nothing more is narrowed.
Narrowing narrow(const UnitRows& rows, const TargetInequality& inequality,
                 const std::function<bool(std::int64_t)>& is_open, UnitRanges& ranges,
                 std::vector<NarrowedEnd>* changes = nullptr, const Budget* budget = nullptr);

}  // namespace plumb::lanes
