// man_page.h: manual pages in the language of man(7).
//
// In: the table of commands, the same that --help shows. Out: the text of one page.
#pragma once

#include <string>

#include "cli/command_table.h"

namespace plumb::cli {

// plumb(1): the commands, and what they have in common.
std::string program_page(const CommandTable& table);
// plumb-COMMAND(1).
std::string command_page(const CommandTable& table, const CommandEntry& command);

}  // namespace plumb::cli
