// ball_sides.h: the doubles next to centre_i - radius_i and centre_i + radius_i, where the radius is a rational.
//
// Sound: kOutward gives the largest double that is not above centre_i - radius_i and the smallest that is not below
//        centre_i + radius_i. kInward gives the smallest double that is not below centre_i - radius_i and the largest
//        that is not above centre_i + radius_i, so a double lies in an l-infinity ball exactly if it is between these
//        two.
#pragma once

#include "property/region.h"

namespace plumb::property {

enum class Rounding { kInward, kOutward };

class BallSides {
 public:
  // Keeps a reference: the ball must outlive this object.
  BallSides(const Ball& ball, Rounding rounding);

  // Infinite if the side is too large for a double.
  double lower(std::size_t i) const { return -moved(i, -ball_.centre[i]); }
  double upper(std::size_t i) const { return moved(i, ball_.centre[i]); }

 private:
  struct Radius {
    double down = 0, up = 0;  // rounded
  };

  const Radius& rounded(std::size_t i) const { return radii_[radii_.size() == 1 ? 0 : i]; }
  double moved(std::size_t i, double c) const { return rounding_ == Rounding::kOutward ? up(i, c) : down(i, c); }
  // c + radius_i, rounded up or down.
  double up(std::size_t i, double c) const;
  double down(std::size_t i, double c) const;

  const Ball& ball_;
  std::vector<Radius> radii_;  // one for all inputs, or one for each
  Rounding rounding_;
};

// The box between these sides, intersected with the domain: around the intersection of an l-infinity ball with its
// domain (kOutward), or inside of it (kInward). For other norms, only kOutward means something.
Box box_of_sides(const Ball& ball, Rounding rounding);

}  // namespace plumb::property
