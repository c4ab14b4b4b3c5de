// plumb verify: whether a label can be changed around samples: holds, violated with a witness, or unknown. Properties
// from files are handled by verify_property.h.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "assembly/empty_region.h"
#include "base/error.h"
#include "cli/certificate_option.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/engine_arguments.h"
#include "cli/question_json.h"
#include "cli/rounded.h"
#include "cli/sample_questions.h"
#include "cli/table.h"
#include "cli/usage_error.h"
#include "cli/verdict_json.h"
#include "cli/verify_property.h"
#include "verify/robustness.h"

namespace plumb::cli {
namespace {

struct VerifyCommand {
  QuestionArguments question;
  RegionFile property;  // instead of data
  std::string result_file, certificate;
  RegionArguments region;
  EngineArguments engine;
};

struct VerifyLine {
  std::int64_t sample = 0, label = 0;
  verify::SampleVerdict result;
};

struct VerifyCounts {
  std::int64_t samples = 0, misclassified = 0, robust = 0, vulnerable = 0, unknown = 0, by_solver = 0;
  std::int64_t vulnerable_misclassified = 0;

  double error_lower() const { return static_cast<double>(vulnerable) / static_cast<double>(samples); }
  double error_upper() const { return static_cast<double>(vulnerable + unknown) / static_cast<double>(samples); }
};

VerifyCounts counts_of(const std::vector<VerifyLine>& lines) {
  VerifyCounts counts;
  for (const VerifyLine& line : lines) {
    const verdict::Verdict& verdict = line.result.verdict;
    ++counts.samples;
    counts.misclassified += line.result.misclassified;
    counts.robust += verdict.answer == verdict::Answer::kHolds;
    counts.vulnerable += verdict.answer == verdict::Answer::kViolated;
    counts.vulnerable_misclassified += verdict.answer == verdict::Answer::kViolated && line.result.misclassified;
    counts.unknown += verdict.answer == verdict::Answer::kUnknown;
    counts.by_solver += verdict.answer == verdict::Answer::kHolds && verdict.evidence == verdict::Evidence::kSolver;
  }
  return counts;
}

void print_json(const JsonLines& lines, const VerifyLine& line, const assembly::Engine& engine,
                const CertificateToWrite& certificate) {
  const verify::SampleVerdict& result = line.result;
  Json json = sample_json({line.sample, line.label, result.verdict, result.predicted, result.distance, result.seconds,
                           engine.name, engine.solver});
  certificate.add_to(json);
  lines.print(json);
}

void print_summary_json(const JsonLines& out, const VerifyCounts& counts, std::int64_t skipped, double seconds) {
  const Json summary{{"samples", counts.samples},
                     {"skipped", skipped},
                     {"misclassified", counts.misclassified},
                     {"robust", counts.robust},
                     {"vulnerable", counts.vulnerable},
                     {"unknown", counts.unknown},
                     {"by_solver", counts.by_solver},
                     {"error_lower", counts.error_lower()},
                     {"error_upper", counts.error_upper()},
                     {"seconds", seconds}};
  out.print({{"summary", summary}});
}

// Samples are decided at the same time, so the audits' seconds are a part of the samples', not of the elapsed ones.
void print_audit(const std::vector<VerifyLine>& lines) {
  verdict::AuditStatistics total;
  double seconds = 0;
  bool audited = false;
  for (const VerifyLine& line : lines) {
    seconds += line.result.seconds;
    const auto& audit = line.result.verdict.statistics.audit;
    if (!audit) continue;
    audited = true;
    total += *audit;
  }
  if (audited) fmt::print("{}\n", audit_text(total, seconds));
}

std::string adversarial_error_text(const VerifyCounts& counts) {
  if (counts.unknown == 0) return fmt::format("{:.2f} %, exact", 100 * counts.error_lower());
  return fmt::format("between {:.2f} % and {:.2f} %", 100 * counts.error_lower(), 100 * counts.error_upper());
}

std::string explanation(const VerifyLine& line) {
  const verdict::Verdict& verdict = line.result.verdict;
  switch (verdict.answer) {
    case verdict::Answer::kHolds:
      return fmt::format("{} ({})", verdict.reason, evidence_text(verdict));
    case verdict::Answer::kViolated: {
      const std::string evidence = evidence_text(verdict);
      return fmt::format("{}: becomes {} at distance {}{}", verdict.reason, line.result.predicted,
                         upper_text(line.result.distance, 6), evidence.empty() ? "" : ", " + evidence);
    }
    case verdict::Answer::kUnknown:
      return verdict.reason;
  }
  throw InternalError("verify", "invalid Answer value");
}

void print_text(const std::vector<VerifyLine>& lines, double seconds) {
  Table table({{"sample"}, {"label"}, {"verdict", Align::kLeft}, {"by", Align::kLeft}, {"seconds"}});
  for (const VerifyLine& line : lines) {
    table.add_row({std::to_string(line.sample), std::to_string(line.label), name_of(line.result.verdict.answer),
                   explanation(line), fmt::format("{:.3f}", line.result.seconds)});
  }
  fmt::print("{}\n", table.text(kScreenWidth));
  print_audit(lines);
  const VerifyCounts counts = counts_of(lines);
  if (lines.size() == 1) return;
  fmt::print(
      "{} of {} samples robust ({} by a solver's claim), {} vulnerable ({} misclassified), {} unknown\n"
      "adversarial error {}; {:.2f} s elapsed\n",
      grouped(counts.robust), grouped(counts.samples), grouped(counts.by_solver), grouped(counts.vulnerable),
      grouped(counts.vulnerable_misclassified), grouped(counts.unknown), adversarial_error_text(counts), seconds);
}

// Checks that the command is either about a property or about data.
void check_question(const VerifyCommand& command) {
  const QuestionArguments& question = command.question;
  if (is_about_file(command.property, question, &command.region, "verify", kProperty)) return;
  if (!command.result_file.empty()) throw UsageError("--result", "needs a property", "give PROPERTY, or leave it out");
  expect_region(command.region);
  if (!command.certificate.empty() && question.samples.sample < 0) {
    throw UsageError("--certificate", "needs --sample, because each sample has its own certificate",
                     "give one sample, or use plumb accuracy --certificates");
  }
  if (!command.engine.write_model.empty() && question.samples.sample < 0) {
    throw UsageError("--write-model", "needs --sample, because each sample has its own model", "example: --sample 7");
  }
}

int verify_samples(const VerifyCommand& command) {
  const SampleQuestions questions(command.question, "robustness needs labels, and this data set has none");
  const std::shared_ptr<const network::Network> network = searched(questions.network(), !command.certificate.empty());
  const auto neighbourhood = questions.neighbourhood(neighbourhood_options(command.region));
  const auto evaluators = std::make_shared<const attack::NetworkEvaluators>(network);
  const EngineAtWork work(engine_options(command.engine, questions.threads_per_query()), evaluators,
                          neighbourhood.whole_domain());
  CertificateToWrite certificate(command.certificate, command.question.network, network, work.engine);
  const verdict::Decide decide =
      assembly::aware_of_emptiness(certificate.decide(), command.engine.audit || certificate.is_wanted());
  const auto answers = questions.each<VerifyLine>("verifying", [&](std::int64_t k) -> VerifyLine {
    std::vector<double> sample = questions.sample(k);
    const property::Region region = neighbourhood.around(sample);
    const verify::RobustnessQuestion question{std::move(sample), questions.label(k), command.question.targets, region,
                                              neighbourhood.metric()};
    return {k, questions.label(k), verify_sample(network, evaluators, question, decide, work.limits)};
  });
  const auto& [lines, seconds] = answers;
  if (certificate.is_wanted()) certificate.write(lines[0].result.verdict);
  if (!command.question.output.json) {
    print_text(lines, seconds);
  } else {
    const JsonLines out(question_json(command.question, questions, command.region));
    for (const VerifyLine& line : lines) print_json(out, line, work.engine, certificate);
    if (!questions.is_single()) print_summary_json(out, counts_of(lines), questions.skipped(), seconds);
  }
  certificate.rethrow();
  if (work.interrupt.happened()) return 130;
  return questions.is_single() ? exit_code(lines[0].result.verdict.answer) : 0;
}

int run_verify(const VerifyCommand& command) {
  check_question(command);
  if (!command.property.is_given()) return verify_samples(command);
  return verify_property_file({file_question(command.question, command.property), command.engine,
                               command.question.threads, command.result_file, command.certificate});
}

}  // namespace

void add_verify(CommandLine& line) {
  auto options = std::make_shared<VerifyCommand>();
  Command command = line.add_command(
      "verify", "Decide whether labels can be changed around samples, or whether a VNN-LIB property holds");
  add_network_option(command, options->question.network);
  add_region_file(command, options->property, kProperty,
                  "VNN-LIB file, version 1.0 or 2.0, plain or .gz, instead of --data and --eps");
  command.add_option("--result", options->result_file, "Write the answer to FILE in the format of VNN-COMP")
      .type_name("FILE");
  add_data_options(command, options->question.data);
  command.option("--data").required(false);
  add_sample_options(command, options->question.samples);
  add_region_options(command, options->region);
  command.option("--eps").required(false);
  add_target_option(command, options->question.targets);
  add_engine_options(command, options->engine);
  command.add_flag(
      "--audit", options->engine.audit,
      "Prove what an answer of the bab engine rests on again, by the checker of certificates; its time does not count "
      "against --timeout");
  command
      .add_option("--certificate", options->certificate,
                  "Write to FILE what the independent program plumb-check needs to prove the answer again; for the "
                  "engine bab, and for one sample or a property of one network")
      .type_name("FILE");
  add_threads_option(command, options->question.threads, kSamplesOrSolver);
  add_output_options(command, options->question.output);
  command.footer(
      "Exit code with --sample or PROPERTY: 0 holds, 1 violated, 2 unknown. With --samples: 0. Interrupted: 130.\n"
      "Example: plumb verify examples/digits/digits.onnx --data mnist:examples/digits --sample 7 --eps 0.06\n"
      "Example: plumb verify network.onnx property.vnnlib --timeout 60");
  command.action([options] { return run_verify(*options); });
}

}  // namespace plumb::cli
