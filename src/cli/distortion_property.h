// distortion_property.h: plumb distortion NET PROPERTY.vnnlib, and what it shares with distances from samples.
#pragma once

#include <string>

#include "cli/verify_property.h"
#include "verify/distortion.h"

namespace plumb::cli {

// linf, l1 or l2.
const char* norm_name(property::Norm norm);

struct DistanceCommand {
  PropertyCommand property;
  std::string from;  // a file, or empty or "centre" for the centre of the box around the region
  property::Norm norm = property::Norm::kLinf;
  bool minimise = false;
};

// Prints the distance from the point to the inputs that violate the property; returns the exit code.
int distortion_of_property(const DistanceCommand& command, const verify::DistortionOptions& options);

}  // namespace plumb::cli
