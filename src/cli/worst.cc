// plumb worst: the least margin around samples, or the largest violation, as an interval between a proof and a point.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "assembly/empty_region.h"
#include "base/numbers.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/engine_arguments.h"
#include "cli/question_json.h"
#include "cli/region_file.h"
#include "cli/rounded.h"
#include "cli/sample_questions.h"
#include "cli/table.h"
#include "cli/verdict_json.h"
#include "cli/worst_property.h"
#include "verify/worst_margin.h"

namespace plumb::cli {
namespace {

struct WorstCommand {
  QuestionArguments question;
  RegionFile property;  // instead of data
  RegionArguments region;
  verify::WorstMarginOptions margin;
  EngineArguments engine;
};

struct WorstLine {
  std::int64_t sample = 0, label = 0;
  verify::WorstMargin result;
  // At the point: the best label but the true one, or the best target; and the predicted label (`other` in a tie).
  std::int64_t other = 0, predicted = 0;
  double seconds = 0;
};

// What the interval says about robustness.
verdict::Answer answer_of(const verify::WorstMargin& result) {
  if (result.lower > 0) return verdict::Answer::kHolds;
  return result.violated ? verdict::Answer::kViolated : verdict::Answer::kUnknown;
}

verify::WorstMargin without_point(const char* reason) {
  verify::WorstMargin result;
  result.lower = result.upper = result.rigorous_lower = kInfinity;
  result.exact = true;
  result.reason = reason;
  return result;
}

// The label of the largest output. If several are equal: `other` if it is one of them, otherwise the first.
std::int64_t predicted_label(const std::vector<double>& outputs, std::int64_t other) {
  const auto largest = std::ranges::max_element(outputs);
  return outputs[static_cast<std::size_t>(other)] == *largest ? other : largest - outputs.begin();
}

void print_json(const JsonLines& lines, const WorstLine& line, const assembly::Engine& engine) {
  const verify::WorstMargin& result = line.result;
  Json json{{"sample", line.sample},
            {"label", line.label},
            {"verdict", name_of(answer_of(result))},
            {"lower", lower_json(result.lower)},
            {"upper", upper_json(result.upper)},
            {"exact", result.exact},
            {"reason", result.reason},
            {"evidence", name_of(result.evidence)},
            {"rigorous_lower", lower_json(result.rigorous_lower)},
            {"engine", engine.name},
            {"solver", engine.solver.empty() ? Json(nullptr) : Json(engine.solver)},
            {"witness", nullptr},
            {"parameters", nullptr},
            {"outputs", nullptr},
            {"other", nullptr},
            {"predicted", nullptr},
            {"seconds", line.seconds},
            {"statistics", statistics_json(result.statistics, result.decisions)}};
  if (result.point) {
    json["witness"] = result.point->input;
    if (!result.point->parameters.empty()) json["parameters"] = result.point->parameters;
    json["outputs"] = result.point->outputs;
    json["other"] = line.other;
    json["predicted"] = line.predicted;
  }
  lines.print(json);
}

void print_summary_json(const JsonLines& out, const std::vector<WorstLine>& lines, std::int64_t skipped,
                        double seconds) {
  std::int64_t exact = 0, robust = 0, vulnerable = 0, unknown = 0;
  MeanOfEnds mean;
  for (const WorstLine& line : lines) {
    exact += line.result.exact;
    const verdict::Answer answer = answer_of(line.result);
    robust += answer == verdict::Answer::kHolds;
    vulnerable += answer == verdict::Answer::kViolated;
    unknown += answer == verdict::Answer::kUnknown;
    if (line.result.lower < kInfinity) mean.add(line.result.lower, line.result.upper);
  }
  const Json summary{{"samples", lines.size()},
                     {"skipped", skipped},
                     {"exact", exact},
                     {"robust", robust},
                     {"vulnerable", vulnerable},
                     {"unknown", unknown},
                     {"mean_lower", lower_json(mean.lower())},
                     {"mean_upper", upper_json(mean.upper())},
                     {"seconds", seconds}};
  out.print({{"summary", summary}});
}

std::string explanation(const WorstLine& line) {
  const bool rigorous = line.result.evidence == verdict::Evidence::kRigorous;
  return fmt::format("{}; {}", line.result.reason, rigorous ? "rigorous" : "a solver's claim");
}

void print_text(const std::vector<WorstLine>& lines) {
  Table table({{"sample"},
               {"label"},
               {"margin at least"},
               {"at most"},
               {"against"},
               {"", Align::kLeft},
               {"", Align::kLeft},
               {"by", Align::kLeft},
               {"seconds"}});
  for (const WorstLine& line : lines) {
    const verify::WorstMargin& result = line.result;
    table.add_row({std::to_string(line.sample), std::to_string(line.label), lower_text(result.lower, 7),
                   upper_text(result.upper, 7), result.point ? std::to_string(line.other) : "-",
                   result.exact ? "exact" : "not closed", word_for(answer_of(result)), explanation(line),
                   fmt::format("{:.3f}", line.seconds)});
  }
  fmt::print("{}\n", table.text());
}

WorstLine measure(const WorstCommand& command, const SampleQuestions& questions,
                  const assembly::Neighbourhood& neighbourhood,
                  const std::shared_ptr<const attack::NetworkEvaluators>& evaluators, const EngineAtWork& work,
                  std::int64_t k) {
  const auto start = std::chrono::steady_clock::now();
  const std::shared_ptr<const network::Network>& network = questions.network();
  const std::vector<std::int64_t>& targets = command.question.targets;
  WorstLine line{k, questions.label(k), {}, 0, 0, 0};
  const property::Query query(network, neighbourhood.around(questions.sample(k)),
                              property::adversarial_set(line.label, targets, network->output_size()));
  line.result = assembly::is_certainly_empty(query.region, work.limits)
                    ? without_point(assembly::kEmptyRegion)
                    : worst_margin(evaluators->exactly.bounded_network(), evaluators, query, work.engine.narrowing(),
                                   work.engine.minimise_margin, command.margin, work.limits);
  if (line.result.point) {
    line.other = verify::best_other_label(line.result.point->outputs, line.label, targets);
    line.predicted = predicted_label(line.result.point->outputs, line.other);
  }
  line.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return line;
}

int measure_samples(const WorstCommand& command) {
  expect_region(command.region);
  const SampleQuestions questions(command.question, "margins need labels, and this data set has none");
  const auto neighbourhood = questions.neighbourhood(neighbourhood_options(command.region));
  const auto evaluators = std::make_shared<const attack::NetworkEvaluators>(questions.network());
  const EngineAtWork work(engine_options(command.engine, questions.threads_per_query()), evaluators,
                          neighbourhood.whole_domain());
  const auto [lines, seconds] = questions.each<WorstLine>(
      "measuring", [&](std::int64_t k) { return measure(command, questions, neighbourhood, evaluators, work, k); });
  if (!command.question.output.json) {
    print_text(lines);
  } else {
    const JsonLines out(question_json(command.question, questions, command.region));
    for (const WorstLine& line : lines) print_json(out, line, work.engine);
    if (!questions.is_single()) print_summary_json(out, lines, questions.skipped(), seconds);
  }
  if (work.interrupt.happened()) return 130;
  return questions.is_single() && !lines[0].result.exact ? 2 : 0;
}

int run_worst(const WorstCommand& command) {
  const bool file = is_about_file(command.property, command.question, &command.region, "worst", kProperty);
  refuse_written_model(command.engine);
  if (!file) return measure_samples(command);
  return worst_margin_of_property(
      {file_question(command.question, command.property), command.engine, command.question.threads}, command.margin);
}

}  // namespace

void add_worst(CommandLine& line) {
  auto options = std::make_shared<WorstCommand>();
  Command command =
      line.add_command("worst", "Measure the least margin around a sample or over the region of a property, exactly");
  add_network_option(command, options->question.network);
  add_region_file(command, options->property, kProperty,
                  "VNN-LIB file, plain or .gz, instead of --data and --eps: how far it is from being violated");
  add_data_options(command, options->question.data);
  command.option("--data").required(false);
  add_sample_options(command, options->question.samples);
  add_region_options(command, options->region);
  add_target_option(command, options->question.targets);
  add_margin_gap_options(command, options->margin, "margin");
  add_engine_options(command, options->engine);
  command.option("--timeout").description("Seconds per sample or property (default: no limit)");
  add_threads_option(command, options->question.threads, kSamplesOrSolver);
  add_output_options(command, options->question.output);
  command.footer(
      "The margin is the label's output minus the largest other output. It is <= 0 where the label is lost. With\n"
      "--target, it is the largest output of a label that is not a target minus the largest output of a target. It is\n"
      "<= 0 where a target wins or ties, which is what verify --target looks for. Of a property, it is the least "
      "amount\n"
      "by which its conditions on outputs would have to be relaxed for a violation. It is <= 0 where they are "
      "satisfied.\n"
      "Exit code with --sample or PROPERTY: 0 exact, 2 an interval. With --samples: 0. Interrupted: 130.\n"
      "Example: plumb worst examples/digits/digits.onnx --data mnist:examples/digits --sample 7 --eps 0.06\n"
      "Example: plumb worst network.onnx property.vnnlib");
  command.action([options] { return run_worst(*options); });
}

}  // namespace plumb::cli
