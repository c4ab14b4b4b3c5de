// common_options.h: options that several commands share, declared once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "data/data_set.h"
#include "onnx/onnx_file.h"
#include "property/perturbation.h"

namespace plumb::cli {

struct OutputOptions {
  bool json = false;
  bool quiet = false;
};
void add_output_options(Command& command, OutputOptions& options);

void add_network_option(Command& command, std::string& path);
// `what` says what runs at the same time.
void add_threads_option(Command& command, int& threads, const char* what = "Samples at the same time");
void add_target_option(Command& command, std::vector<std::int64_t>& targets);

struct DataOptions {
  std::string specification;
  std::string scale;
  std::string layout = "chw";
};
void add_data_options(Command& command, DataOptions& options);
data::DataSet read_data(const DataOptions& options);

struct SampleOptions {
  std::int64_t sample = -1;  // -1 means none
  std::string samples;       // "A:B" (half-open), "A:" or ":B"
};
void add_sample_options(Command& command, SampleOptions& options);

struct SampleRange {
  std::int64_t first = 0, last = 0;
};
// Returns the whole data set if neither option is given. Throws UsageError if the range does not lie within the data
// set.
SampleRange sample_range(const SampleOptions& options, const data::DataSet& data);
// The same as a list.
std::vector<std::int64_t> sample_numbers(const SampleOptions& options, const data::DataSet& data);

struct RegionOptions {
  std::string epsilon;
  std::string norm = "linf";
  std::string domain = "0,1";
  std::vector<std::string> perturbations;  // instead of epsilon; the region is their union
};
void add_region_options(Command& command, RegionOptions& options);
property::Norm parse_norm(const std::string& text);
// Returns nullopt for "none".
std::optional<property::Domain> parse_domain(const std::string& text);
// Throws DataError if a sample has a value outside of --domain. The message says what would fit.
void expect_in_domain(const network::Network& network, const data::DataSet& data,
                      const std::vector<std::int64_t>& samples, const std::string& domain);
// The box of all inputs, which contains the ball of every sample; nullopt if --domain names none.
std::optional<property::Box> whole_domain(const std::string& domain, const network::Network& network);

// The region around each sample according to the region options. They are parsed once, before anything is computed.
class Neighbourhood {
 public:
  // Throws UsageError, or what the reader of a file throws.
  Neighbourhood(const RegionOptions& options, const network::Network& network, const data::DataSet& data);

  // Throws DataError if a sample lies outside of the domain and some family of perturbations is restricted to the
  // domain: a ball around a sample that is not a valid input is not a meaningful question.
  void expect_samples_inside(const network::Network& network, const data::DataSet& data,
                             const std::vector<std::int64_t>& samples) const;

  property::Region around(const std::vector<double>& sample) const;
  bool is_union() const { return families_.size() > 1; }
  // The norm in which distances are reported: that of a single ball, otherwise the one of --norm.
  property::Norm norm() const { return norm_; }

 private:
  std::vector<property::Perturbation> families_;
  std::string domain_text_;
  std::optional<property::Domain> domain_;
  std::optional<property::ImageShape> image_;
  property::Norm norm_ = property::Norm::kLinf;
};

// Prints a notice, unless quiet, if the network has several outputs, so that labels are counted over all of them.
void note_joined_outputs(const network::Network& network, const OutputOptions& output);

// Imports the network. Prints the importer's notices to standard error unless quiet.
std::shared_ptr<const network::Network> load_network(const std::string& path, const OutputOptions& output);

}  // namespace plumb::cli
