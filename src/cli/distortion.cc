// plumb distortion: how near to samples their labels change, as an interval between a proof and a witness.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "assembly/empty_region.h"
#include "assembly/text_forms.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/distortion_property.h"
#include "cli/engine_arguments.h"
#include "cli/question_json.h"
#include "cli/region_file.h"
#include "cli/rounded.h"
#include "cli/sample_questions.h"
#include "cli/table.h"
#include "cli/usage_error.h"
#include "cli/verdict_json.h"
#include "verify/distortion.h"

namespace plumb::cli {
namespace {

struct DistortionCommand {
  QuestionArguments question;
  RegionFile property;       // instead of data
  std::string from;          // the point from which the distance to the property's unsafe set is measured
  RegionArguments region;    // without a radius
  std::string perturbation;  // measured instead of balls
  verify::DistortionOptions distortion;
  bool minimise = false;
  EngineArguments engine;
};

struct DistortionLine {
  std::int64_t sample = 0, label = 0;
  verify::Distortion result;
  std::int64_t predicted = 0;  // if there is a witness
  double seconds = 0;
};

void print_json(const JsonLines& lines, const DistortionLine& line, const assembly::Engine& engine,
                property::Norm norm) {
  Json json{{"sample", line.sample}, {"label", line.label}};
  json.update(distortion_json(line.result, engine, norm));
  const std::optional<verdict::Witness>& witness = line.result.witness;
  json["parameters"] = witness && !witness->parameters.empty() ? Json(witness->parameters) : Json(nullptr);
  json["predicted"] = witness ? Json(line.predicted) : Json(nullptr);
  json["seconds"] = line.seconds;
  lines.print(json);
}

void print_summary_json(const JsonLines& out, const std::vector<DistortionLine>& lines, std::int64_t skipped,
                        double seconds) {
  std::int64_t exact = 0, witnessed = 0;
  MeanOfEnds all, of_witnesses;
  for (const DistortionLine& line : lines) {
    exact += line.result.exact;
    witnessed += line.result.witness.has_value();
    all.add(line.result.lower, 0);
    if (line.result.witness) of_witnesses.add(0, line.result.upper);
  }
  const Json summary{{"samples", lines.size()},
                     {"skipped", skipped},
                     {"exact", exact},
                     {"mean_lower", lower_json(all.lower())},
                     {"mean_upper", witnessed > 0 ? upper_json(of_witnesses.upper()) : Json(nullptr)},
                     {"seconds", seconds}};
  out.print({{"summary", summary}});
}

std::string explanation(const DistortionLine& line) {
  const verify::Distortion& result = line.result;
  std::string text = result.reason;
  if (result.upper > 0 && result.lower > 0) {
    text += result.evidence == verdict::Evidence::kRigorous ? "; rigorous" : "; a solver's claim";
  }
  if (!result.witness) return text;
  const std::string evidence = evidence_text(*result.witness);
  return text + fmt::format("; becomes {}{}", line.predicted, evidence.empty() ? "" : ", " + evidence);
}

// What the interval measures. A family with one parameter has it measured as it is.
std::string measured_by(const std::string& perturbation, property::Norm norm) {
  const std::string family = perturbation.substr(0, perturbation.find(':'));
  if (family == "brightness" || family == "contrast") return "change of " + family;
  if (family.empty() || family == "patch") return name_of(norm);
  if (family == "linf" || family == "l1" || family == "l2") return family;
  return fmt::format("parameters' {}", name_of(norm));
}

void print_text(const std::vector<DistortionLine>& lines, const std::string& measured) {
  Table table({{"sample"},
               {"label"},
               {fmt::format("{} at least", measured)},
               {"at most"},
               {"", Align::kLeft},
               {"by", Align::kLeft},
               {"seconds"}});
  for (const DistortionLine& line : lines) {
    const verify::Distortion& result = line.result;
    table.add_row({std::to_string(line.sample), std::to_string(line.label), lower_text(result.lower, 8),
                   upper_text(result.upper, 8), result.exact ? "exact" : "open", explanation(line),
                   fmt::format("{:.3f}", line.seconds)});
  }
  fmt::print("{}\n", table.text());
}

DistortionLine measure(const DistortionCommand& command, const SampleQuestions& questions,
                       const assembly::Neighbourhood& neighbourhood,
                       const std::shared_ptr<const attack::NetworkEvaluators>& evaluators, const EngineAtWork& work,
                       std::int64_t k) {
  const auto start = std::chrono::steady_clock::now();
  const std::shared_ptr<const network::Network>& network = questions.network();
  const std::vector<std::int64_t>& targets = command.question.targets;
  DistortionLine line{k, questions.label(k), {}, 0, 0};
  const std::vector<double> sample = questions.sample(k);
  if (neighbourhood.is_empty_around(sample, work.limits)) {
    throw DataError("--perturbation",
                    fmt::format("{} around sample {}: there is no distance", assembly::kEmptyRegion, k),
                    "choose ranges and inequalities that have a point in common");
  }
  const verify::DistortionQuestion question{neighbourhood.growing_around(sample),
                                            property::adversarial_set(line.label, targets, network->output_size())};
  line.result =
      minimum_distortion(network, evaluators, question, work.engine.narrowing(),
                         command.minimise ? work.engine.minimise(question.region.norm()) : verdict::MinimiseDistance(),
                         command.distortion, work.limits);
  if (line.result.witness) line.predicted = verify::best_other_label(line.result.witness->outputs, line.label, targets);
  line.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return line;
}

int measure_samples(const DistortionCommand& command, const RegionArguments& region) {
  const SampleQuestions questions(command.question, "distortions need labels, and this data set has none");
  const auto neighbourhood = questions.neighbourhood(neighbourhood_options(region));
  if (command.minimise && !neighbourhood.metric().scale.empty()) {
    throw UsageError("--minimise", "solvers are not asked for distances with --eps-scale", "leave out one of the two");
  }
  const auto evaluators = std::make_shared<const attack::NetworkEvaluators>(questions.network());
  const EngineAtWork work(engine_options(command.engine, questions.threads_per_query()), evaluators, std::nullopt);
  const auto [lines, seconds] = questions.each<DistortionLine>(
      "measuring", [&](std::int64_t k) { return measure(command, questions, neighbourhood, evaluators, work, k); });
  if (!command.question.output.json) {
    print_text(lines, measured_by(command.perturbation, neighbourhood.metric().norm));
  } else {
    const JsonLines out(question_json(command.question, questions, region));
    for (const DistortionLine& line : lines) print_json(out, line, work.engine, neighbourhood.metric().norm);
    if (!questions.is_single()) print_summary_json(out, lines, questions.skipped(), seconds);
  }
  if (work.interrupt.happened()) return 130;
  return questions.is_single() && !lines[0].result.exact ? 2 : 0;
}

int run_distortion(const DistortionCommand& command) {
  RegionArguments region = command.region;
  if (!command.perturbation.empty()) region.perturbations = {command.perturbation};
  RegionArguments other_options = region;
  other_options.norm = RegionArguments().norm;  // distances from a point have a norm, too
  if (is_about_file(command.property, command.question, &other_options, "distortion", kProperty)) {
    return distortion_of_property(
        {{file_question(command.question, command.property), command.engine, command.question.threads},
         command.from,
         assembly::parse_norm(region.norm),
         command.minimise},
        command.distortion);
  }
  if (!command.from.empty()) throw UsageError("--from", "needs a property", "give PROPERTY, or leave it out");
  return measure_samples(command, region);
}

}  // namespace

void add_distortion(CommandLine& line) {
  auto options = std::make_shared<DistortionCommand>();
  Command command =
      line.add_command("distortion", "Measure the least change that changes a sample's label or violates a property");
  add_network_option(command, options->question.network);
  add_region_file(command, options->property, kProperty,
                  "VNN-LIB file, plain or .gz, instead of --data: the distance from a point to its violation");
  command
      .add_option("--from", options->from,
                  "With PROPERTY, the point that is changed: a FILE of numbers, one per input, or centre, that of the "
                  "box around the region (default: centre)")
      .type_name("FILE");
  add_data_options(command, options->question.data);
  command.option("--data").required(false);
  add_sample_options(command, options->question.samples);
  add_norm_option(command, options->region.norm, "Norm of the change, or of a family's parameters: linf, l1 or l2");
  add_domain_option(command, options->region.domain);
  add_scale_option(command, options->region.scale);
  command
      .add_option("--perturbation", options->perturbation,
                  "Measure the parameters of a family: blur:HxW, brightness:LO,HI, contrast:LO,HI, FILE.json; or "
                  "change only a patch:ROW,COL,H,W")
      .type_name("SPEC");
  add_target_option(command, options->question.targets);
  command.add_option("--gap", options->distortion.gap, "Relative width of an interval that counts as exact")
      .positive()
      .show_default()
      .type_name("G");
  command.add_flag("--minimise", options->minimise,
                   "Ask a solver for the nearest point before radii are decided (usually slower)");
  add_engine_options(command, options->engine);
  add_threads_option(command, options->question.threads, kSamplesOrSolver);
  add_output_options(command, options->question.output);
  command.footer(
      "Exit code with --sample or PROPERTY: 0 exact, 2 an interval. With --samples: 0. Interrupted: 130.\n"
      "Example: plumb distortion examples/digits/digits.onnx --data mnist:examples/digits --sample 7 --norm linf\n"
      "Example: plumb distortion network.onnx property.vnnlib --from point.csv --norm l1");
  command.action([options] { return run_distortion(*options); });
}

}  // namespace plumb::cli
