// plumb distortion: how near to samples their labels change, as an interval between a proof and a witness.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "assembly/empty_region.h"
#include "assembly/perturbation_spec.h"
#include "base/error.h"
#include "base/parallel.h"
#include "cli/asked_samples.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/engine_options.h"
#include "cli/interrupt.h"
#include "cli/rounded.h"
#include "cli/table.h"
#include "cli/verdict_json.h"
#include "verify/distortion.h"
#include "verify/sample.h"

namespace plumb::cli {
namespace {

struct DistortionCommand {
  std::string network;
  DataOptions data;
  SampleOptions samples;
  std::string norm = "linf", domain = "0,1", perturbation;
  std::vector<std::int64_t> targets;
  verify::DistortionOptions distortion;
  bool minimise = false;
  EngineOptions engine;
  int threads = 0;
  OutputOptions output;
};

struct DistortionLine {
  std::int64_t sample = 0, label = 0;
  verify::Distortion result;
  std::int64_t predicted = 0;  // if there is a witness
  double seconds = 0;
};

// What is the same for all samples.
struct Family {
  property::Norm norm = property::Norm::kLinf;
  std::optional<property::Perturbation> perturbation;
  std::optional<property::Domain> domain;
  std::optional<property::ImageShape> image;

  bool is_empty_around(const std::vector<double>& sample) const {
    if (!perturbation || !std::holds_alternative<property::Directions>(*perturbation)) return false;
    return assembly::is_certainly_empty(property::Region(perturbed(*perturbation, sample, image, domain)));
  }

  property::GrowingRegion around(const std::vector<double>& sample) const {
    if (perturbation) return property::GrowingRegion::of(*perturbation, norm, sample, image, domain);
    std::optional<property::Box> box;
    if (domain) box = domain_box(domain, sample, 0);
    return property::GrowingRegion::balls(norm, sample, std::move(box));
  }
};

Family family_of(const DistortionCommand& command, const network::Network& network, const data::DataSet& data) {
  Family family{parse_norm(command.norm), {}, parse_domain(command.domain), verify::image_of_samples(network, data)};
  if (command.perturbation.empty()) return family;
  std::vector<property::Perturbation> families = assembly::parse_perturbations(command.perturbation);
  if (families.size() > 1) {
    throw UsageError("--perturbation", "a distortion is measured in one family, not in a union", "give one at a time");
  }
  family.perturbation = std::move(families[0]);
  if (const auto* ball = std::get_if<property::NormBall>(&*family.perturbation)) family.norm = ball->norm;
  return family;
}

const char* name_of(property::Norm norm) {
  return norm == property::Norm::kL1 ? "l1" : norm == property::Norm::kL2 ? "l2" : "linf";
}

void print_json(const DistortionLine& line, const Engine& engine, property::Norm norm) {
  const verify::Distortion& result = line.result;
  Json json{{"sample", line.sample},
            {"label", line.label},
            {"norm", name_of(norm)},
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
            {"parameters", nullptr},
            {"outputs", nullptr},
            {"predicted", nullptr},
            {"seconds", line.seconds},
            {"statistics", statistics_json(result.statistics, result.decisions)}};
  if (result.witness) {
    json["witness"] = result.witness->input;
    json["witness_evidence"] = verdict::name_of(result.witness->evidence);
    if (!result.witness->parameters.empty()) json["parameters"] = result.witness->parameters;
    json["outputs"] = result.witness->outputs;
    json["predicted"] = line.predicted;
  }
  fmt::print("{}\n", json.dump());
}

void print_summary_json(const std::vector<DistortionLine>& lines, std::int64_t skipped, double seconds) {
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
  fmt::print("{}\n", Json{{"summary", summary}}.dump());
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

void print_text(const std::vector<DistortionLine>& lines, property::Norm norm) {
  Table table({{"sample"},
               {"label"},
               {fmt::format("{} at least", name_of(norm))},
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

DistortionLine measure(const DistortionCommand& command, const std::shared_ptr<const network::Network>& network,
                       const std::shared_ptr<const attack::NetworkEvaluators>& evaluators, const Family& family,
                       const Engine& engine, const data::DataSet& data, std::int64_t k, const Limits& limits) {
  const auto start = std::chrono::steady_clock::now();
  const std::int64_t label = data.label(k);
  if (family.is_empty_around(verify::network_sample(*network, data, k))) {
    throw DataError("--perturbation",
                    fmt::format("{} around sample {}: there is no distance", assembly::kEmptyRegion, k),
                    "let the parameters' ranges and inequalities have a point in common");
  }
  const verify::DistortionQuestion question{family.around(verify::network_sample(*network, data, k)),
                                            property::adversarial_set(label, command.targets, network->output_size())};
  DistortionLine line{k, label, {}, 0, 0};
  line.result =
      minimum_distortion(network, evaluators, question, engine.narrowing(),
                         command.minimise ? engine.minimise(question.region.norm()) : verdict::MinimiseDistance(),
                         command.distortion, limits);
  if (line.result.witness)
    line.predicted = verify::best_other_label(line.result.witness->outputs, label, command.targets);
  line.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return line;
}

int run_distortion(const DistortionCommand& command) {
  const std::shared_ptr<const network::Network> network = load_network(command.network, command.output);
  const data::DataSet data = read_data(command.data);
  const AskedSamples samples(*network, data, sample_numbers(command.samples, data), command.targets,
                             "a distortion changes labels", command.output);
  const Family family = family_of(command, *network, data);
  if (!family.perturbation || uses_domain(*family.perturbation)) {
    expect_in_domain(*network, data, samples.numbers(), command.domain);
  }
  const bool single = command.samples.sample >= 0;
  const auto evaluators = std::make_shared<const attack::NetworkEvaluators>(network);
  const std::shared_ptr<const bounds::BoundedNetwork>& bounded = evaluators->exactly.bounded_network();
  const int solver_threads = single ? static_cast<int>(worker_count(command.threads)) : 1;
  const Engine engine = make_engine(command.engine, bounded, evaluators, std::nullopt, solver_threads);
  const Interrupt interrupt;
  const Limits limits = limits_of(command.engine, interrupt.flag());
  const auto start = std::chrono::steady_clock::now();
  const auto lines = samples.each<DistortionLine>("measuring", command.threads, [&](std::int64_t k) {
    return measure(command, network, evaluators, family, engine, data, k, limits);
  });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!command.output.json) {
    print_text(lines, family.norm);
  } else {
    for (const DistortionLine& line : lines) print_json(line, engine, family.norm);
    if (!single) print_summary_json(lines, samples.skipped(), seconds);
  }
  if (interrupt.happened()) return 130;
  return single && !lines[0].result.exact ? 2 : 0;
}

}  // namespace

void add_distortion(CommandLine& line) {
  auto options = std::make_shared<DistortionCommand>();
  Command command = line.add_command("distortion", "How little it takes to change a sample's label, exactly");
  add_network_option(command, options->network);
  add_data_options(command, options->data);
  add_sample_options(command, options->samples);
  command.add_option("--norm", options->norm, "linf, l1 or l2: of the change, or of a family's parameters")
      .one_of({"linf", "l1", "l2"})
      .show_default();
  command.add_option("--domain", options->domain, "Values that inputs can have: LO,HI or none")
      .type_name("LO,HI")
      .show_default();
  command
      .add_option("--perturbation", options->perturbation,
                  "Measure the parameters of a family: blur:HxW, brightness:LO,HI, contrast:LO,HI, FILE.json; or "
                  "change a patch:ROW,COL,H,W alone")
      .type_name("SPEC");
  add_target_option(command, options->targets);
  command.add_option("--gap", options->distortion.gap, "Relative width of the interval that counts as exact")
      .positive()
      .show_default()
      .type_name("G");
  command.add_flag("--minimise", options->minimise,
                   "Ask a solver for the nearest point before radii are decided (slower as a rule)");
  add_engine_options(command, options->engine);
  add_threads_option(command, options->threads, kSamplesOrSolver);
  add_output_options(command, options->output);
  command.footer(
      "Exit code with --sample: 0 exact, 2 an interval. With --samples: 0. Interrupted: 130.\n"
      "Example: plumb distortion examples/digits/digits.onnx --data mnist:examples/digits --sample 7 --norm linf");
  command.action([options] { return run_distortion(*options); });
}

}  // namespace plumb::cli
