// A search that looks for no witness must not prove a query that has one. On real networks: samples that the whole
// engine finds violated are asked about again with all attacks off, as they are and with a threshold that the witness
// hardly meets, where bounds come closest to zero. Skipped if the shared folder is absent.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "data/data_set.h"
#include "network/evaluator.h"
#include "onnx/onnx_file.h"
#include "search/decide.h"
#include "solvers/solvers.h"

namespace plumb {
namespace {

struct Question {
  std::string network;
  std::string radius;
  int least_violated = 0;  // among the first samples
};

std::filesystem::path shared_folder() {
  const char* text = std::getenv("PLUMB_SHARED");
  return text != nullptr ? std::filesystem::path(text)
                         : std::filesystem::path(PLUMB_REPOSITORY).parent_path() / "shared";
}

property::Query query_about(const std::shared_ptr<const network::Network>& network, const data::DataSet& data,
                            std::int64_t sample, const std::string& radius) {
  const std::vector<double> point = data.sample(sample, network->inputs()[0].shape);
  const property::Box domain{std::vector<double>(point.size(), 0.0), std::vector<double>(point.size(), 1.0)};
  return {network,
          property::Region(property::Ball{property::Norm::kLinf, point, Rational::parse(radius, "radius"), domain, {}}),
          property::misclassified(data.label(sample), network->output_size())};
}

// Nor with tightened bounds, so that the work goes into trees.
search::DecideOptions without_attacks() {
  search::DecideOptions options;
  options.attack_rounds = options.tighten_steps = 0;
  options.search.attack_steps = -1;
  return options;
}

// The query with all thresholds lowered by the same amount, so that the witness is only just unsafe.
property::Query barely_violated(property::Query query, const std::vector<double>& witness) {
  const network::Evaluator<double> evaluator(query.network);
  network::Evaluator<double>::Workspace workspace;
  std::vector<double> outputs(static_cast<std::size_t>(query.network->output_size()));
  evaluator.evaluate(witness, outputs, workspace);
  double deepest = 0;
  for (const property::Conjunction& conjunction : query.unsafe.conjunctions) {
    const property::OutputInequality& inequality = conjunction.at(0);
    double value = -inequality.bound;
    for (std::size_t k = 0; k < outputs.size(); ++k) value += inequality.outputs[k] * outputs[k];
    deepest = std::min(deepest, value);
  }
  for (property::Conjunction& conjunction : query.unsafe.conjunctions) conjunction.at(0).bound += deepest + 1e-6;
  return query;
}

class KnownViolations : public ::testing::TestWithParam<Question> {};

TEST_P(KnownViolations, AreNotProvenSafeWithoutAnAttack) {
  constexpr std::int64_t kSamples = 50;
  const std::filesystem::path folder = shared_folder();
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << folder << " does not exist (set PLUMB_SHARED)";
  const auto network = std::make_shared<const network::Network>(
      onnx::import_onnx(folder / "networks" / (GetParam().network + ".onnx")).network);
  const data::DataSet data = data::read_data_set("mnist:" + (folder / "data/mnist").string(), {});
  const auto bounded = std::make_shared<const bounds::BoundedNetwork>(network);
  const auto engine = [&](const search::DecideOptions& options) {
    return search::SearchEngine(
        bounded, std::make_shared<const attack::NetworkEvaluators>(network),
        [] { return std::unique_ptr<const program::Solver>(); }, options);
  };
  const search::SearchEngine whole = engine({}), blind = engine(without_attacks());
  int violated = 0;
  std::int64_t bounded_subproblems = 0;
  for (std::int64_t sample = 0; sample < kSamples; ++sample) {
    const property::Query query = query_about(network, data, sample, GetParam().radius);
    const verdict::Verdict found = whole.decide(query, {.work = 1'000'000'000});
    if (found.answer != verdict::Answer::kViolated) continue;
    ++violated;
    for (const property::Query& asked : {query, barely_violated(query, found.witness->input)}) {
      const verdict::Verdict verdict = blind.decide(asked, {.work = 5'000'000'000});
      EXPECT_NE(verdict.answer, verdict::Answer::kHolds) << "sample " << sample << ": " << verdict.reason;
      bounded_subproblems += verdict.statistics.nodes;
    }
  }
  EXPECT_GE(violated, GetParam().least_violated);
  EXPECT_GT(bounded_subproblems, 10 * violated) << "trees are too small to show anything";
  RecordProperty("violated", violated);
  RecordProperty("subproblems", std::to_string(bounded_subproblems));
}

INSTANTIATE_TEST_SUITE_P(
    OnRealNetworks, KnownViolations,
    ::testing::Values(Question{"mnist_rsl18a", "0.1", 3}, Question{"mnist_adv_mlp_b_eps0.1", "0.1", 3},
                      // Deep: bounds of units by trees decide much here.
                      Question{"mnist_nor_mlp_b", "0.05", 3}, Question{"mnist_mlp_9_100_nor", "0.02", 3}),
    [](const auto& instance) { return instance.param.network.substr(0, instance.param.network.find('.')); });

}  // namespace
}  // namespace plumb
