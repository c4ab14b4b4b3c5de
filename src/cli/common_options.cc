#include "cli/common_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>

#include "assembly/perturbation_spec.h"
#include "assembly/text_forms.h"
#include "base/error.h"
#include "cli/messages.h"
#include "cli/usage_error.h"

namespace plumb::cli {
namespace {

std::int64_t parse_index(std::string_view text, const std::string& whole) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool too_large = error == std::errc::result_out_of_range;
  if ((error != std::errc() && !too_large) || end != text.data() + text.size()) {
    throw UsageError("--samples", fmt::format("'{}' is not of the form A:B", whole), "example: --samples 0:100");
  }
  if (too_large)
    value = std::numeric_limits<std::int64_t>::max();  // beyond every data set: refused where the size is known
  return value;
}

// Reads sample numbers, which are separated by spaces or line ends; '#' begins a comment.
std::vector<std::int64_t> samples_in_file(const std::string& path, const data::DataSet& data) {
  std::ifstream file(path);
  if (!file) throw FileError(path, "cannot be read", "the file must contain sample numbers, one per line");
  std::vector<std::int64_t> samples;
  std::set<std::int64_t> seen;
  std::int64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    for (std::string word; words >> word;) {
      std::int64_t sample = -1;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), sample);
      if (error != std::errc() || end != word.data() + word.size() || sample < 0 || sample >= data.size()) {
        throw DataError(fmt::format("{}: line {}", path, number),
                        fmt::format("'{}' is not one of the {} samples of {}", word, data.size(), data.name()),
                        "samples are counted from 0");
      }
      if (seen.insert(sample).second) samples.push_back(sample);
    }
  }
  if (samples.empty()) throw DataError(path, "contains no sample numbers", "write one number per line, counted from 0");
  return samples;
}

}  // namespace

void add_output_options(Command& command, OutputOptions& options) {
  command.add_flag("--json", options.json, "Print only JSON on standard output");
  command.add_flag("-q,--quiet", options.quiet, "Print no notices and no progress bar");
}

void add_network_option(Command& command, std::string& path) {
  command.add_option("network", path, "ONNX file, plain or .gz").required().type_name("NET");
}

void add_threads_option(Command& command, int& threads, const char* what) {
  command.add_option("--threads", threads, fmt::format("{} (default: one per core)", what)).positive().type_name("N");
}

void add_target_option(Command& command, std::vector<std::int64_t>& targets) {
  command
      .add_option("--target", targets,
                  "Only these labels count as adversarial, e.g. 3,5; samples with these labels are skipped")
      .delimiter(',')
      .type_name("LABELS");
}

void add_data_options(Command& command, DataOptions& options) {
  command
      .add_option("--data", options.specification,
                  "mnist:DIR, cifar10:DIR, npz:FILE, npy:X[,Y] or csv:FILE (label first)")
      .required()
      .type_name("SPEC");
  command
      .add_option("--scale", options.scale, "Factor for stored numbers, e.g. 1/255 (default: 1/255 for bytes, else 1)")
      .type_name("S");
  command
      .add_option("--layout", options.layout,
                  "Order of dimensions in the samples: chw (channels first) or hwc (channels last)")
      .one_of({"chw", "hwc"})
      .show_default();
  add_normalisation_options(command, options.normalisation);
}

void add_normalisation_options(Command& command, NormalisationArguments& arguments) {
  command
      .add_option("--mean", arguments.mean,
                  "The network takes (x - mean) / std: one number, one per channel or input, a FILE, or mnist, "
                  "fashion-mnist, cifar10, cifar100, imagenet")
      .type_name("M");
  command
      .add_option("--std", arguments.deviation, "See --mean; regions and distances are in units before normalisation")
      .type_name("S");
}

data::DataSet read_data(const DataOptions& options) {
  data::DataSetOptions reader;
  if (!options.scale.empty()) reader.scale = options.scale;
  reader.layout = options.layout == "hwc" ? data::Layout::kChannelsLast : data::Layout::kChannelsFirst;
  return read_data_set(options.specification, reader);
}

void add_sample_options(Command& command, SampleOptions& options) {
  Option sample =
      command.add_option("--sample", options.sample, "One sample, counted from 0").not_negative().type_name("K");
  command.add_option("--samples", options.samples, "Samples A to B-1 (default: all)").type_name("A:B").excludes(sample);
}

SampleRange sample_range(const SampleOptions& options, const data::DataSet& data) {
  if (options.sample >= data.size()) {
    throw UsageError(
        "--sample",
        fmt::format("{} is not below {}, the number of samples in {}", options.sample, data.size(), data.name()),
        "samples are counted from 0");
  }
  if (options.sample >= 0) return {options.sample, options.sample + 1};
  const std::string& text = options.samples;
  if (text.empty()) return {0, data.size()};
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) {
    throw UsageError("--samples", fmt::format("'{}' is not of the form A:B", text),
                     "example: --samples 0:100; one sample: --sample 7");
  }
  const std::string_view first = std::string_view(text).substr(0, colon),
                         last = std::string_view(text).substr(colon + 1);
  const SampleRange range{first.empty() ? 0 : parse_index(first, text),
                          last.empty() ? data.size() : parse_index(last, text)};
  if (range.first < 0 || range.last > data.size() || range.first >= range.last) {
    throw UsageError("--samples", fmt::format("{} is not within 0:{}", text, data.size()),
                     "samples are counted from 0, and A:B excludes B");
  }
  return range;
}

std::vector<std::int64_t> sample_numbers(const SampleOptions& options, const data::DataSet& data) {
  if (!options.file.empty()) return samples_in_file(options.file, data);
  const SampleRange range = sample_range(options, data);
  std::vector<std::int64_t> numbers;
  for (std::int64_t k = range.first; k < range.last; ++k) numbers.push_back(k);
  return numbers;
}

void add_norm_option(Command& command, std::string& norm, const char* description) {
  command.add_option("--norm", norm, description).one_of({"linf", "l1", "l2"}).show_default();
}

void add_domain_option(Command& command, std::string& domain) {
  command
      .add_option(
          "--domain", domain,
          "Range of values that inputs can take: LO,HI or none; one per channel or input: 'LO,HI;LO,HI;...' or a FILE "
          "of lines")
      .type_name("LO,HI")
      .show_default();
}

void add_scale_option(Command& command, std::string& scale) {
  command
      .add_option("--eps-scale", scale,
                  "Multiply the radius of each input (linf only): one number per channel or input, or a FILE of lines")
      .type_name("S,S,...");
}

void add_region_options(Command& command, RegionArguments& arguments) {
  command.add_option("--eps", arguments.epsilon, "Radius of the ball, exact as written: 0.1, 8/255").type_name("E");
  add_norm_option(command, arguments.norm, "Norm of the ball: linf, l1 or l2");
  add_scale_option(command, arguments.scale);
  add_domain_option(command, arguments.domain);
  command
      .add_option("--perturbation", arguments.perturbations,
                  "Instead of --eps: linf:R, l1:R, l2:R, blur:HxW, brightness:LO,HI, contrast:LO,HI, "
                  "patch:ROW,COL,H,W or FILE.json; several, joined by + or in repeated options, form a union")
      .type_name("SPEC")
      .one_value_each()
      .excludes(command.option("--eps"))
      .excludes(command.option("--norm"));
}

void expect_region(const RegionArguments& arguments) {
  if (!arguments.epsilon.empty() || !arguments.perturbations.empty()) return;
  throw UsageError("", "--eps or --perturbation is required", "for example --eps 0.1, or --perturbation blur:5x5");
}

assembly::NeighbourhoodOptions neighbourhood_options(const RegionArguments& arguments) {
  assembly::NeighbourhoodOptions options;
  options.domain = assembly::parse_domain(arguments.domain);
  options.norm = assembly::parse_norm(arguments.norm);
  if (!arguments.scale.empty()) {
    options.scale = assembly::parse_numbers(arguments.scale, "eps-scale", Rational::Accept::kNotNegative);
  }
  if (arguments.epsilon.find(',') != std::string::npos) {
    throw UsageError("--eps", fmt::format("one radius is expected, not '{}'", arguments.epsilon),
                     "plumb accuracy takes several radii; --eps-scale gives each input its own share of one radius");
  }
  if (!arguments.epsilon.empty()) {
    options.families.push_back(property::NormBall{options.norm, Rational::parse(arguments.epsilon, "epsilon")});
  }
  for (const std::string& text : arguments.perturbations) {
    std::ranges::move(assembly::parse_perturbations(text), std::back_inserter(options.families));
  }
  return options;
}

void note_joined_outputs(const network::Network& network, const OutputOptions& output) {
  if (output.quiet || network.outputs().size() < 2) return;
  std::vector<std::string> names;
  for (const network::NetworkOutput& one : network.outputs()) {
    names.push_back(fmt::format("'{}' ({})", one.name, network.size(one.node)));
  }
  say("plumb: note: the network has {} outputs, {}: labels 0 to {} are counted over all of them, in this order\n",
      names.size(), fmt::join(names, ", "), network.output_size() - 1);
}

std::shared_ptr<const network::Network> load_network(const std::string& path, const OutputOptions& output) {
  onnx::ImportedNetwork imported = onnx::import_onnx(path);
  if (!output.quiet) {
    for (const std::string& notice : imported.notices) say("plumb: {}: note: {}\n", path, notice);
  }
  return shared(std::move(imported.network));
}

}  // namespace plumb::cli
