// property_distortion.h: the distance from a point to the inputs that violate a property, as a question for
// distortion.h.
//
// In:  a property (vnnlib/vnnlib_property.h), a point, a metric. The point may lie outside of the property's region.
// Out: balls around the point inside one box, and an unsafe set that contains the conditions of every case, together
//      with what the box does not say about the case's region: sides of other boxes, and inequalities between inputs.
//
// Sound: everything is there in two forms, rounded outward for proofs and inward for witnesses. A part that fixes an
//        input at a number that is not a double, while other parts or the point have another number there, has no
//        inner form: it can be excluded, but its witnesses are not found.
#pragma once

#include <vector>

#include "network/network.h"
#include "property/distance.h"
#include "verify/distortion.h"
#include "vnnlib/vnnlib_property.h"

namespace plumb::verify {

// The centre of the smallest box around all regions of the property, in numbers of the inputs' types where the box
// contains such numbers. The property must have a case.
std::vector<double> centre_of(const vnnlib::VnnlibProperty& property, const network::Network& network);

// The property must have a case. Throws DataError if it has too many parts for the memory.
DistortionQuestion distortion_question(const vnnlib::VnnlibProperty& property, const network::Network& network,
                                       const property::Metric& metric, const std::vector<double>& centre);

}  // namespace plumb::verify
