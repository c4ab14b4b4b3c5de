// plumb accuracy: the adversarial error of a network on a data set, exact or between bounds. Results go into a store.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "accuracy/accuracy_run.h"
#include "accuracy/data_hash.h"
#include "accuracy/run_notes.h"
#include "assembly/empty_region.h"
#include "assembly/text_forms.h"
#include "cli/accuracy_output.h"
#include "cli/certificate_option.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/engine_arguments.h"
#include "cli/interrupt.h"
#include "cli/run_progress.h"
#include "cli/sample_questions.h"
#include "cli/usage_error.h"
#include "store/store.h"
#include "verify/sample.h"

namespace plumb::cli {
namespace {

using Json = nlohmann::ordered_json;

struct AccuracyCommand {
  QuestionArguments question;
  RegionArguments region;
  EngineArguments engine;
  std::string rerun;
  bool pgd = false;
  std::string out, certificates;
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
  for (const std::string& text : split(list, ',')) radii.insert(Rational::parse(text, "epsilon"));
  if (radii.empty()) throw UsageError("--eps", "needs a radius", "example: --eps 0.1 or --eps 0.05,0.1");
  std::vector<std::string> epsilons;
  for (const Rational& radius : radii) epsilons.push_back(radius.to_string());
  return epsilons;
}

// The names of the run's levels: the epsilons, or the one perturbation.
std::vector<std::string> level_names(const RegionArguments& region) {
  if (region.perturbations.empty()) return epsilons_of(region.epsilon);
  return {fmt::format("{}", fmt::join(region.perturbations, "+"))};
}

std::string scale_text(const std::string& text) {
  return assembly::numbers_text(assembly::parse_numbers(text, "eps-scale", Rational::Accept::kNotNegative));
}

// What a run notes about its input.
accuracy::RunNotes notes_of(const QuestionArguments& asked, const SampleQuestions& questions) {
  accuracy::RunNotes notes{verify::image_of_samples(*questions.network(), questions.data()), asked.data.scale,
                           asked.data.layout, accuracy::spans_of(questions.numbers())};
  std::error_code unknown;  // it is only a note
  notes.folder = std::filesystem::current_path(unknown).string();
  return notes;
}

std::string target_text(std::vector<std::int64_t> targets) {
  std::ranges::sort(targets);
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return fmt::format("{}", fmt::join(targets, ","));
}

// A list for people: beyond the first few entries, only how many there are.
std::string shortened(const std::string& list) {
  constexpr std::size_t kShown = 60;
  if (list.size() <= kShown) return list;
  const char separator = list.find(';') == std::string::npos ? ',' : ';';
  const std::size_t end = list.rfind(separator, kShown);
  return fmt::format("{}... ({} values)", list.substr(0, end + 1), 1 + std::ranges::count(list, separator));
}

// The settings that must be the same for results to belong together. Engines and limits are not among them: what they
// prove is the same, and each result records what it rests on. A perturbation may come from a file, so it is compared
// by its region around the first sample: `first_query` is the hash of that query.
std::vector<store::Setting> settings_of(const AccuracyCommand& command, const std::vector<std::string>& names,
                                        const std::string& network_hash, const std::string& data_hash,
                                        const std::string& first_query) {
  const auto plain = [](const char* name, const std::string& value, const char* argument) {
    return store::Setting{name, value, shortened(value), argument};
  };
  const std::string targets = target_text(command.question.targets);
  const std::string epsilons = fmt::format("{}", fmt::join(names, ","));
  std::vector<store::Setting> settings{
      {"network", network_hash, fmt::format("{} (hash {:.12})", command.question.network, network_hash), ""},
      {"data", data_hash, fmt::format("{} (hash {:.12})", command.question.data.specification, data_hash), ""},
      {"eps", epsilons, epsilons, "epsilon"},  // never shortened, so that a message can say it again
      plain("norm", command.region.norm, "norm"),
      plain("domain", assembly::domain_text(assembly::parse_domain(command.region.domain)), "domain"),
      targets.empty() ? plain("target", "any other label", "") : plain("target", targets, "target")};
  if (!command.region.scale.empty()) {
    settings.push_back(plain("eps-scale", scale_text(command.region.scale), "eps-scale"));
  }
  if (const auto [mean, deviation] = as_numbers(command.question.data.normalisation); !mean.empty()) {
    settings.push_back(plain("mean", mean, "mean"));
    settings.push_back(plain("std", deviation, "deviation"));
  }
  if (!command.region.perturbations.empty()) {
    settings[2] = plain("eps", "none", "");
    settings.push_back({"perturbation", first_query, fmt::format("{} (hash {:.12})", names[0], first_query), ""});
  }
  return settings;
}

// How questions are decided, as the store records it.
std::string options_text(const AccuracyCommand& command, const assembly::Engine& engine,
                         const accuracy::RunNotes& notes, const std::string& network_sha256) {
  const EngineArguments& options = command.engine;
  Json json{{"engine", engine.name},
            {"solver", engine.solver},
            {"timeout", options.timeout > 0 ? Json(options.timeout) : Json(nullptr)},
            {"work_limit", options.work_limit > 0 ? Json(options.work_limit) : Json(nullptr)},
            {"memory", options.memory},
            {"split", options.split},
            {"without", options.without},
            {"no_cuts", options.no_cuts},
            {"tighten", options.tighten},
            {"encoding", options.encoding},
            {"labels", options.labels},
            {"no_progressive", options.no_progressive},
            {"no_restricted_domain", options.no_restricted_domain},
            {"symmetric_bounds", options.symmetric_bounds},
            {"rerun", command.rerun},
            {"pgd", command.pgd},
            {"jobs", command.question.threads},
            // For plumb-check, which reads the files itself.
            {"network_sha256", network_sha256},
            {"certificates", command.certificates.empty() ? Json(nullptr) : Json(command.certificates)}};
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

// The regions of each level. All levels have the same norm.
std::vector<assembly::Neighbourhood> neighbourhoods_of(const AccuracyCommand& command,
                                                       const std::vector<std::string>& names,
                                                       const SampleQuestions& questions) {
  std::vector<assembly::Neighbourhood> neighbourhoods;
  for (const std::string& name : names) {
    RegionArguments region = command.region;
    if (region.perturbations.empty()) region.epsilon = name;
    neighbourhoods.emplace_back(neighbourhood_options(region), *questions.network(), questions.data());
  }
  std::vector<std::int64_t> samples = questions.numbers();
  // Stores identify a perturbation by its region around the first sample, so that sample must lie in the domain too.
  if (!command.region.perturbations.empty()) samples.push_back(0);
  neighbourhoods[0].expect_samples_inside(*questions.network(), questions.data(), samples);
  note_covered_inputs(neighbourhoods.back(), command.question.output);
  return neighbourhoods;
}

// Each level owns its regions.
std::vector<accuracy::Level> levels_of(const std::vector<std::string>& names,
                                       const std::vector<assembly::Neighbourhood>& neighbourhoods) {
  std::vector<accuracy::Level> levels;
  for (std::size_t i = 0; i < names.size(); ++i) {
    levels.push_back({names[i], [neighbourhood = neighbourhoods[i]](const std::vector<double>& sample) {
                        return neighbourhood.around(sample);
                      }});
  }
  return levels;
}

// The hash of the query that identifies a perturbation; empty if the run is about balls.
std::string first_query_of(const AccuracyCommand& command, const SampleQuestions& questions,
                           const assembly::Neighbourhood& neighbourhood, const std::string& network_hash) {
  if (command.region.perturbations.empty()) return "";
  const property::Query query(questions.network(), neighbourhood.around(questions.sample(0)),
                              property::misclassified(0, questions.network()->output_size()));
  return content_hash(query, network_hash);
}

// Makes the folders, so that a mistake shows before the run.
std::optional<accuracy::Certificates> certificates_of(const AccuracyCommand& command,
                                                      const std::vector<std::string>& names,
                                                      const certificate::NetworkFile& network,
                                                      const assembly::Engine& engine) {
  if (command.certificates.empty()) return std::nullopt;
  expect_certifying(engine, "--certificates");
  const std::filesystem::path folder(command.certificates);
  for (const std::string& name : names) {
    const std::filesystem::path level = (folder / accuracy::certificate_name(name, 0)).parent_path();
    std::error_code ignored;  // then it cannot be written either
    std::filesystem::create_directories(level, ignored);
    certificate::expect_writable(level);
  }
  return accuracy::Certificates{folder, network, [&engine](events::EventSink& listener) {
                                  const auto heard = [&engine, &listener](const property::Query& query,
                                                                          const Limits& limits) {
                                    return engine.decide_heard(query, limits, listener);
                                  };
                                  return assembly::aware_of_emptiness(heard, true);
                                }};
}

int run_command(const AccuracyCommand& command) {
  if (!command.engine.write_model.empty()) {
    throw UsageError("--write-model", "is not available here, because each sample has its own model",
                     "use plumb verify --sample K");
  }
  const std::vector<std::string> names = level_names(command.region);
  const QuestionArguments& asked = command.question;
  const SampleQuestions questions(asked, "robustness needs labels, and this data set has none");
  const std::shared_ptr<const network::Network> network = searched(questions.network(), !command.certificates.empty());
  const std::vector<assembly::Neighbourhood> neighbourhoods = neighbourhoods_of(command, names, questions);
  const auto evaluators = std::make_shared<const attack::NetworkEvaluators>(network);
  const assembly::EngineOptions options = engine_options(command.engine, 1);
  const assembly::Engine engine = make_engine(options, evaluators, neighbourhoods[0].whole_domain());
  const std::string network_hash = property::content_hash(*questions.network());  // with its normalisation, for queries
  const std::string first_query = first_query_of(command, questions, neighbourhoods[0], network_hash);

  const certificate::NetworkFile network_file{network, certificate::sha256_of_file(asked.network)};
  const auto certificates = certificates_of(command, names, network_file, engine);
  const Interrupt interrupt;
  const auto store = store::open_store(
      command.out, settings_of(command, names, questions.network_hash(),
                               accuracy::data_hash(*network, questions.data(), asked.threads), first_query));
  store->start_run({PLUMB_VERSION, asked.network, asked.data.specification,
                    options_text(command, engine, notes_of(asked, questions), network_file.sha256)});
  const accuracy::AccuracyQuestion question{.network = network,
                                            .data = questions.data(),
                                            .evaluators = evaluators,
                                            .network_hash = network_hash,
                                            .levels = levels_of(names, neighbourhoods),
                                            .targets = asked.targets,
                                            .metric = neighbourhoods[0].metric(),
                                            .decide = assembly::aware_of_emptiness(engine.decide, false),
                                            .engine = engine.name,
                                            .solver = engine.solver,
                                            .limits = limits_of(options, interrupt.flag()),
                                            .pgd = command.pgd ? std::optional(attack::AttackOptions{}) : std::nullopt,
                                            .certificates = certificates};
  const accuracy::RunEnd end = [&] {
    RunProgress progress(names, asked.output.quiet);
    return run_accuracy(*store, question, questions.numbers(), {rerun_of(command.rerun), asked.threads},
                        [&](const accuracy::RunStatus& status) { progress.show(status); });
  }();
  if (asked.output.json) {
    print_accuracy_json(*store, end, names);
  } else {
    print_accuracy_text(end, names);
  }
  return end.interrupted ? 130 : 0;
}

}  // namespace

void add_accuracy(CommandLine& line) {
  auto options = std::make_shared<AccuracyCommand>();
  Command command =
      line.add_command("accuracy", "Measure the adversarial error over a data set and keep the results in a store");
  add_network_option(command, options->question.network);
  add_data_options(command, options->question.data);
  add_sample_options(command, options->question.samples);
  command
      .add_option("--samples-file", options->question.samples.file,
                  "File with the numbers of the samples, one per line")
      .excludes(command.option("--sample"))
      .excludes(command.option("--samples"))
      .type_name("FILE");
  add_region_options(command, options->region);
  command.option("--eps").description("Radius of the ball, exact as written: 0.1, 8/255; several: 0.05,0.1");
  add_target_option(command, options->question.targets);
  add_engine_options(command, options->engine);
  command.add_option("--out", options->out, "The store: created if it does not exist, continued if it does")
      .required()
      .type_name("FILE.db");
  command
      .add_option("--certificates", options->certificates,
                  "Write a certificate for each sample that is solved below the folder DIR, for plumb-check")
      .type_name("DIR");
  command
      .add_option("--rerun", options->rerun,
                  "Which stored results to solve again (default: unknown ones that had a smaller limit)")
      .one_of({"never", "unknown", "violated-unconfirmed", "all"});
  command.add_flag("--pgd", options->pgd, "Also record whether plain PGD finds a witness for each sample");
  command
      .add_option("--jobs", options->question.threads,
                  "Number of samples processed at the same time (default: one per core)")
      .positive()
      .type_name("N");
  add_output_options(command, options->question.output);
  command.footer(
      "A run can be stopped in any way, and the same command continues it. Ctrl-C prints what is known (exit code\n"
      "130), a second Ctrl-C stops at once. Several processes may work on one store at the same time.\n"
      "Example: plumb accuracy examples/digits/digits.onnx --data mnist:examples/digits --eps 0.06 --out run.db");
  command.action([options] { return run_command(*options); });
}

}  // namespace plumb::cli
