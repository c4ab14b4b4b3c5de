// generate.h: plumb --generate, which the build calls to make manual pages and shell completions. It is not in --help.
#pragma once

#include <string>
#include <vector>

#include "cli/command_table.h"

namespace plumb::cli {

// Prints what the arguments name, and returns the exit code:
//   man [COMMAND]      one manual page
//   bash | zsh | fish  a completion script
//   all DIR            writes all of them into the folder, at the places that they have below PREFIX/share
// Throws UsageError for anything else, FileError if a file cannot be written.
int generate(const CommandTable& table, const std::vector<std::string>& arguments);

}  // namespace plumb::cli
