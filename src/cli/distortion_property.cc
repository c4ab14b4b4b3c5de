#include "cli/distortion_property.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "assembly/empty_region.h"
#include "base/error.h"
#include "base/file.h"
#include "base/numbers.h"
#include "cli/question_json.h"
#include "cli/rounded.h"
#include "cli/sample_questions.h"
#include "cli/verdict_json.h"
#include "verify/property_distortion.h"
#include "vnnlib/decimal.h"

namespace plumb::cli {
namespace {

// Numbers separated by commas, blanks or line ends; '#' begins a comment.
std::vector<double> read_point(const std::string& path, std::int64_t inputs) {
  std::vector<double> point;
  std::istringstream lines(read_file(path));
  std::int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line.resize(std::min(line.find('#'), line.size()));
    std::ranges::replace(line, ',', ' ');
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      const auto decimal = vnnlib::Decimal::parse(word);
      if (!decimal || !std::isfinite(decimal->nearest())) {
        throw DataError(fmt::format("{}: line {}", path, number), fmt::format("'{}' is not a number", word),
                        "give one decimal number per input");
      }
      point.push_back(decimal->nearest());
    }
  }
  if (static_cast<std::int64_t>(point.size()) != inputs) {
    throw DataError(path, fmt::format("{} numbers for a network of {} inputs", point.size(), inputs),
                    "give one number per input");
  }
  return point;
}

void print_text(const verify::Distortion& result, property::Norm norm, double seconds) {
  const bool rigorous = result.evidence == verdict::Evidence::kRigorous;
  fmt::print("{} distance at least {}, at most {}, {}: {} ({}), {:.3f} s\n", name_of(norm), lower_text(result.lower, 8),
             upper_text(result.upper, 8), result.exact ? "exact" : "open", result.reason,
             rigorous ? "rigorous" : "a solver's claim", seconds);
  if (!result.witness) return;
  const std::string evidence = evidence_text(*result.witness);
  print_numbers(evidence.empty() ? "witness" : fmt::format("witness ({})", evidence), result.witness->input);
  print_numbers("outputs", result.witness->outputs);
}

verify::Distortion without_unsafe_point() {
  verify::Distortion result;
  result.lower = result.upper = result.rigorous_lower = kInfinity;
  result.exact = true;
  result.reason = assembly::kEmptyRegion;
  return result;
}

}  // namespace

Json distortion_json(const verify::Distortion& result, const assembly::Engine& engine, property::Norm norm) {
  Json json{{"norm", name_of(norm)},
            {"lower", lower_json(result.lower)},
            {"upper", upper_json(result.upper)},
            {"exact", result.exact},
            {"reason", result.reason},
            {"evidence", verdict::name_of(result.evidence)},
            {"rigorous_lower", lower_json(result.rigorous_lower)},
            {"engine", engine.name},
            {"solver", engine.solver.empty() ? Json(nullptr) : Json(engine.solver)},
            {"witness", nullptr},
            {"witness_evidence", nullptr},
            {"outputs", nullptr},
            {"statistics", statistics_json(result.statistics, result.decisions)}};
  if (result.witness) {
    json["witness"] = result.witness->input;
    json["witness_evidence"] = verdict::name_of(result.witness->evidence);
    json["outputs"] = result.witness->outputs;
  }
  return json;
}

int distortion_of_property(const DistanceCommand& command, const verify::DistortionOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const PropertyCommand& asked = command.property;
  const LoadedProperty loaded = load_property(asked.question);
  const bool is_empty = loaded.property.cases.empty();
  std::vector<double> from;
  if (!command.from.empty() && command.from != "centre") {
    from = read_point(command.from, loaded.network->input_size());
  } else if (!is_empty) {
    from = verify::centre_of(loaded.property, *loaded.network);
  }
  const auto evaluators = std::make_shared<const attack::NetworkEvaluators>(loaded.network);
  const EngineAtWork work(engine_options(asked.engine, static_cast<int>(worker_count(asked.threads))), evaluators,
                          std::nullopt);
  verify::Distortion result = without_unsafe_point();
  if (!is_empty) {
    result = minimum_distortion(
        loaded.network, evaluators, verify::distortion_question(loaded.property, *loaded.network, command.norm, from),
        work.engine.narrowing(), command.minimise ? work.engine.minimise(command.norm) : verdict::MinimiseDistance(),
        options, work.limits);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (asked.question.output.json) {
    Json json = distortion_json(result, work.engine, command.norm);
    json["from"] = from;
    json["notices"] = loaded.property.notices;
    json["seconds"] = seconds;
    JsonLines(question_json(asked.question, loaded, command.norm)).print(std::move(json));
  } else {
    print_text(result, command.norm, seconds);
  }
  return work.interrupt.happened() ? 130 : result.exact ? 0 : 2;
}

}  // namespace plumb::cli
