// distance.h: an upper bound on the distance of a point from a centre.
//
// Sound: the result is not below the true distance in real arithmetic, so it may be reported as an upper bound on a
//        minimum distortion. For l-infinity it is the smallest such double. In every norm, a distance of zero is
//        returned as zero.
#pragma once

#include <span>

#include "property/region.h"

namespace plumb::property {

double distance(Norm norm, std::span<const double> centre, std::span<const double> point);

}  // namespace plumb::property
