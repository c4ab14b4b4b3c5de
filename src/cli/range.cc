// plumb range: the least and the largest value of outputs, or of a linear function of outputs and inputs, over a region
// in a file: each an interval between a proof and a point.
#include "verify/range.h"
#include "cli/question_json.h"

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
#include "cli/region_file.h"
#include "cli/rounded.h"
#include "cli/sample_questions.h"
#include "cli/table.h"
#include "cli/usage_error.h"
#include "cli/verdict_json.h"
#include "cli/worst_property.h"

namespace plumb::cli {
namespace {

struct RangeCommand {
  FileQuestion question;
  std::int64_t output = -1;  // -1 means none
  std::string objective;     // empty means none
  verify::WorstMarginOptions gaps;
  EngineArguments engine;
  int threads = 0;
};

struct NamedObjective {
  std::string name;
  vnnlib::Objective objective;
};

struct RangeLine {
  std::string name;
  verify::Range range;

  bool is_exact() const { return range.minimum.exact && range.maximum.exact; }
};

std::vector<NamedObjective> objectives_of(const RangeCommand& command, const network::Network& network) {
  constexpr std::int64_t kMostOutputs = 20;
  const std::int64_t inputs = network.input_size(), outputs = network.output_size();
  if (!command.objective.empty()) {
    return {{command.objective, vnnlib::parse_objective(command.objective, inputs, outputs)}};
  }
  const auto output = [&](std::int64_t k) -> NamedObjective {
    return {fmt::format("Y_{}", k), vnnlib::output_objective(k, inputs, outputs)};
  };
  if (command.output >= 0) return {output(command.output)};
  if (outputs > kMostOutputs) {
    throw UsageError("", fmt::format("the network has {} outputs: which one is meant?", outputs),
                     "add --output K, or --objective 'Y_0 - Y_1'");
  }
  std::vector<NamedObjective> all;
  for (std::int64_t k = 0; k < outputs; ++k) all.push_back(output(k));
  return all;
}

verify::Range range_of_nothing() {
  verify::RangeEnd minimum;
  minimum.lower = minimum.upper = minimum.rigorous = kInfinity;
  minimum.exact = true;
  minimum.reason = assembly::kEmptyRegion;
  verify::RangeEnd maximum = minimum;
  maximum.lower = maximum.upper = maximum.rigorous = -kInfinity;
  return {minimum, maximum};
}

Json end_json(const verify::RangeEnd& end) {
  Json json{{"lower", lower_json(end.lower)},
            {"upper", upper_json(end.upper)},
            {"exact", end.exact},
            {"reason", end.reason},
            {"evidence", name_of(end.evidence)},
            {"rigorous", nullptr},
            {"point", nullptr},
            {"outputs", nullptr},
            {"seconds", end.seconds},
            {"statistics", statistics_json(end.statistics, end.decisions)}};
  if (end.point) {
    json["point"] = end.point->input;
    json["outputs"] = end.point->outputs;
  }
  return json;
}

Json line_json(const RangeLine& line, const assembly::Engine& engine) {
  Json minimum = end_json(line.range.minimum), maximum = end_json(line.range.maximum);
  minimum["rigorous"] = lower_json(line.range.minimum.rigorous);
  maximum["rigorous"] = upper_json(line.range.maximum.rigorous);
  return {{"objective", line.name},
          {"exact", line.is_exact()},
          {"minimum", std::move(minimum)},
          {"maximum", std::move(maximum)},
          {"engine", engine.name},
          {"solver", engine.solver.empty() ? Json(nullptr) : Json(engine.solver)},
          {"seconds", line.range.minimum.seconds + line.range.maximum.seconds}};
}

std::string interval_text(const verify::RangeEnd& end) {
  const auto side = [](double x, const std::string& text) {
    return x == -kInfinity ? "-inf" : x == kInfinity ? "inf" : text;
  };
  return fmt::format("[{}, {}]", side(end.lower, lower_text(end.lower, 7)), side(end.upper, upper_text(end.upper, 7)));
}

const char* exact_text(const verify::Range& range) {
  if (range.minimum.exact) return range.maximum.exact ? "exact" : "minimum exact";
  return range.maximum.exact ? "maximum exact" : "not closed";
}

// What the proven ends rest on and, for intervals that are not exact, why the work ended.
std::string explanation(const verify::Range& range) {
  const bool rigorous =
      range.minimum.evidence == verdict::Evidence::kRigorous && range.maximum.evidence == verdict::Evidence::kRigorous;
  std::string text = rigorous ? "rigorous" : "a solver's claim";
  for (const verify::RangeEnd* end : {&range.minimum, &range.maximum}) {
    if (!end->exact && text.find(end->reason) == std::string::npos) text += "; " + end->reason;
  }
  return text;
}

void print_text(const std::vector<RangeLine>& lines) {
  Table table({{"objective", Align::kLeft},
               {"minimum in"},
               {"maximum in"},
               {"", Align::kLeft},
               {"by", Align::kLeft},
               {"seconds"}});
  for (const RangeLine& line : lines) {
    const auto& [minimum, maximum] = line.range;
    table.add_row({line.name, interval_text(minimum), interval_text(maximum), exact_text(line.range),
                   explanation(line.range), fmt::format("{:.3f}", minimum.seconds + maximum.seconds)});
  }
  fmt::print("{}\n", table.text());
  for (const RangeLine& line : lines) {
    if (const auto& point = line.range.minimum.point) print_numbers("minimum of " + line.name + " at", point->input);
    if (const auto& point = line.range.maximum.point) print_numbers("maximum of " + line.name + " at", point->input);
  }
}

void print_json(const JsonLines& out, const std::vector<RangeLine>& lines, const assembly::Engine& engine,
                double seconds) {
  for (const RangeLine& line : lines) out.print(line_json(line, engine));
  if (lines.size() == 1) return;
  const Json summary{{"objectives", lines.size()},
                     {"exact", std::ranges::count_if(lines, &RangeLine::is_exact)},
                     {"seconds", seconds}};
  out.print({{"summary", summary}});
}

int run_range(const RangeCommand& command) {
  refuse_written_model(command.engine);
  const auto start = std::chrono::steady_clock::now();
  const LoadedProperty loaded = load_region(command.question);
  const std::vector<NamedObjective> objectives = objectives_of(command, *loaded.network);
  const auto evaluators = std::make_shared<const attack::NetworkEvaluators>(loaded.network);
  const std::vector<vnnlib::PropertyCase>& cases = loaded.property.cases;
  const EngineAtWork work(engine_options(command.engine, static_cast<int>(worker_count(command.threads))), evaluators,
                          cases.empty() ? std::nullopt : std::optional(enclosing_box(cases[0].region)));
  const bool is_empty = cases.empty() || assembly::is_certainly_empty(cases[0].region, work.limits);
  std::vector<RangeLine> lines;
  for (const NamedObjective& one : objectives) {
    lines.push_back({one.name, is_empty ? range_of_nothing()
                                        : range(
                                              evaluators->exactly.bounded_network(), evaluators, cases[0],
                                              one.objective, [&] { return work.engine.narrowing(); },
                                              work.engine.minimise_margin, command.gaps, work.limits)});
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (command.question.output.json) {
    print_json(JsonLines(question_json(command.question, loaded)), lines, work.engine, seconds);
  } else if (is_empty) {
    fmt::print("{}: no value is attained\n", assembly::kEmptyRegion);
  } else {
    print_text(lines);
  }
  if (work.interrupt.happened()) return 130;
  return std::ranges::all_of(lines, &RangeLine::is_exact) ? 0 : 2;
}

}  // namespace

void add_range(CommandLine& line) {
  auto options = std::make_shared<RangeCommand>();
  Command command =
      line.add_command("range", "Compute the least and the largest value of outputs over a region, exactly");
  add_network_option(command, options->question.network);
  add_region_file(command, options->question.file, kRegion,
                  "The inputs: a VNN-LIB file, plain or .gz, or a box: a text file with one line LO,HI per input");
  command.option("region").required();
  add_normalisation_options(command, options->question.normalisation);
  Option output =
      command.add_option("--output", options->output, "One output, counted from 0 (default: all, if at most 20)")
          .not_negative()
          .type_name("K");
  command
      .add_option("--objective", options->objective,
                  "A linear function of outputs and inputs, exact as written: 'Y_0 - 2*Y_1 + 0.5*X_3'")
      .type_name("F")
      .excludes(output);
  add_margin_gap_options(command, options->gaps, "value");
  add_engine_options(command, options->engine);
  command.option("--timeout").description("Seconds per objective, for both ends together (default: no limit)");
  add_threads_option(command, options->threads, "Threads of the search or the solver");
  add_output_options(command, options->question.output);
  command.footer(
      "The minimum and the maximum each lie in the interval that is printed: its outer end is proven, its inner end "
      "is\n"
      "attained at a point of the region, which is printed too.\n"
      "Exit code: 0 all intervals are exact, 2 some are not. Interrupted: 130.\n"
      "Example: plumb range network.onnx box.csv --output 0");
  command.action([options] { return run_range(*options); });
}

}  // namespace plumb::cli
