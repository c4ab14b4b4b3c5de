// plumb bounds: proven bounds on every unit around a sample, or over a region in a file.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "assembly/empty_region.h"
#include "base/error.h"
#include "bounds/bounds.h"
#include "bounds/summary.h"
#include "cli/bounded_region.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/question_json.h"
#include "cli/region_file.h"
#include "cli/rounded.h"
#include "cli/sample_questions.h"
#include "cli/table.h"
#include "cli/usage_error.h"

namespace plumb::cli {
namespace {

using Json = nlohmann::ordered_json;

struct BoundsCommand {
  QuestionArguments question;
  RegionFile file;  // instead of data
  RegionArguments region;
  BoundsMethod method;
  double memory = 4;
};

// The bounds around one sample.
struct SampleBounds : BoundedRegion {
  std::int64_t sample = 0, label = 0;
  std::vector<bounds::Margin> margins;
  std::int64_t eliminated = 0;
};

SampleBounds bound_sample(const BoundsCommand& command, const property::Region& region, const MemoryBudget& budget,
                          const std::shared_ptr<const bounds::BoundedNetwork>& network, std::int64_t k,
                          std::int64_t label) {
  if (assembly::is_certainly_empty(region)) {
    throw DataError("--perturbation",
                    fmt::format("{} around sample {}: there is nothing to bound", assembly::kEmptyRegion, k),
                    "choose ranges and inequalities that have a point in common");
  }
  const auto margin_rows_of = [&](const bounds::RegionBounds& bounds) { return margin_rows(bounds, label); };
  SampleBounds result{bound_region(command.method, region, budget, network, margin_rows_of), k, label, {}, 0};
  result.margins = bounds::margins(result.lower, label);
  for (const bounds::Margin& margin : result.margins) result.eliminated += margin.lower > 0;
  return result;
}

Json stages_json(const Stages& stages) {
  return {{"bounds", stages.bounds},
          {"slopes", stages.slopes},
          {"reduction", stages.reduction},
          {"margins", stages.margins}};
}

template <class Number>
Json layers_json(const std::vector<verdict::LayerNumbers<Number>>& layers) {
  Json json = Json::array();
  for (const verdict::LayerNumbers<Number>& layer : layers) {
    json.push_back({{"name", layer.name},
                    {"units", layer.units},
                    {"active", layer.active},
                    {"inactive", layer.inactive},
                    {"unstable", layer.unstable},
                    {"mean_width", layer.mean_width},
                    {"by_interval", layer.by_interval},
                    {"by_linear", layer.by_linear},
                    {"by_alpha", layer.by_alpha},
                    {"by_lp", layer.by_lp},
                    {"by_milp", layer.by_milp},
                    {"refined", layer.refined},
                    {"already_decided", layer.already_decided},
                    {"exact", layer.exact}});
  }
  return json;
}

Json reduced_json(const BoundedRegion& bounds) {
  if (!bounds.reduced) return nullptr;
  return {{"rows", bounds.reduced->rows}, {"inputs", bounds.reduced->inputs}, {"bytes", bounds.reduced->bytes}};
}

void print_json(const JsonLines& out, const SampleBounds& bounds) {
  Json margin_list = Json::array();
  for (const bounds::Margin& margin : bounds.margins)
    margin_list.push_back({{"target", margin.target}, {"lower", lower_json(margin.lower)}});
  const Json json{{"sample", bounds.sample},
                  {"label", bounds.label},
                  {"layers", layers_json(bounds.layers)},
                  {"margins", margin_list},
                  {"labels_eliminated", bounds.eliminated},
                  {"reduced", reduced_json(bounds)},
                  {"seconds", bounds.seconds.total()},
                  {"stage_seconds", stages_json(bounds.seconds)}};
  out.print(json);
}

// Means over the samples of everything that is counted.
using MeanLayer = verdict::LayerNumbers<double>;

template <class Bounds>
std::vector<MeanLayer> mean_layers(const std::vector<Bounds>& all) {
  std::vector<MeanLayer> means;
  for (std::size_t l = 0; l < all[0].layers.size(); ++l) {
    MeanLayer mean{.name = all[0].layers[l].name, .units = all[0].layers[l].units};
    for (const Bounds& sample : all) {
      const verdict::LayerSummary& layer = sample.layers[l];
      const double share = 1.0 / static_cast<double>(all.size());
      mean.active += share * static_cast<double>(layer.active);
      mean.inactive += share * static_cast<double>(layer.inactive);
      mean.unstable += share * static_cast<double>(layer.unstable);
      mean.mean_width += share * layer.mean_width;
      mean.by_interval += share * static_cast<double>(layer.by_interval);
      mean.by_linear += share * static_cast<double>(layer.by_linear);
      mean.by_alpha += share * static_cast<double>(layer.by_alpha);
      mean.by_lp += share * static_cast<double>(layer.by_lp);
      mean.by_milp += share * static_cast<double>(layer.by_milp);
      mean.refined += share * static_cast<double>(layer.refined);
      mean.already_decided += share * static_cast<double>(layer.already_decided);
      mean.exact += share * static_cast<double>(layer.exact);
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

Stages mean_stages(const std::vector<SampleBounds>& all) {
  return {mean_of(all, [](const SampleBounds& s) { return s.seconds.bounds; }),
          mean_of(all, [](const SampleBounds& s) { return s.seconds.slopes; }),
          mean_of(all, [](const SampleBounds& s) { return s.seconds.reduction; }),
          mean_of(all, [](const SampleBounds& s) { return s.seconds.margins; })};
}

// The mean margin of each target label, over the samples that have another label.
Json mean_margins_json(const std::vector<SampleBounds>& all) {
  std::map<std::int64_t, MeanOfEnds> means;
  for (const SampleBounds& sample : all) {
    for (const bounds::Margin& margin : sample.margins) means[margin.target].add(margin.lower, 0);
  }
  Json list = Json::array();
  for (const auto& [target, mean] : means) list.push_back({{"target", target}, {"lower", lower_json(mean.lower())}});
  return list;
}

// Over the samples whose reduced network was stored; null if there is none.
Json mean_reduced_json(std::vector<SampleBounds> all) {
  std::erase_if(all, [](const SampleBounds& s) { return !s.reduced; });
  if (all.empty()) return nullptr;
  return {{"rows", mean_of(all, [](const SampleBounds& s) { return static_cast<double>(s.reduced->rows); })},
          {"inputs", mean_of(all, [](const SampleBounds& s) { return static_cast<double>(s.reduced->inputs); })},
          {"bytes", mean_of(all, [](const SampleBounds& s) { return static_cast<double>(s.reduced->bytes); })}};
}

void print_summary_json(const JsonLines& out, const std::vector<SampleBounds>& all) {
  const Json summary{
      {"samples", all.size()},
      {"layers", layers_json(mean_layers(all))},
      {"labels_eliminated", mean_of(all, [](const SampleBounds& s) { return static_cast<double>(s.eliminated); })},
      {"margins", mean_margins_json(all)},
      {"reduced", mean_reduced_json(all)},
      {"seconds", mean_of(all, [](const SampleBounds& s) { return s.seconds.total(); })},
      {"stage_seconds", stages_json(mean_stages(all))}};
  out.print({{"summary", summary}});
}

// The share of the layer's bounds that each method provided.
std::string methods_text(const MeanLayer& layer) {
  const double all = layer.by_interval + layer.by_linear + layer.by_alpha + layer.by_lp + layer.by_milp;
  std::string text;
  const auto add = [&](const char* name, double count) {
    if (count == 0) return;
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", name, 100 * count / all);
  };
  add("interval", layer.by_interval);
  add("linear", layer.by_linear);
  add("alpha", layer.by_alpha);
  add("lp", layer.by_lp);
  add("milp", layer.by_milp);
  return text;
}

std::string stages_text(const Stages& stages) {
  std::string text = fmt::format("{:.4f} s (bounds {:.4f}", stages.total(), stages.bounds);
  if (stages.slopes > 0) text += fmt::format(", slopes {:.4f}", stages.slopes);
  return text + fmt::format(", reduction {:.4f}, margins {:.4f})", stages.reduction, stages.margins);
}

std::string reduced_text(const BoundedRegion& bounds) {
  if (!bounds.reduced) return "not stored: more than half of --memory";
  return fmt::format("{} rows over {} inputs, {} bytes", bounds.reduced->rows, bounds.reduced->inputs,
                     grouped(bounds.reduced->bytes));
}

template <class Bounds>
void print_layers(const std::vector<Bounds>& all) {
  Table table({{"layer", Align::kLeft},
               {"units"},
               {"active"},
               {"inactive"},
               {"undecided"},
               {"mean width"},
               {"decided by", Align::kLeft}});
  MeanLayer total;
  const auto number = [&](double v) { return fmt::format("{:.{}f}", v, all.size() == 1 ? 0 : 2); };
  for (const MeanLayer& mean : mean_layers(all)) {
    table.add_row({mean.name, grouped(mean.units), number(mean.active), number(mean.inactive), number(mean.unstable),
                   fmt::format("{:.4g}", mean.mean_width), methods_text(mean)});
    total.units += mean.units;
    total.active += mean.active;
    total.inactive += mean.inactive;
    total.unstable += mean.unstable;
  }
  table.add_row(
      {"total", grouped(total.units), number(total.active), number(total.inactive), number(total.unstable), "", ""});
  fmt::print("{}\n", table.text());
}

void print_table(const std::vector<SampleBounds>& all) {
  print_layers(all);
  if (all.size() > 1) {
    fmt::print("means over {} samples: {:.2f} labels eliminated, {} per sample\n",
               grouped(static_cast<long long>(all.size())),
               mean_of(all, [](const SampleBounds& s) { return static_cast<double>(s.eliminated); }),
               stages_text(mean_stages(all)));
    return;
  }
  Table margin_table({{"target"}, {"margin is at least"}, {"", Align::kLeft}});
  for (const bounds::Margin& margin : all[0].margins) {
    margin_table.add_row(
        {std::to_string(margin.target), lower_text(margin.lower, 6), margin.lower > 0 ? "eliminated" : ""});
  }
  fmt::print("{}\nlabel {}: {} of {} other labels eliminated\nreduced network: {}\n{}\n", margin_table.text(),
             all[0].label, all[0].eliminated, all[0].margins.size(), reduced_text(all[0]), stages_text(all[0].seconds));
}

// The bounds over one part of a region: its functionals are the outputs, then the same with their signs changed. There
// are none if the network has too many outputs.
void print_json(const JsonLines& out, const BoundedRegion& bounds, std::size_t part) {
  Json outputs = Json::array();
  const std::size_t count = bounds.lower.size() / 2;
  for (std::size_t k = 0; k < count; ++k) {
    outputs.push_back(
        {{"output", k}, {"lower", lower_json(bounds.lower[k])}, {"upper", upper_json(0 - bounds.lower[count + k])}});
  }
  const Json json{{"part", part},
                  {"layers", layers_json(bounds.layers)},
                  {"outputs", count == 0 ? Json(nullptr) : std::move(outputs)},
                  {"reduced", reduced_json(bounds)},
                  {"seconds", bounds.seconds.total()},
                  {"stage_seconds", stages_json(bounds.seconds)}};
  out.print(json);
}

void print_table(const BoundedRegion& bounds) {
  print_layers(std::vector<BoundedRegion>{bounds});
  Table outputs({{"output", Align::kLeft}, {"at least"}, {"at most"}});
  const std::size_t count = bounds.lower.size() / 2;
  for (std::size_t k = 0; k < count; ++k) {
    outputs.add_row({fmt::format("Y_{}", k), lower_text(bounds.lower[k], 6), upper_text(-bounds.lower[count + k], 6)});
  }
  if (count > 0) fmt::print("{}\n", outputs.text());
  fmt::print("reduced network: {}\n{}\n", reduced_text(bounds), stages_text(bounds.seconds));
}

bounds::Functionals signed_outputs(const bounds::RegionBounds& bounds) {
  constexpr std::size_t kMostOutputs = 1000;
  const auto outputs = static_cast<std::size_t>(bounds.network->network().output_size());
  if (outputs > kMostOutputs) return output_functionals(bounds, {});
  std::vector<double> rows(2 * outputs * outputs, 0.0);
  for (std::size_t k = 0; k < outputs; ++k) {
    rows[k * outputs + k] = 1;
    rows[(outputs + k) * outputs + k] = -1;
  }
  return output_functionals(bounds, rows);
}

int bound_file(const BoundsCommand& command) {
  const FileQuestion question = file_question(command.question, command.file);
  const LoadedProperty loaded = load_region(question);
  const auto bounded = std::make_shared<const bounds::BoundedNetwork>(loaded.network);
  const MemoryBudget budget = memory_budget(command.memory, 1, *loaded.network);
  std::vector<property::SimpleRegion> parts;
  for (const vnnlib::PropertyCase& one : loaded.property.cases) {
    std::ranges::copy_if(one.region.parts(), std::back_inserter(parts), [](const property::SimpleRegion& part) {
      return !assembly::is_certainly_empty(property::Region(part));
    });
  }
  if (parts.empty()) {
    throw DataError(command.file.path, fmt::format("{}: there is nothing to bound", assembly::kEmptyRegion),
                    "assert bounds and inequalities that have a point in common");
  }
  const bool json = command.question.output.json;
  const JsonLines out(json ? question_json(question, loaded) : Json());
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const BoundedRegion result =
        bound_region(command.method, property::Region(parts[part]), budget, bounded, signed_outputs);
    if (json) {
      print_json(out, result, part);
      continue;
    }
    if (parts.size() > 1) fmt::print("{}part {} of {}\n", part == 0 ? "" : "\n", part + 1, parts.size());
    print_table(result);
  }
  return 0;
}

int run_bounds(const BoundsCommand& command) {
  if (is_about_file(command.file, command.question, &command.region, "bounds", kRegion)) return bound_file(command);
  expect_region(command.region);
  const SampleQuestions questions(command.question, "margins need labels, and this data set has none");
  const auto neighbourhood = questions.neighbourhood(neighbourhood_options(command.region));
  if (neighbourhood.is_union()) {
    throw UsageError("--perturbation", "bounds are computed for one family, not for a union", "give one at a time");
  }
  const auto bounded = std::make_shared<const bounds::BoundedNetwork>(questions.network());
  const MemoryBudget budget =
      memory_budget(command.memory, std::min(std::ssize(questions.numbers()), worker_count(command.question.threads)),
                    *questions.network());
  const auto answers = questions.each<SampleBounds>("bounding", [&](std::int64_t k) {
    return bound_sample(command, neighbourhood.around(questions.sample(k)), budget, bounded, k, questions.label(k));
  });
  if (!command.question.output.json) {
    print_table(answers.lines);
    return 0;
  }
  const JsonLines out(question_json(command.question, questions, command.region));
  for (const SampleBounds& sample : answers.lines) print_json(out, sample);
  if (!questions.is_single()) print_summary_json(out, answers.lines);
  return 0;
}

}  // namespace

void add_bounds(CommandLine& line) {
  auto options = std::make_shared<BoundsCommand>();
  Command command = line.add_command("bounds", "Prove bounds on every unit around a sample or over a region");
  add_network_option(command, options->question.network);
  add_region_file(
      command, options->file, kRegion,
      "Instead of --data and --eps: a VNN-LIB file, plain or .gz, or a box: a text file with one line LO,HI "
      "per input");
  add_data_options(command, options->question.data);
  command.option("--data").required(false);
  add_sample_options(command, options->question.samples);
  add_region_options(command, options->region);
  command
      .add_option("--method", options->method.name,
                  "interval; linear: backward substitution (after interval); alpha: optimised slopes (after linear); "
                  "lp: certified linear programs (after linear); milp: mixed-integer programs, by the solver's claim "
                  "(after lp)")
      .one_of({"interval", "linear", "alpha", "lp", "milp"})
      .show_default();
  command.add_option("--steps", options->method.steps, "Number of steps that optimise slopes, with --method alpha")
      .within(0, 10000)
      .show_default()
      .type_name("N");
  command.add_option("--memory", options->memory, "Memory for all samples in progress together, in GiB")
      .positive()
      .show_default()
      .type_name("GIB");
  add_threads_option(command, options->question.threads);
  add_output_options(command, options->question.output);
  command.footer(
      "Example: plumb bounds examples/digits/digits.onnx --data mnist:examples/digits --sample 7 --eps 0.06\n"
      "Example: plumb bounds network.onnx box.csv");
  command.action([options] { return run_bounds(*options); });
}

}  // namespace plumb::cli
