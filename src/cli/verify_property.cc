#include "cli/verify_property.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/parallel.h"
#include "cli/messages.h"
#include "cli/sample_questions.h"
#include "cli/usage_error.h"
#include "cli/verdict_json.h"
#include "verify/property.h"
#include "verify/vnncomp_result.h"
#include "vnnlib/declared_networks.h"
#include "vnnlib/vnnlib_property.h"

namespace plumb::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The first network declared is NET. The others are given by name, unless they are declared equal to an earlier one.
std::shared_ptr<const network::Network> load_joined(const PropertyCommand& command, vnnlib::Script& script) {
  vnnlib::NamedFiles others;
  for (const std::string& option : command.more_networks) {
    const std::size_t equals = option.find('=');
    if (equals == std::string::npos) {
      throw UsageError("--network", fmt::format("'{}' is not of the form NAME=NET", option),
                       "example: --network g=g.onnx");
    }
    others.emplace_back(option.substr(0, equals), option.substr(equals + 1));
  }
  vnnlib::LoadedNetwork loaded = vnnlib::load_networks(script, command.network, others, command.property);
  if (!command.output.quiet) {
    for (const std::string& notice : loaded.notices) say("plumb: {}\n", notice);
  }
  return shared(std::move(loaded.network));
}

void print_json(const verify::PropertyVerdict& result, const vnnlib::VnnlibProperty& property,
                const assembly::Engine& engine, double seconds) {
  const verdict::Verdict& verdict = result.verdict;
  const auto evidence = evidence_word(verdict);
  Json json{{"verdict", name_of(verdict.answer)},
            {"reason", verdict.reason},
            {"evidence", evidence ? Json(*evidence) : Json(nullptr)},
            {"engine", engine.name},
            {"solver", engine.solver.empty() ? Json(nullptr) : Json(engine.solver)},
            {"witness", nullptr},
            {"outputs", nullptr},
            {"cases", property.cases.size()},
            {"parts", result.queries},
            {"parts_holding", result.decided},
            {"notices", property.notices},
            {"seconds", seconds},
            {"statistics", statistics_json(verdict)}};
  if (verdict.witness) {
    json["witness"] = verdict.witness->input;
    json["outputs"] = verdict.witness->outputs;
  }
  fmt::print("{}\n", json.dump());
}

void print_text(const verify::PropertyVerdict& result, double seconds) {
  const verdict::Verdict& verdict = result.verdict;
  const std::string evidence = evidence_text(verdict);
  fmt::print("{}: {}{}, {:.3f} s\n", name_of(verdict.answer), verdict.reason,
             evidence.empty() ? "" : fmt::format(" ({})", evidence), seconds);
  if (verdict.statistics.audit) fmt::print("{}\n", audit_text(*verdict.statistics.audit, seconds));
  if (!verdict.witness) return;
  const auto list = [](const char* what, const std::vector<double>& numbers) {
    constexpr std::size_t kShown = 10;
    std::string text;
    for (std::size_t i = 0; i < std::min(numbers.size(), kShown); ++i) text += fmt::format(" {}", numbers[i]);
    fmt::print("{}:{}{}\n", what, text, numbers.size() > kShown ? fmt::format(" ... ({})", numbers.size()) : "");
  };
  list("witness", verdict.witness->input);
  list("outputs", verdict.witness->outputs);
}

void write_result(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (!file.flush()) throw FileError(path, "cannot be written", "choose another file for --result");
}

}  // namespace

int verify_property_file(const PropertyCommand& command) {
  const auto start = Clock::now();
  vnnlib::Script script = vnnlib::read_vnnlib(command.property);
  const std::shared_ptr<const network::Network> network = load_joined(command, script);
  const vnnlib::VnnlibProperty property = lower_vnnlib(script, *network, command.property);
  if (!command.output.quiet) {
    for (const std::string& notice : property.notices) {
      say("plumb: {}: note: {}\n", command.property, notice);
    }
  }
  const auto evaluators = std::make_shared<const attack::NetworkEvaluators>(network);
  const EngineAtWork work(engine_options(command.engine, static_cast<int>(worker_count(command.threads))), evaluators,
                          std::nullopt);
  Limits limits = work.limits;
  // Reading counts towards the time limit, which is the user's, not the engine's.
  limits.seconds = std::max(0.0, limits.seconds - seconds_since(start));
  const verify::PropertyVerdict result =
      verify::verify_property(network, evaluators, property, work.engine.decide, limits);
  const double seconds = seconds_since(start);
  if (!command.result_file.empty()) {
    write_result(command.result_file, vnncomp_result(script, *network, result));
  }
  if (command.output.json) {
    print_json(result, property, work.engine, seconds);
  } else {
    print_text(result, seconds);
  }
  return work.interrupt.happened() ? 130 : exit_code(result.verdict.answer);
}

}  // namespace plumb::cli
