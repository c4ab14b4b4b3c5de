// engine_arguments.h: which engine decides queries, as users write it. Shared by the commands that ask questions.
#pragma once

#include <cstdint>
#include <string>

#include "assembly/engine_options.h"
#include "cli/command_line.h"

namespace plumb::cli {

struct EngineArguments {
  std::string engine = "auto";
  std::string solver;  // empty means the default
  double timeout = 0;  // seconds per query; 0 means none
  std::int64_t work_limit = 0;
  double memory = 4;  // GiB
  std::string split = "auto";
  std::string without;  // techniques; empty means none
  bool no_cuts = false;
  std::string encoding = "reduced", labels = "one-by-one";
  std::string tighten;  // empty means the default list
  bool no_progressive = false, no_restricted_domain = false, symmetric_bounds = false;
  std::string write_model;
  bool audit = false;  // only verify offers it
};
// The description of --threads for commands with these options.
inline constexpr const char* kSamplesOrSolver =
    "Number of samples processed at the same time; with --sample, threads of the search or the solver";
void add_engine_options(Command& command, EngineArguments& arguments);

// Throws ArgumentError if a text cannot be understood. `threads` is the number of threads per query.
assembly::EngineOptions engine_options(const EngineArguments& arguments, int threads);

// The number of bytes; --memory is in GiB.
std::int64_t bytes_of(double gib);

}  // namespace plumb::cli
