// distortion_property.h: plumb distortion NET PROPERTY.vnnlib, and what it shares with distances from samples.
#pragma once

#include <string>

#include "assembly/engine.h"
#include "cli/verdict_json.h"
#include "cli/verify_property.h"
#include "verify/distortion.h"

namespace plumb::cli {

// What a record says about a distortion, of a sample or of a property.
Json distortion_json(const verify::Distortion& result, const assembly::Engine& engine, property::Norm norm);

struct DistanceCommand {
  PropertyCommand property;
  std::string from;  // a file, or empty or "centre" for the centre of the box around the region
  property::Norm norm = property::Norm::kLinf;
  bool minimise = false;
};

// Prints the distance from the point to the inputs that violate the property; returns the exit code.
int distortion_of_property(const DistanceCommand& command, const verify::DistortionOptions& options);

}  // namespace plumb::cli
