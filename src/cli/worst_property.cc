#include "cli/worst_property.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "assembly/empty_region.h"
#include "base/error.h"
#include "base/numbers.h"
#include "cli/question_json.h"
#include "cli/rounded.h"
#include "cli/sample_questions.h"
#include "cli/usage_error.h"
#include "cli/verdict_json.h"
#include "verify/property_margin.h"
#include "vnnlib/input_assertions.h"

namespace plumb::cli {
namespace {

// What the interval says about the property.
const char* verdict_of(const verify::WorstMargin& margin) {
  return margin.lower > 0 ? "holds" : margin.violated ? "violated" : "unknown";
}

void print_json(const JsonLines& out, const verify::WorstMargin& margin, const LoadedProperty& loaded,
                const assembly::Engine& engine, double seconds) {
  Json json{{"verdict", verdict_of(margin)},
            {"lower", lower_json(margin.lower)},
            {"upper", upper_json(margin.upper)},
            {"exact", margin.exact},
            {"reason", margin.reason},
            {"evidence", name_of(margin.evidence)},
            {"rigorous_lower", lower_json(margin.rigorous_lower)},
            {"engine", engine.name},
            {"solver", engine.solver.empty() ? Json(nullptr) : Json(engine.solver)},
            {"witness", nullptr},
            {"outputs", nullptr},
            {"cases", loaded.property.cases.size()},
            {"notices", loaded.property.notices},
            {"seconds", seconds},
            {"statistics", statistics_json(margin.statistics, margin.decisions)}};
  if (margin.point) {
    json["witness"] = margin.point->input;
    json["outputs"] = margin.point->outputs;
  }
  out.print(json);
}

void print_text(const verify::WorstMargin& margin, double seconds) {
  const bool rigorous = margin.evidence == verdict::Evidence::kRigorous;
  fmt::print("{}: margin at least {}, at most {}, {}: {} ({}), {:.3f} s\n", verdict_of(margin),
             lower_text(margin.lower, 7), upper_text(margin.upper, 7), margin.exact ? "exact" : "not closed",
             margin.reason, rigorous ? "rigorous" : "a solver's claim", seconds);
  if (!margin.point) return;
  print_numbers("witness", margin.point->input);
  print_numbers("outputs", margin.point->outputs);
}

bool is_empty(const vnnlib::VnnlibProperty& property, const Limits& limits) {
  return std::ranges::all_of(property.cases, [&](const vnnlib::PropertyCase& one) {
    return assembly::is_certainly_empty(one.region, limits);
  });
}

verify::WorstMargin of_empty_region() {
  verify::WorstMargin margin;
  margin.lower = margin.upper = margin.rigorous_lower = kInfinity;
  margin.exact = true;
  margin.reason = assembly::kEmptyRegion;
  return margin;
}

}  // namespace

void add_margin_gap_options(Command& command, verify::WorstMarginOptions& options, const std::string& what) {
  command
      .add_option("--gap", options.gap,
                  fmt::format("Width of an interval that counts as exact, relative to the {}", what))
      .positive()
      .show_default()
      .type_name("G");
  command.add_option("--absolute-gap", options.absolute_gap, fmt::format("The same for {}s near zero", what))
      .positive()
      .show_default()
      .type_name("G");
}

void refuse_written_model(const EngineArguments& engine) {
  if (engine.write_model.empty()) return;
  throw UsageError("--write-model", "is not available here, because each threshold has its own model",
                   "use plumb verify");
}

int worst_margin_of_property(const PropertyCommand& command, const verify::WorstMarginOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const LoadedProperty loaded = load_property(command.question);
  if (!mentions_outputs(loaded.script.assertions)) {
    throw DataError(command.question.file.path, "has no condition on outputs, so that there is no margin",
                    "assert one; plumb range computes the values of outputs");
  }
  const auto evaluators = std::make_shared<const attack::NetworkEvaluators>(loaded.network);
  const EngineAtWork work(engine_options(command.engine, static_cast<int>(worker_count(command.threads))), evaluators,
                          std::nullopt);
  const verify::WorstMargin margin =
      is_empty(loaded.property, work.limits)
          ? of_empty_region()
          : property_margin(
                evaluators->exactly.bounded_network(), evaluators, loaded.property,
                [&] { return work.engine.narrowing(); }, work.engine.minimise_margin, options, work.limits);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (command.question.output.json) {
    print_json(JsonLines(question_json(command.question, loaded)), margin, loaded, work.engine, seconds);
  } else {
    print_text(margin, seconds);
  }
  return work.interrupt.happened() ? 130 : margin.exact ? 0 : 2;
}

}  // namespace plumb::cli
