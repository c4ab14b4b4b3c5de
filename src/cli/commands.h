// commands.h: the commands of the program. Each declares its options and prints its result; the work is the
// library's.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace plumb::cli {

// What main runs after parsing: returns the exit code.
using Action = std::function<int()>;

void add_inspect(CLI::App& app, Action& action);
void add_eval(CLI::App& app, Action& action);
void add_bounds(CLI::App& app, Action& action);
void add_attack(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_accuracy(CLI::App& app, Action& action);
void add_distortion(CLI::App& app, Action& action);
void add_show(CLI::App& app, Action& action);
void add_merge(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_worst(CLI::App& app, Action& action);
void add_solvers(CLI::App& app, Action& action);

}  // namespace plumb::cli
