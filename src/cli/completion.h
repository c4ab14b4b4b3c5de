// completion.h: scripts that complete the program's command lines in shells.
//
// In:  the table of commands, the same that --help shows. Out: a script for the shell.
// They complete commands, options, the choices of an option, and names of files where an argument is one.
#pragma once

#include <string>

#include "cli/command_table.h"

namespace plumb::cli {

std::string bash_completion(const CommandTable& table);
std::string zsh_completion(const CommandTable& table);
std::string fish_completion(const CommandTable& table);

}  // namespace plumb::cli
