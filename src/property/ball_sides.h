// ball_sides.h: the doubles next to centre_i - radius and centre_i + radius, where the radius is a rational.
//
// Sound: kOutward gives the largest double that is not above centre_i - radius and the smallest that is not below
//        centre_i + radius. kInward gives the smallest double that is not below centre_i - radius and the largest that
//        is not above centre_i + radius, so a double lies in an l-infinity ball exactly if it is between these two.
#pragma once

#include "property/region.h"

namespace plumb::property {

enum class Rounding { kInward, kOutward };

class BallSides {
 public:
  // Keeps references: the ball must outlive this object.
  BallSides(const Ball& ball, Rounding rounding);

  // Infinite if the side is too large for a double.
  double lower(std::size_t i) const { return -(rounding_ == Rounding::kOutward ? up(-centre_[i]) : down(-centre_[i])); }
  double upper(std::size_t i) const { return rounding_ == Rounding::kOutward ? up(centre_[i]) : down(centre_[i]); }

 private:
  // c + radius, rounded up or down.
  double up(double c) const;
  double down(double c) const;

  std::span<const double> centre_;
  const Rational& radius_;
  double radius_down_, radius_up_;
  Rounding rounding_;
};

}  // namespace plumb::property
