// plumb attack: projected gradient descent around samples. A witness that it finds is confirmed; a sample without one
// is unknown.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "assembly/empty_region.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/question_json.h"
#include "cli/region_file.h"
#include "cli/rounded.h"
#include "cli/sample_questions.h"
#include "cli/table.h"
#include "cli/verify_property.h"
#include "verify/sample_attack.h"

namespace plumb::cli {
namespace {

using Json = nlohmann::ordered_json;

struct AttackCommand {
  QuestionArguments question;
  RegionFile property;  // instead of data
  RegionArguments region;
  attack::AttackOptions attack;
};

struct AttackLine {
  std::int64_t sample = 0, label = 0;
  verify::SampleAttack attack;
  bool empty = false;  // the region is empty: there is nothing to attack
};

struct AttackCounts {
  std::int64_t samples = 0, misclassified = 0, vulnerable = 0, vulnerable_misclassified = 0;

  std::int64_t unknown() const { return samples - vulnerable; }
  double error_lower() const { return static_cast<double>(vulnerable) / static_cast<double>(samples); }
};

AttackCounts counts_of(const std::vector<AttackLine>& lines) {
  AttackCounts counts;
  for (const AttackLine& line : lines) {
    ++counts.samples;
    counts.misclassified += line.attack.misclassified;
    counts.vulnerable += line.attack.witness.has_value();
    counts.vulnerable_misclassified += line.attack.witness && line.attack.misclassified;
  }
  return counts;
}

const char* reason_of(const AttackLine& line) {
  if (line.empty) return assembly::kEmptyRegion;
  if (line.attack.as_it_is) return "misclassified";
  return line.attack.witness ? "attack" : "no witness found";
}

void print_json(const JsonLines& lines, const AttackLine& line) {
  const verify::SampleAttack& attack = line.attack;
  Json json{{"sample", line.sample},
            {"label", line.label},
            {"verdict", attack.witness ? "violated" : "unknown"},
            {"reason", reason_of(line)},
            {"evidence", attack.witness ? Json(name_of(attack.witness->evidence)) : Json(nullptr)},
            {"engine", "attack"},
            {"solver", nullptr},
            {"witness", nullptr},
            {"outputs", nullptr},
            {"predicted", nullptr},
            {"distance", nullptr},
            {"seconds", attack.seconds},
            {"statistics", {{"evaluations", attack.evaluations}}}};
  if (attack.witness) {
    json["witness"] = attack.witness->input;
    json["outputs"] = attack.witness->outputs;
    json["predicted"] = attack.predicted;
    json["distance"] = attack.distance;
  }
  lines.print(json);
}

// An attack proves no sample robust: the upper bound on the error counts every sample that is left.
void print_summary_json(const JsonLines& out, const AttackCounts& counts, double seconds) {
  const Json summary{{"samples", counts.samples},
                     {"misclassified", counts.misclassified},
                     {"robust", 0},
                     {"vulnerable", counts.vulnerable},
                     {"unknown", counts.unknown()},
                     {"error_lower", counts.error_lower()},
                     {"error_upper", 1.0},
                     {"seconds", seconds}};
  out.print({{"summary", summary}});
}

void print_text(const std::vector<AttackLine>& lines, double seconds) {
  Table table({{"sample"}, {"label"}, {"becomes"}, {"distance"}, {"", Align::kLeft}});
  for (const AttackLine& line : lines) {
    if (!line.attack.witness) continue;
    table.add_row({std::to_string(line.sample), std::to_string(line.label), std::to_string(line.attack.predicted),
                   upper_text(line.attack.distance, 6), line.attack.as_it_is ? "misclassified" : ""});
  }
  const AttackCounts counts = counts_of(lines);
  if (counts.vulnerable > 0) fmt::print("{}\n", table.text());
  fmt::print(
      "{} of {} samples vulnerable ({} misclassified), {} unknown: adversarial error at least {:.2f} %, {:.2f} s\n",
      grouped(counts.vulnerable), grouped(counts.samples), grouped(counts.vulnerable_misclassified),
      grouped(counts.unknown()), 100 * counts.error_lower(), seconds);
  const auto empty = std::ranges::count_if(lines, &AttackLine::empty);
  if (empty > 0) fmt::print("the region of {} of them is empty\n", grouped(empty));
}

int attack_samples(const AttackCommand& command) {
  expect_region(command.region);
  const SampleQuestions questions(command.question, "an attack needs labels, and this data set has none");
  const auto neighbourhood = questions.neighbourhood(neighbourhood_options(command.region));
  const auto evaluators = std::make_shared<const attack::NetworkEvaluators>(questions.network());
  const auto [lines, seconds] = questions.each<AttackLine>("attacking", [&](std::int64_t k) -> AttackLine {
    const std::vector<double> sample = questions.sample(k);
    const property::Region region = neighbourhood.around(sample);
    if (assembly::is_certainly_empty(region)) return {k, questions.label(k), {}, true};
    return {k, questions.label(k),
            verify::attack_sample(questions.network(), evaluators, sample, questions.label(k), region,
                                  neighbourhood.metric(), command.attack, k),
            false};
  });
  if (!command.question.output.json) {
    print_text(lines, seconds);
  } else {
    const JsonLines out(question_json(command.question, questions, command.region));
    for (const AttackLine& line : lines) print_json(out, line);
    if (!questions.is_single()) print_summary_json(out, counts_of(lines), seconds);
  }
  if (!questions.is_single()) return 0;
  return lines[0].attack.witness ? 1 : 2;
}

int run_attack(const AttackCommand& command) {
  if (!is_about_file(command.property, command.question, &command.region, "attack", kProperty)) {
    return attack_samples(command);
  }
  return attack_property_file({file_question(command.question, command.property)}, command.attack);
}

}  // namespace

void add_attack(CommandLine& line) {
  auto options = std::make_shared<AttackCommand>();
  Command command = line.add_command("attack", "Search for adversarial examples by projected gradient descent");
  add_network_option(command, options->question.network);
  add_region_file(command, options->property, kProperty,
                  "VNN-LIB file, plain or .gz, instead of --data and --eps: search for a violation");
  add_data_options(command, options->question.data);
  command.option("--data").required(false);
  add_sample_options(command, options->question.samples);
  add_region_options(command, options->region);
  command.add_option("--steps", options->attack.steps, "Number of steps from each start")
      .positive()
      .type_name("N")
      .show_default();
  command.add_option("--restarts", options->attack.restarts, "Number of starts: the sample itself, then random points")
      .positive()
      .type_name("N")
      .show_default();
  command
      .add_option("--step-size", options->attack.step_size,
                  "Length of the first step in units of --eps; later steps are shorter")
      .positive()
      .type_name("S")
      .show_default();
  command.add_flag("--random-start", options->attack.random_starts, "Start at random points only, not at the sample");
  command.add_option("--seed", options->attack.seed, "Seed of the random starts").type_name("N").show_default();
  add_threads_option(command, options->question.threads);
  add_output_options(command, options->question.output);
  command.footer(
      "Exit code with --sample or PROPERTY: 1 if an adversarial example was found, 2 if not; 0 if the property's "
      "region\n"
      "is empty. With --samples: 0.\n"
      "Example: plumb attack examples/digits/digits.onnx --data mnist:examples/digits --samples 0:100 --eps 0.06\n"
      "Example: plumb attack network.onnx property.vnnlib");
  command.action([options] { return run_attack(*options); });
}

}  // namespace plumb::cli
