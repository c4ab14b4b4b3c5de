// plumb bounds: what is proven about every unit around a sample.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/parallel.h"
#include "bounds/summary.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "reduction/reduced_network.h"
#include "verify/sample.h"

namespace plumb::cli {
namespace {

using Json = nlohmann::ordered_json;

struct BoundsCommand {
  std::string network;
  DataOptions data;
  SampleOptions samples;
  RegionOptions region;
  std::string method = "linear";
  int threads = 0;
  OutputOptions output;
};

// One sample's bounds, counted.
struct SampleBounds {
  std::int64_t sample = 0, label = 0;
  std::vector<LayerSummary> layers;
  std::vector<Margin> margins;
  std::int64_t eliminated = 0;
  std::int64_t reduced_rows = 0, reduced_inputs = 0, reduced_bytes = 0;  // rows 0: too large to be stored
  double seconds = 0;
};

// Beyond this many bytes a reduced network is not stored.
constexpr std::int64_t kMostReducedBytes = std::int64_t{1} << 28;

void reduce(const RegionBounds& bounds, SampleBounds& result) {
  const auto margins = margin_functionals(bounds.network.network().output_size(), result.label);
  const auto reduced = ReducedNetwork::build(bounds, output_functionals(bounds, margins), kMostReducedBytes);
  if (!reduced) return;
  result.reduced_rows = reduced->rows();
  result.reduced_inputs = reduced->space().size();
  result.reduced_bytes = reduced->bytes();
}

SampleBounds bound_sample(const BoundsCommand& command, const BoundedNetwork& network, const DataSet& data,
                          std::int64_t k) {
  const auto start = std::chrono::steady_clock::now();
  const Region region = region_around(network_sample(network.network(), data, k), command.region);
  RegionBounds bounds(network, region);
  compute_bounds(bounds, {command.method == "interval" ? BoundMethod::kInterval : BoundMethod::kLinear});
  SampleBounds result;
  result.sample = k;
  result.label = data.label(k);
  result.layers = summarise(bounds);
  result.margins = margins(bounds, result.label);
  reduce(bounds, result);
  for (const Margin& margin : result.margins) result.eliminated += margin.lower > 0;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

Json layers_json(const std::vector<LayerSummary>& layers) {
  Json json = Json::array();
  for (const LayerSummary& layer : layers) {
    json.push_back({{"name", layer.name},
                    {"units", layer.units},
                    {"active", layer.active},
                    {"inactive", layer.inactive},
                    {"unstable", layer.unstable},
                    {"mean_width", layer.mean_width},
                    {"by_interval", layer.by_interval},
                    {"by_linear", layer.by_linear}});
  }
  return json;
}

void print_json(const SampleBounds& bounds) {
  Json margin_list = Json::array();
  for (const Margin& margin : bounds.margins)
    margin_list.push_back({{"target", margin.target}, {"lower", margin.lower}});
  const Json json{{"sample", bounds.sample},
                  {"label", bounds.label},
                  {"layers", layers_json(bounds.layers)},
                  {"margins", margin_list},
                  {"labels_eliminated", bounds.eliminated},
                  {"reduced", bounds.reduced_rows == 0 ? Json(nullptr)
                                                       : Json{{"rows", bounds.reduced_rows},
                                                              {"inputs", bounds.reduced_inputs},
                                                              {"bytes", bounds.reduced_bytes}}},
                  {"seconds", bounds.seconds}};
  fmt::print("{}\n", json.dump());
}

// Means over the samples, of everything that is counted.
struct MeanLayer {
  std::string name;
  std::int64_t units = 0;
  double active = 0, inactive = 0, unstable = 0, mean_width = 0, by_interval = 0, by_linear = 0;
};

std::vector<MeanLayer> mean_layers(const std::vector<SampleBounds>& all) {
  std::vector<MeanLayer> means;
  for (std::size_t l = 0; l < all[0].layers.size(); ++l) {
    MeanLayer mean{all[0].layers[l].name, all[0].layers[l].units};
    for (const SampleBounds& sample : all) {
      const LayerSummary& layer = sample.layers[l];
      const double share = 1.0 / static_cast<double>(all.size());
      mean.active += share * static_cast<double>(layer.active);
      mean.inactive += share * static_cast<double>(layer.inactive);
      mean.unstable += share * static_cast<double>(layer.unstable);
      mean.mean_width += share * layer.mean_width;
      mean.by_interval += share * static_cast<double>(layer.by_interval);
      mean.by_linear += share * static_cast<double>(layer.by_linear);
    }
    means.push_back(std::move(mean));
  }
  return means;
}

double mean_of(const std::vector<SampleBounds>& all, double (*number)(const SampleBounds&)) {
  double sum = 0;
  for (const SampleBounds& sample : all) sum += number(sample);
  return sum / static_cast<double>(all.size());
}

void print_summary_json(const std::vector<SampleBounds>& all) {
  Json layers = Json::array();
  for (const MeanLayer& mean : mean_layers(all)) {
    layers.push_back({{"name", mean.name},
                      {"units", mean.units},
                      {"active", mean.active},
                      {"inactive", mean.inactive},
                      {"unstable", mean.unstable},
                      {"mean_width", mean.mean_width},
                      {"by_interval", mean.by_interval},
                      {"by_linear", mean.by_linear}});
  }
  const Json summary{
      {"samples", all.size()},
      {"layers", layers},
      {"labels_eliminated", mean_of(all, [](const SampleBounds& s) { return static_cast<double>(s.eliminated); })},
      {"seconds", mean_of(all, [](const SampleBounds& s) { return s.seconds; })}};
  fmt::print("{}\n", Json{{"summary", summary}}.dump());
}

void print_table(const std::vector<SampleBounds>& all) {
  Table table({{"layer", Align::kLeft}, {"units"}, {"active"}, {"inactive"}, {"unstable"}, {"mean width"}});
  MeanLayer total{"total", 0};
  const auto number = [&](double v) { return fmt::format("{:.{}f}", v, all.size() == 1 ? 0 : 2); };
  for (const MeanLayer& mean : mean_layers(all)) {
    table.add_row({mean.name, grouped(mean.units), number(mean.active), number(mean.inactive), number(mean.unstable),
                   fmt::format("{:.4g}", mean.mean_width)});
    total.units += mean.units;
    total.active += mean.active;
    total.inactive += mean.inactive;
    total.unstable += mean.unstable;
  }
  table.add_row(
      {"total", grouped(total.units), number(total.active), number(total.inactive), number(total.unstable), ""});
  fmt::print("{}\n", table.text());
  if (all.size() > 1) {
    fmt::print("means over {} samples: {:.2f} labels eliminated, {:.4f} s a sample\n",
               grouped(static_cast<long long>(all.size())),
               mean_of(all, [](const SampleBounds& s) { return static_cast<double>(s.eliminated); }),
               mean_of(all, [](const SampleBounds& s) { return s.seconds; }));
    return;
  }
  Table margin_table({{"target"}, {"margin is at least"}, {"", Align::kLeft}});
  for (const Margin& margin : all[0].margins) {
    margin_table.add_row(
        {std::to_string(margin.target), fmt::format("{:.6g}", margin.lower), margin.lower > 0 ? "eliminated" : ""});
  }
  fmt::print("{}\nlabel {}: {} of {} other labels eliminated, {:.4f} s\n", margin_table.text(), all[0].label,
             all[0].eliminated, all[0].margins.size(), all[0].seconds);
}

int run_bounds(const BoundsCommand& command) {
  const Network network = load_network(command.network, command.output);
  const DataSet data = read_data(command.data);
  if (!data.has_labels()) throw DataError(data.name(), "margins need labels", "give a data set with labels");
  const SampleRange range = sample_range(command.samples, data);
  for (std::int64_t k = range.first; k < range.last; ++k) check_label(network, data, k);
  const BoundedNetwork bounded(network);
  std::vector<SampleBounds> all(static_cast<std::size_t>(range.last - range.first));
  {
    Progress progress("bounding", range.last - range.first, !command.output.quiet);
    std::atomic<std::int64_t> done = 0;
    parallel_for(range.last - range.first, command.threads, [&](std::int64_t i) {
      all[static_cast<std::size_t>(i)] = bound_sample(command, bounded, data, range.first + i);
      progress.update(++done);
    });
  }
  if (!command.output.json) {
    print_table(all);
    return 0;
  }
  for (const SampleBounds& sample : all) print_json(sample);
  if (command.samples.sample < 0) print_summary_json(all);
  return 0;
}

}  // namespace

void add_bounds(CLI::App& app, Action& action) {
  auto options = std::make_shared<BoundsCommand>();
  CLI::App* command = app.add_subcommand("bounds", "Proven bounds on every unit around a sample");
  command->add_option("network", options->network, "ONNX file, plain or .gz")->required()->type_name("NET");
  add_data_options(*command, options->data);
  add_sample_options(*command, options->samples);
  add_region_options(*command, options->region);
  command->add_option("--method", options->method, "interval, or linear (after interval)")
      ->check(CLI::IsMember({"interval", "linear"}))
      ->capture_default_str();
  command->add_option("--threads", options->threads, "Samples at the same time (default: one a core)")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  add_output_options(*command, options->output);
  command->footer(
      "Example: plumb bounds examples/digits/digits.onnx --data mnist:examples/digits --sample 7 --eps 0.06");
  command->callback([options, &action] { action = [options] { return run_bounds(*options); }; });
}

}  // namespace plumb::cli
