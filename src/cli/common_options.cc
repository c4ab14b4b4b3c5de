#include "cli/common_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "assembly/perturbation_spec.h"
#include "base/error.h"
#include "cli/messages.h"
#include "verify/sample.h"

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

}  // namespace

void add_output_options(Command& command, OutputOptions& options) {
  command.add_flag("--json", options.json, "Print JSON on standard output, and nothing else there");
  command.add_flag("-q,--quiet", options.quiet, "No notices and no progress bar");
}

void add_network_option(Command& command, std::string& path) {
  command.add_option("network", path, "ONNX file, plain or .gz").required().type_name("NET");
}

void add_threads_option(Command& command, int& threads, const char* what) {
  command.add_option("--threads", threads, fmt::format("{} (default: one a core)", what)).positive().type_name("N");
}

void add_target_option(Command& command, std::vector<std::int64_t>& targets) {
  command
      .add_option("--target", targets, "Only these labels count as adversarial, e.g. 3,5; samples of them are skipped")
      .delimiter(',')
      .type_name("LABELS");
}

void add_data_options(Command& command, DataOptions& options) {
  command
      .add_option("--data", options.specification,
                  "mnist:DIR, cifar10:DIR, npz:FILE, npy:X[,Y] or csv:FILE (label first)")
      .required()
      .type_name("SPEC");
  command.add_option("--scale", options.scale, "Multiply stored numbers, e.g. 1/255 (default: 1/255 for bytes, else 1)")
      .type_name("S");
  command.add_option("--layout", options.layout, "Order of dimensions in the samples: chw or hwc")
      .one_of({"chw", "hwc"})
      .show_default();
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
    throw UsageError("--sample",
                     fmt::format("{} is not below {}, the size of {}", options.sample, data.size(), data.name()),
                     "samples are counted from 0");
  }
  if (options.sample >= 0) return {options.sample, options.sample + 1};
  const std::string& text = options.samples;
  if (text.empty()) return {0, data.size()};
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) {
    throw UsageError("--samples", fmt::format("'{}' is not of the form A:B", text), "example: --samples 0:100");
  }
  const std::string_view first = std::string_view(text).substr(0, colon),
                         last = std::string_view(text).substr(colon + 1);
  const SampleRange range{first.empty() ? 0 : parse_index(first, text),
                          last.empty() ? data.size() : parse_index(last, text)};
  if (range.first < 0 || range.last > data.size() || range.first >= range.last) {
    throw UsageError("--samples", fmt::format("{} does not lie within 0:{}", text, data.size()),
                     "samples are counted from 0; A:B leaves out B");
  }
  return range;
}

std::vector<std::int64_t> sample_numbers(const SampleOptions& options, const data::DataSet& data) {
  const SampleRange range = sample_range(options, data);
  std::vector<std::int64_t> numbers;
  for (std::int64_t k = range.first; k < range.last; ++k) numbers.push_back(k);
  return numbers;
}

void add_region_options(Command& command, RegionOptions& options) {
  Option epsilon =
      command.add_option("--eps", options.epsilon, "Radius of the ball, exact as written: 0.1, 8/255").type_name("E");
  Option norm =
      command.add_option("--norm", options.norm, "linf, l1 or l2").one_of({"linf", "l1", "l2"}).show_default();
  command.add_option("--domain", options.domain, "Values that inputs can have: LO,HI or none")
      .type_name("LO,HI")
      .show_default();
  command
      .add_option("--perturbation", options.perturbations,
                  "Instead of --eps: linf:R, l1:R, l2:R, blur:HxW, brightness:LO,HI, contrast:LO,HI, "
                  "patch:ROW,COL,H,W or FILE.json; several, joined by + or repeated, are a union")
      .type_name("SPEC")
      .one_value_each()
      .excludes(epsilon)
      .excludes(norm);
}

property::Norm parse_norm(const std::string& text) {
  return text == "l1" ? property::Norm::kL1 : text == "l2" ? property::Norm::kL2 : property::Norm::kLinf;
}

std::optional<property::Domain> parse_domain(const std::string& text) {
  if (text == "none") return std::nullopt;
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) {
    throw UsageError("--domain", fmt::format("'{}' is not of the form LO,HI", text), "example: --domain 0,1");
  }
  const auto limit = [](const std::string& side) { return Rational::parse(side, "--domain", Rational::Accept::kAny); };
  const property::Domain domain{limit(text.substr(0, comma)).round_down(), limit(text.substr(comma + 1)).round_up()};
  if (domain.lower > domain.upper) {
    throw UsageError("--domain", fmt::format("{} is empty", text), "example: --domain 0,1");
  }
  return domain;
}

void expect_in_domain(const network::Network& network, const data::DataSet& data,
                      const std::vector<std::int64_t>& samples, const std::string& domain) {
  const auto limits = parse_domain(domain);
  if (!limits) return;
  for (const std::int64_t k : samples) {
    const std::vector<double> sample = verify::network_sample(network, data, k);
    const auto outside =
        std::ranges::find_if(sample, [&](double x) { return !(limits->lower <= x && x <= limits->upper); });
    if (outside == sample.end()) continue;
    const auto [least, most] = std::ranges::minmax(sample);
    const bool bytes =
        least >= 0 && most <= 255 && std::ranges::all_of(sample, [](double x) { return x == std::floor(x); });
    throw DataError(data.name(),
                    fmt::format("sample {} has the value {} at position {}, outside of --domain {}{}; its values range "
                                "from {} to {}",
                                k, *outside, outside - sample.begin(), domain,
                                domain == RegionOptions().domain ? " (the default)" : "", least, most),
                    fmt::format("{}give --domain LO,HI with the least and the greatest value that inputs can have, or "
                                "--domain none",
                                bytes ? "for values from 0 to 255 give --scale 1/255; otherwise " : ""));
  }
}

std::optional<property::Box> whole_domain(const std::string& text, const network::Network& network) {
  const auto domain = parse_domain(text);
  if (!domain) return std::nullopt;
  const auto size = static_cast<std::size_t>(network.input_size());
  return property::Box{std::vector<double>(size, domain->lower), std::vector<double>(size, domain->upper)};
}

Neighbourhood::Neighbourhood(const RegionOptions& options, const network::Network& network, const data::DataSet& data)
    : domain_text_(options.domain),
      domain_(parse_domain(options.domain)),
      image_(verify::image_of_samples(network, data)),
      norm_(parse_norm(options.norm)) {
  if (options.epsilon.empty() && options.perturbations.empty()) {
    throw UsageError("", "--eps or --perturbation is required", "for example --eps 0.1, or --perturbation blur:5x5");
  }
  if (!options.epsilon.empty())
    families_.push_back(property::NormBall{norm_, Rational::parse(options.epsilon, "--eps")});
  for (const std::string& text : options.perturbations) {
    for (property::Perturbation& family : assembly::parse_perturbations(text)) families_.push_back(std::move(family));
  }
  const auto* ball = std::get_if<property::NormBall>(&families_[0]);
  if (families_.size() == 1 && ball != nullptr) norm_ = ball->norm;
}

void Neighbourhood::expect_samples_inside(const network::Network& network, const data::DataSet& data,
                                          const std::vector<std::int64_t>& samples) const {
  if (std::ranges::any_of(families_, property::uses_domain)) expect_in_domain(network, data, samples, domain_text_);
}

property::Region Neighbourhood::around(const std::vector<double>& sample) const {
  std::vector<property::SimpleRegion> parts;
  for (const property::Perturbation& family : families_) parts.push_back(perturbed(family, sample, image_, domain_));
  return property::Region(std::move(parts));
}

void note_joined_outputs(const network::Network& network, const OutputOptions& output) {
  if (output.quiet || network.outputs().size() < 2) return;
  std::vector<std::string> names;
  for (const network::NetworkOutput& one : network.outputs()) {
    names.push_back(fmt::format("'{}' ({})", one.name, network.size(one.node)));
  }
  say("plumb: note: the network has {} outputs, {}: labels 0 to {} are counted over all of them, one after the other\n",
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
