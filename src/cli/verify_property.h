// verify_property.h: plumb verify NET PROPERTY.vnnlib.
#pragma once

#include <string>
#include <vector>

#include "cli/common_options.h"
#include "cli/engine_arguments.h"

namespace plumb::cli {

struct PropertyCommand {
  std::string network, property;
  std::vector<std::string> more_networks;  // NAME=NET
  std::string result_file;                 // empty means none
  EngineArguments engine;
  int threads = 0;
  OutputOptions output;
};

// Prints the verdict; returns the exit code.
int verify_property_file(const PropertyCommand& command);

}  // namespace plumb::cli
