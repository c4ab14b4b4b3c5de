// common_options.h: options that several commands share, declared once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assembly/neighbourhood.h"
#include "cli/command_line.h"
#include "data/data_set.h"
#include "onnx/onnx_file.h"

namespace plumb::cli {

struct OutputOptions {
  bool json = false;
  bool quiet = false;
};
void add_output_options(Command& command, OutputOptions& options);

void add_network_option(Command& command, std::string& path);
// `what` says what runs at the same time.
void add_threads_option(Command& command, int& threads,
                        const char* what = "Number of samples processed at the same time");
void add_target_option(Command& command, std::vector<std::int64_t>& targets);

// --mean and --std (normalisation_arguments.h); empty means none.
struct NormalisationArguments {
  std::string mean, deviation;

  bool is_given() const { return !mean.empty() || !deviation.empty(); }
};
void add_normalisation_options(Command& command, NormalisationArguments& arguments);

struct DataOptions {
  std::string specification;
  std::string scale;
  std::string layout = "chw";
  NormalisationArguments normalisation;  // that the network expects
};
void add_data_options(Command& command, DataOptions& options);
data::DataSet read_data(const DataOptions& options);

struct SampleOptions {
  std::int64_t sample = -1;  // -1 means none
  std::string samples;       // "A:B" (half-open), "A:" or ":B"
  std::string file;          // names samples instead; only accuracy offers it
};
void add_sample_options(Command& command, SampleOptions& options);

struct SampleRange {
  std::int64_t first = 0, last = 0;
};
// Returns the whole data set if no option is given. Throws UsageError if the range does not lie within the data set.
SampleRange sample_range(const SampleOptions& options, const data::DataSet& data);
// The same as a list, or the samples that the file names. Throws FileError or DataError if the file cannot be used.
std::vector<std::int64_t> sample_numbers(const SampleOptions& options, const data::DataSet& data);

struct RegionArguments {
  std::string epsilon;
  std::string norm = "linf";
  std::string domain = "0,1";
  std::string scale;                       // of the radius, for each input; empty means 1
  std::vector<std::string> perturbations;  // instead of epsilon; the region is their union
};
void add_region_options(Command& command, RegionArguments& arguments);
void add_norm_option(Command& command, std::string& norm, const char* description);
void add_domain_option(Command& command, std::string& domain);
void add_scale_option(Command& command, std::string& scale);
// Throws UsageError if neither a radius nor a perturbation is given.
void expect_region(const RegionArguments& arguments);
// Throws ArgumentError, or what the reader of a file throws.
assembly::NeighbourhoodOptions neighbourhood_options(const RegionArguments& arguments);

// Prints a notice, unless quiet, if the network has several outputs, so that labels are counted over all of them.
void note_joined_outputs(const network::Network& network, const OutputOptions& output);

// Imports the network. Prints the importer's notices to standard error unless quiet.
std::shared_ptr<const network::Network> load_network(const std::string& path, const OutputOptions& output);

}  // namespace plumb::cli
