// plumb eval: a network's test error on a data set, or its outputs on single samples.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/messages.h"
#include "cli/npy_output.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "verify/sample.h"
#include "verify/test_error.h"

namespace plumb::cli {
namespace {

using Json = nlohmann::ordered_json;

struct EvalOptions {
  std::string network;
  DataOptions data;
  SampleOptions samples;
  std::string precision = "double";
  int threads = 0;
  std::string outputs;
  OutputOptions output;
};

void print_sample(const EvalOptions& options, const data::DataSet& data, const verify::TestError& result) {
  const std::int64_t predicted = result.predicted[0];
  if (options.output.json) {
    Json json{
        {"sample", options.samples.sample}, {"label", nullptr}, {"predicted", predicted}, {"logits", result.outputs}};
    if (data.has_labels()) json["label"] = data.label(options.samples.sample);
    fmt::print("{}\n", json.dump());
    return;
  }
  Table table({{"output"}, {"value"}, {"", Align::kLeft}});
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    const auto output = static_cast<std::int64_t>(i);
    std::string mark = output == predicted ? "predicted" : "";
    if (data.has_labels() && output == data.label(options.samples.sample)) mark += mark.empty() ? "label" : ", label";
    table.add_row({std::to_string(i), fmt::format("{:.9g}", result.outputs[i]), mark});
  }
  fmt::print("{}", table.text());
}

void print_summary(const EvalOptions& options, std::int64_t samples, const verify::TestError& result) {
  if (options.output.json) {
    Json json{{"samples", samples}, {"errors", nullptr}, {"error", nullptr}, {"seconds", result.seconds}};
    if (result.errors) {
      json["errors"] = *result.errors;
      json["error"] = static_cast<double>(*result.errors) / static_cast<double>(samples);
    }
    fmt::print("{}\n", json.dump());
    return;
  }
  if (!result.errors) {
    fmt::print("{} samples, no labels to compare with\n", grouped(samples));
    return;
  }
  const double percent = 100.0 * static_cast<double>(*result.errors) / static_cast<double>(samples);
  fmt::print("test error {:.2f} %: {} of {} samples\n", percent, grouped(*result.errors), grouped(samples));
}

// Commands that ask about a neighbourhood refuse samples outside the domain. An evaluation is possible, but such values
// often show that something is missing.
void note_samples_outside(const network::Network& network, const data::DataSet& data, const SampleOptions& samples) {
  for (const std::int64_t k : sample_numbers(samples, data)) {
    const std::vector<double> sample = verify::network_sample(network, data, k);
    const auto [least, most] = std::ranges::minmax(sample);
    if (least >= 0 && most <= 1) continue;
    say("plumb: note: sample {} has values from {} to {}. Is --scale (1/255 for bytes) or --mean and --std missing? "
        "Commands that ask about neighbourhoods will need --domain\n",
        k, least, most);
    return;
  }
}

int run_eval(const EvalOptions& options) {
  const std::shared_ptr<const network::Network> as_read = load_network(options.network, options.output);
  note_joined_outputs(*as_read, options.output);
  const data::DataSet data = read_data(options.data);
  const auto network = normalised_for(data, options.data, as_read, options.output).network;
  const bool as_stored = options.data.scale.empty() && !options.data.normalisation.is_given();
  if (as_stored && !options.output.quiet) note_samples_outside(*network, data, options.samples);
  const bool single = options.samples.sample >= 0;
  const SampleRange range = sample_range(options.samples, data);
  verify::TestError result;
  {
    Progress progress("evaluating", range.last - range.first, !options.output.quiet);
    verify::TestErrorOptions work;
    work.first = range.first;
    work.last = range.last;
    work.precision = options.precision == "double" ? verify::Precision::kDouble : verify::Precision::kFloat32;
    work.threads = options.threads;
    work.keep_outputs = single || !options.outputs.empty();
    work.progress = [&progress](std::int64_t done) { progress.update(done); };
    result = test_error(network, data, work);
  }
  if (!options.outputs.empty()) {
    write_npy(options.outputs, result.outputs, range.last - range.first, network->output_size());
  }
  single ? print_sample(options, data, result) : print_summary(options, range.last - range.first, result);
  return 0;
}

}  // namespace

void add_eval(CommandLine& line) {
  auto options = std::make_shared<EvalOptions>();
  Command command =
      line.add_command("eval", "Measure the test error on a data set, or print the outputs for one sample");
  add_network_option(command, options->network);
  add_data_options(command, options->data);
  add_sample_options(command, options->samples);
  command.add_option("--precision", options->precision, "Arithmetic of the evaluation: double or float32")
      .one_of({"double", "float32"})
      .show_default();
  add_threads_option(command, options->threads, "Number of threads");
  command.add_option("--outputs", options->outputs, "Write the outputs of all samples to a .npy file")
      .type_name("FILE");
  add_output_options(command, options->output);
  command.footer("Example: plumb eval examples/digits/digits.onnx --data mnist:examples/digits --samples 0:100");
  command.action([options] { return run_eval(*options); });
}

}  // namespace plumb::cli
