#include "cli/verify_property.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/parallel.h"
#include "cli/certificate_option.h"
#include "cli/question_json.h"
#include "cli/sample_questions.h"
#include "cli/usage_error.h"
#include "cli/verdict_json.h"
#include "verify/property.h"
#include "verify/vnncomp_result.h"

namespace plumb::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void print_json(const JsonLines& out, const verify::PropertyVerdict& result, const vnnlib::VnnlibProperty& property,
                const std::string& engine, const std::string& solver, Json statistics, double seconds,
                const CertificateToWrite* certificate) {
  const verdict::Verdict& verdict = result.verdict;
  const auto evidence = evidence_word(verdict);
  Json json{{"verdict", name_of(verdict.answer)},
            {"reason", verdict.reason},
            {"evidence", evidence ? Json(*evidence) : Json(nullptr)},
            {"engine", engine},
            {"solver", solver.empty() ? Json(nullptr) : Json(solver)},
            {"witness", nullptr},
            {"outputs", nullptr},
            {"cases", property.cases.size()},
            {"parts", result.queries},
            {"parts_holding", result.decided},
            {"notices", property.notices},
            {"seconds", seconds},
            {"statistics", std::move(statistics)}};
  if (verdict.witness) {
    json["witness"] = verdict.witness->input;
    json["outputs"] = verdict.witness->outputs;
  }
  if (certificate != nullptr) certificate->add_to(json);
  out.print(json);
}

void print_text(const verify::PropertyVerdict& result, double seconds) {
  const verdict::Verdict& verdict = result.verdict;
  const std::string evidence = evidence_text(verdict);
  fmt::print("{}: {}{}, {:.3f} s\n", name_of(verdict.answer), verdict.reason,
             evidence.empty() ? "" : fmt::format(" ({})", evidence), seconds);
  if (verdict.statistics.audit) fmt::print("{}\n", audit_text(*verdict.statistics.audit, seconds));
  if (!verdict.witness) return;
  print_numbers("witness", verdict.witness->input);
  print_numbers("outputs", verdict.witness->outputs);
}

void write_result(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (!file.flush()) throw FileError(path, "cannot be written", "choose another file for --result");
}

// Units of several networks would need names that say whose they are.
void expect_one_network(const LoadedProperty& loaded, const PropertyCommand& command) {
  if (command.certificate.empty() || loaded.script.networks.size() <= 1) return;
  throw UsageError("--certificate", "is not available yet for a property of several networks", "leave it out");
}

}  // namespace

int verify_property_file(const PropertyCommand& command) {
  const auto start = Clock::now();
  LoadedProperty loaded = load_property(command.question);
  loaded.network = searched(loaded.network, !command.certificate.empty());
  const auto evaluators = std::make_shared<const attack::NetworkEvaluators>(loaded.network);
  const EngineAtWork work(engine_options(command.engine, static_cast<int>(worker_count(command.threads))), evaluators,
                          std::nullopt);
  expect_one_network(loaded, command);
  CertificateToWrite certificate(command.certificate, command.question.network, loaded.network, work.engine);
  Limits limits = work.limits;
  // Reading counts towards the time limit, which is the user's, not the engine's.
  limits.seconds = std::max(0.0, limits.seconds - seconds_since(start));
  const verify::PropertyVerdict result =
      verify::verify_property(loaded.network, evaluators, loaded.property, certificate.decide(), limits);
  certificate.write(result.verdict);
  const double seconds = seconds_since(start);
  if (!command.result_file.empty()) {
    write_result(command.result_file, vnncomp_result(loaded.script, *loaded.network, result));
  }
  if (command.question.output.json) {
    print_json(JsonLines(question_json(command.question, loaded)), result, loaded.property, work.engine.name,
               work.engine.solver, statistics_json(result.verdict), seconds, &certificate);
  } else {
    print_text(result, seconds);
  }
  certificate.rethrow();
  return work.interrupt.happened() ? 130 : exit_code(result.verdict.answer);
}

int attack_property_file(const PropertyCommand& command, const attack::AttackOptions& options) {
  const auto start = Clock::now();
  const LoadedProperty loaded = load_property(command.question);
  const auto evaluators = std::make_shared<const attack::NetworkEvaluators>(loaded.network);
  const verify::PropertyVerdict result =
      verify::attack_property(loaded.network, evaluators, loaded.property, options, {});
  if (command.question.output.json) {
    print_json(JsonLines(question_json(command.question, loaded)), result, loaded.property, "attack", "",
               {{"evaluations", result.evaluations}}, seconds_since(start), nullptr);
  } else {
    print_text(result, seconds_since(start));
  }
  return exit_code(result.verdict.answer);
}

}  // namespace plumb::cli
