// Writes a store with results of every kind, as many as a large run has, without solving anything:
//
//     make_store FILE.db SAMPLES
//
// The network and the data that the store names do not exist.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "accuracy/run_notes.h"
#include "store/store.h"

namespace {

using plumb::store::StoredResult;
using plumb::verdict::Answer;
using plumb::verdict::Evidence;

constexpr std::int64_t kSide = 28;

// Numbers in [0, 1), the same sequence on every machine.
class Chance {
 public:
  double next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_ = 1;
};

plumb::verdict::Witness a_witness(Chance& chance) {
  plumb::verdict::Witness witness;
  for (std::int64_t k = 0; k < kSide * kSide; ++k) witness.input.push_back(chance.next());
  for (int k = 0; k < 10; ++k) witness.outputs.push_back(20 * chance.next() - 10);
  witness.slack = 1e-6 + chance.next();
  witness.representable = true;
  return witness;
}

void decide(plumb::store::StoredResult& result, Chance& chance) {
  plumb::verdict::Verdict& verdict = result.verdict;
  const double kind = chance.next();
  result.pgd = false;
  if (kind < 0.06) {
    result.misclassified = kind < 0.02;
    verdict.answer = plumb::verdict::Answer::kViolated;
    verdict.reason = result.misclassified ? "misclassified" : kind < 0.05 ? "attack" : "branch and bound";
    verdict.witness = a_witness(chance);
    result.predicted = (result.label + 1) % 10;
    result.distance = result.misclassified ? 0 : 0.1;
    result.pgd = kind < 0.058;
  } else if (kind < 0.08) {
    verdict.reason = "time limit";
    verdict.margin_lower = -chance.next();
    result.timeout = 10;
  } else {
    verdict.answer = plumb::verdict::Answer::kHolds;
    verdict.reason = kind < 0.85 ? "linear bounds" : "branch and bound";
    verdict.evidence = kind > 0.99 ? plumb::verdict::Evidence::kSolver : plumb::verdict::Evidence::kRigorous;
    verdict.margin_lower = chance.next();
  }
  if (result.misclassified) return;
  result.seconds = std::pow(10, 4 * chance.next() - 3);
  verdict.statistics.nodes =
      verdict.reason == "branch and bound" ? static_cast<std::int64_t>(std::exp(10 * chance.next())) : 0;
  const auto unstable = static_cast<std::int64_t>(200 * chance.next());
  verdict.statistics.layers = {
      {.name = "relu1", .active = 300, .inactive = 500 - unstable, .unstable = unstable},
      {.name = "relu2", .active = 50, .inactive = 40, .unstable = 10},
  };
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "make_store FILE.db SAMPLES\n";
    return 64;
  }
  const std::int64_t samples = std::atoll(argv[2]);
  const auto store = plumb::store::open_store(argv[1], {{"network", "0", "absent.onnx (hash 0)", ""},
                                                        {"data", "0", "mnist:absent (hash 0)", ""},
                                                        {"eps", "0.1", "0.1", "epsilon"},
                                                        {"norm", "linf", "linf", "norm"},
                                                        {"domain", "0,1", "0,1", "domain"},
                                                        {"target", "any other label", "any other label", ""}});
  nlohmann::ordered_json options{{"engine", "bab"}, {"solver", ""}, {"timeout", 10}};
  plumb::accuracy::add_notes(options, {plumb::property::ImageShape{1, kSide, kSide, false}, "", "chw", {{0, samples}}});
  store->start_run({"0", "absent.onnx", "mnist:absent", options.dump()});
  const auto transaction = store->begin();
  Chance chance;
  for (std::int64_t sample = 0; sample < samples; ++sample) {
    plumb::store::StoredResult result;
    result.sample = sample;
    result.label = sample % 10;
    result.epsilon = "0.1";
    result.query = "query " + std::to_string(sample);
    result.engine = "bab";
    decide(result, chance);
    transaction->claim(sample);
    transaction->record(result);
    transaction->release(sample);
  }
  transaction->commit();
  store->end_run();
  return 0;
}
