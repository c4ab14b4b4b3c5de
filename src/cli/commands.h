// commands.h: the commands of the program. Each declares its options and prints its result; the library does the work.
#pragma once

#include "cli/command_line.h"

namespace plumb::cli {

void add_inspect(CommandLine& line);
void add_eval(CommandLine& line);
void add_bounds(CommandLine& line);
void add_attack(CommandLine& line);
void add_verify(CommandLine& line);
void add_accuracy(CommandLine& line);
void add_distortion(CommandLine& line);
void add_show(CommandLine& line);
void add_merge(CommandLine& line);
void add_report(CommandLine& line);
void add_worst(CommandLine& line);
void add_range(CommandLine& line);
void add_solvers(CommandLine& line);

}  // namespace plumb::cli
