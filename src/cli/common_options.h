// common_options.h: options that several commands share, declared once.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "import/data_set.h"
#include "import/onnx.h"

namespace plumb::cli {

struct OutputOptions {
  bool json = false;
  bool quiet = false;
};
void add_output_options(CLI::App& command, OutputOptions& options);

struct DataOptions {
  std::string specification;
  std::string scale;
  std::string layout = "chw";
};
void add_data_options(CLI::App& command, DataOptions& options);
DataSet read_data(const DataOptions& options);

struct SampleRange {
  std::int64_t first = 0, last = 0;
};
// "A:B" (half-open), "A:" and ":B"; the whole data set if empty. Throws UsageError if it is not within
// 0..size.
SampleRange parse_range(const std::string& text, std::int64_t size);

// Imports the network, and prints the importer's notices to standard error unless quiet.
Network load_network(const std::string& path, const OutputOptions& output);

}  // namespace plumb::cli
