// verify_property.h: plumb verify NET PROPERTY.vnnlib and plumb attack NET PROPERTY.vnnlib.
#pragma once

#include <string>

#include "attack/gradient_attack.h"
#include "cli/common_options.h"
#include "cli/engine_arguments.h"
#include "cli/region_file.h"

namespace plumb::cli {

struct PropertyCommand {
  FileQuestion question;
  EngineArguments engine = {};
  int threads = 0;
  std::string result_file = {}, certificate = {};  // empty means none
};

// Prints the verdict; returns the exit code.
int verify_property_file(const PropertyCommand& command);
// The same by an attack alone: there are no engine and no result file.
int attack_property_file(const PropertyCommand& command, const attack::AttackOptions& options);

}  // namespace plumb::cli
