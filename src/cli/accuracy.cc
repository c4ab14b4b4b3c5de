// plumb accuracy: the adversarial error of a network on a data set, exact or between bounds. Results go into a store.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "accuracy/accuracy_run.h"
#include "accuracy/data_hash.h"
#include "accuracy/run_notes.h"
#include "assembly/empty_region.h"
#include "base/error.h"
#include "cli/accuracy_output.h"
#include "cli/asked_samples.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/engine_options.h"
#include "cli/interrupt.h"
#include "cli/run_progress.h"
#include "store/store.h"
#include "verify/sample.h"

namespace plumb::cli {
namespace {

using Json = nlohmann::ordered_json;

struct AccuracyCommand {
  std::string network;
  DataOptions data;
  SampleOptions samples;
  std::string samples_file;
  RegionOptions region;
  std::vector<std::int64_t> targets;
  EngineOptions engine;
  std::string rerun;
  bool pgd = false;
  int jobs = 0;
  std::string out;
  OutputOptions output;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

// Returns the radii as exact numbers, smallest first, without duplicates: 0.10 and 1/10 are the same.
std::vector<std::string> epsilons_of(const std::string& list) {
  std::set<Rational> radii;
  for (const std::string& text : split(list, ',')) radii.insert(Rational::parse(text, "--eps"));
  if (radii.empty()) throw UsageError("--eps", "needs a radius", "example: --eps 0.1 or --eps 0.05,0.1");
  std::vector<std::string> epsilons;
  for (const Rational& radius : radii) epsilons.push_back(radius.to_string());
  return epsilons;
}

// The names of the run's levels: the epsilons, or the one perturbation.
std::vector<std::string> level_names(const RegionOptions& region) {
  if (region.perturbations.empty()) return epsilons_of(region.epsilon);
  return {fmt::format("{}", fmt::join(region.perturbations, "+"))};
}

// Reads sample numbers, which are separated by spaces or line ends; '#' begins a comment.
std::vector<std::int64_t> samples_in_file(const std::string& path, const data::DataSet& data) {
  std::ifstream file(path);
  if (!file) throw FileError(path, "cannot be read", "it should hold numbers of samples, one a line");
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
                        fmt::format("'{}' is none of the {} samples of {}", word, data.size(), data.name()),
                        "samples are counted from 0");
      }
      if (seen.insert(sample).second) samples.push_back(sample);
    }
  }
  if (samples.empty()) throw DataError(path, "names no sample", "one number a line, counted from 0");
  return samples;
}

std::vector<std::int64_t> samples_of(const AccuracyCommand& command, const data::DataSet& data) {
  if (!command.samples_file.empty()) return samples_in_file(command.samples_file, data);
  return sample_numbers(command.samples, data);
}

std::string domain_text(const std::string& domain) {
  std::vector<std::string> sides = split(domain, ',');
  for (std::string& side : sides) {
    if (side != "none") side = Rational::parse(side, "--domain", Rational::Accept::kAny).to_string();
  }
  return fmt::format("{}", fmt::join(sides, ","));
}

std::string target_text(std::vector<std::int64_t> targets) {
  std::ranges::sort(targets);
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return fmt::format("{}", fmt::join(targets, ","));
}

// The settings that must be the same for results to belong together. Engines and limits are not among them: what they
// prove is the same, and each result records what it rests on. A perturbation may come from a file, so it is compared
// by its region around the first sample: `first_query` is the hash of that query.
std::vector<store::Setting> settings_of(const AccuracyCommand& command, const std::vector<std::string>& names,
                                        const std::string& network_hash, const std::string& data_hash,
                                        const std::string& first_query) {
  const auto plain = [](const char* name, const std::string& value, const char* option) {
    return store::Setting{name, value, value, option};
  };
  const std::string targets = target_text(command.targets);
  std::vector<store::Setting> settings{
      {"network", network_hash, fmt::format("{} (hash {:.12})", command.network, network_hash), ""},
      {"data", data_hash, fmt::format("{} (hash {:.12})", command.data.specification, data_hash), ""},
      plain("eps", fmt::format("{}", fmt::join(names, ",")), "--eps"),
      plain("norm", command.region.norm, "--norm"),
      plain("domain", domain_text(command.region.domain), "--domain"),
      targets.empty() ? plain("target", "any other label", "") : plain("target", targets, "--target")};
  if (!command.region.perturbations.empty()) {
    settings[2] = plain("eps", "none", "");
    settings.push_back({"perturbation", first_query, fmt::format("{} (hash {:.12})", names[0], first_query), ""});
  }
  return settings;
}

// How questions are decided, as the store records it.
std::string options_text(const AccuracyCommand& command, const Engine& engine, const accuracy::RunNotes& notes) {
  const EngineOptions& options = command.engine;
  Json json{{"engine", engine.name},
            {"solver", engine.solver},
            {"timeout", options.timeout > 0 ? Json(options.timeout) : Json(nullptr)},
            {"work_limit", options.work_limit > 0 ? Json(options.work_limit) : Json(nullptr)},
            {"memory", options.memory},
            {"split", options.split},
            {"no_cuts", options.no_cuts},
            {"tighten", options.tighten},
            {"encoding", options.network_form},
            {"labels", options.conjunctions},
            {"no_progressive", options.no_progressive},
            {"no_restricted_domain", options.no_restricted_domain},
            {"symmetric_bounds", options.symmetric_bounds},
            {"rerun", command.rerun},
            {"pgd", command.pgd},
            {"jobs", command.jobs}};
  add_notes(json, notes);
  return json.dump();
}

accuracy::Rerun rerun_of(const std::string& name) {
  if (name == "never") return accuracy::Rerun::kNever;
  if (name == "unknown") return accuracy::Rerun::kUnknown;
  if (name == "violated-unconfirmed") return accuracy::Rerun::kViolatedUnconfirmed;
  if (name == "all") return accuracy::Rerun::kAll;
  return accuracy::Rerun::kLargerLimit;
}

std::vector<accuracy::Level> levels_of(const AccuracyCommand& command, const std::vector<std::string>& names,
                                       const network::Network& network, const data::DataSet& data,
                                       std::vector<std::int64_t> samples) {
  // Stores identify a perturbation by its region around the first sample, so that sample must lie in the domain too.
  if (!command.region.perturbations.empty()) samples.push_back(0);
  std::vector<accuracy::Level> levels;
  for (const std::string& name : names) {
    RegionOptions region = command.region;
    if (region.perturbations.empty()) region.epsilon = name;
    const auto neighbourhood = std::make_shared<const Neighbourhood>(region, network, data);
    if (levels.empty()) neighbourhood->expect_samples_inside(network, data, samples);
    levels.push_back(
        {name, [neighbourhood](const std::vector<double>& sample) { return neighbourhood->around(sample); }});
  }
  return levels;
}

// The norm in which distances are reported.
property::Norm norm_of(const AccuracyCommand& command, const network::Network& network, const data::DataSet& data) {
  if (command.region.perturbations.empty()) return parse_norm(command.region.norm);
  return Neighbourhood(command.region, network, data).norm();
}

int run_command(const AccuracyCommand& command) {
  const std::vector<std::string> names = level_names(command.region);
  const std::shared_ptr<const network::Network> network = load_network(command.network, command.output);
  const data::DataSet data = read_data(command.data);
  if (!command.engine.write_model.empty()) {
    throw UsageError("--write-model", "each sample has a model of its own", "use plumb verify --sample K");
  }
  const AskedSamples samples(*network, data, samples_of(command, data), command.targets, "robustness is about labels",
                             command.output);
  const std::vector<accuracy::Level> levels = levels_of(command, names, *network, data, samples.numbers());
  const auto evaluators = std::make_shared<const attack::NetworkEvaluators>(network);
  const std::shared_ptr<const bounds::BoundedNetwork>& bounded = evaluators->exactly.bounded_network();
  const Engine engine =
      make_engine(command.engine, bounded, evaluators, whole_domain(command.region.domain, *network), 1);
  const std::string network_hash = property::content_hash(*network);
  std::string first_query;
  if (!command.region.perturbations.empty()) {
    const property::Region region = levels.back().around(verify::network_sample(*network, data, 0));
    first_query = content_hash(property::Query(network, region, property::misclassified(0, network->output_size())),
                               network_hash);
  }

  const Interrupt interrupt;
  const auto store = store::open_store(
      command.out,
      settings_of(command, names, network_hash, accuracy::data_hash(*network, data, command.jobs), first_query));
  const accuracy::RunNotes notes{verify::image_of_samples(*network, data), command.data.scale, command.data.layout,
                                 accuracy::spans_of(samples.numbers())};
  store->start_run({PLUMB_VERSION, command.network, command.data.specification, options_text(command, engine, notes)});
  const accuracy::AccuracyQuestion question{network,
                                            data,
                                            evaluators,
                                            network_hash,
                                            levels,
                                            command.targets,
                                            norm_of(command, *network, data),
                                            assembly::aware_of_emptiness(engine.decide, false),
                                            engine.name,
                                            engine.solver,
                                            limits_of(command.engine, interrupt.flag()),
                                            command.pgd ? std::optional(attack::AttackOptions{}) : std::nullopt};
  const accuracy::RunEnd end = [&] {
    RunProgress progress(names, command.output.quiet);
    return run_accuracy(*store, question, samples.numbers(), {rerun_of(command.rerun), command.jobs},
                        [&](const accuracy::RunStatus& status) { progress.show(status); });
  }();
  if (command.output.json) {
    print_accuracy_json(*store, end, names);
  } else {
    print_accuracy_text(end, names);
  }
  return end.interrupted ? 130 : 0;
}

}  // namespace

void add_accuracy(CommandLine& line) {
  auto options = std::make_shared<AccuracyCommand>();
  Command command = line.add_command("accuracy", "Adversarial error over a data set, into a store; can be resumed");
  add_network_option(command, options->network);
  add_data_options(command, options->data);
  add_sample_options(command, options->samples);
  command.add_option("--samples-file", options->samples_file, "Samples named in a file, one number a line")
      .excludes(command.option("--sample"))
      .excludes(command.option("--samples"))
      .type_name("FILE");
  add_region_options(command, options->region);
  command.option("--eps").description("Radius of the ball, exact as written: 0.1, 8/255; several: 0.05,0.1");
  add_target_option(command, options->targets);
  add_engine_options(command, options->engine);
  command.add_option("--out", options->out, "The store: made if it is not there, continued if it is")
      .required()
      .type_name("FILE.db");
  command
      .add_option("--rerun", options->rerun,
                  "Which stored results to solve again (default: unknown ones that had a smaller limit)")
      .one_of({"never", "unknown", "violated-unconfirmed", "all"});
  command.add_flag("--pgd", options->pgd, "Also record whether plain PGD finds each sample's witness");
  command.add_option("--jobs", options->jobs, "Samples at the same time (default: one a core)")
      .positive()
      .type_name("N");
  add_output_options(command, options->output);
  command.footer(
      "Stop it in any way; the same command continues. Ctrl-C prints what is known (exit code 130), a second one "
      "stops\n"
      "at once. Several processes may work on one store at the same time.\n"
      "Example: plumb accuracy examples/digits/digits.onnx --data mnist:examples/digits --eps 0.06 --out run.db");
  command.action([options] { return run_command(*options); });
}

}  // namespace plumb::cli
