// common_options.h: options that several commands share, declared once.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "import/data_set.h"
#include "import/onnx.h"
#include "property/region.h"

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

struct SampleOptions {
  std::int64_t sample = -1;  // none
  std::string samples;       // "A:B" (half-open), "A:" or ":B"
};
void add_sample_options(CLI::App& command, SampleOptions& options);

struct SampleRange {
  std::int64_t first = 0, last = 0;
};
// The whole data set if neither is given. Throws UsageError if it does not lie within the data set.
SampleRange sample_range(const SampleOptions& options, const DataSet& data);

struct RegionOptions {
  std::string epsilon;
  std::string norm = "linf";
  std::string domain = "0,1";
};
void add_region_options(CLI::App& command, RegionOptions& options);
Norm norm_of(const RegionOptions& options);
// The ball around a sample, inside the domain.
Region region_around(const std::vector<double>& sample, const RegionOptions& options);

// Imports the network, and prints the importer's notices to standard error unless quiet.
Network load_network(const std::string& path, const OutputOptions& output);

}  // namespace plumb::cli
