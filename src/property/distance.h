// distance.h: how far a point is from a centre, never too small.
//
// Sound: the result is not below the true distance in real arithmetic, so it may be reported as an upper bound on a
//        minimum distortion. For l-infinity it is the smallest such double; a distance of zero is zero in every norm.
#pragma once

#include <span>

#include "property/region.h"

namespace plumb::property {

double distance(Norm norm, std::span<const double> centre, std::span<const double> point);

}  // namespace plumb::property
