// misspelt.h: advice about commands and options that do not exist.
#pragma once

#include <string>
#include <vector>

#include "cli/command_table.h"

namespace plumb::cli {

// Checks the arguments before anything else is made of them. Throws UsageError for a command or an option that does not
// exist, naming the nearest one or the commands that have the option, and for an option that lacks its value because
// another option follows.
void check_names(const CommandTable& table, const std::vector<std::string>& arguments);

}  // namespace plumb::cli
