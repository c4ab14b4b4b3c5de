#include "verify/vnncomp_result.h"

#include <fmt/format.h>

#include "base/error.h"
#include "network/output_activation.h"

namespace plumb::verify {
namespace {

std::string first_line(const PropertyVerdict& result) {
  switch (result.verdict.answer) {
    case verdict::Answer::kHolds:
      return "unsat";
    case verdict::Answer::kViolated:
      return "sat";
    case verdict::Answer::kUnknown:
      return result.limit == LimitReached::kTime ? "timeout" : "unknown";
  }
  throw InternalError("results file", "invalid Answer value");
}

std::string flat(const verdict::Witness& witness) {
  std::string text;
  const auto add = [&](char letter, const std::vector<double>& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      text += fmt::format("{}({}_{} {})", text.empty() ? "(" : "\n ", letter, i, numbers[i]);
    }
  };
  add('X', witness.input);
  add('Y', witness.outputs);
  return text + ")\n";
}

std::string by_tensor(const vnnlib::Script& script, const verdict::Witness& witness) {
  std::string text;
  const auto add = [&](const vnnlib::Tensor& tensor, bool input) {
    text += fmt::format("{} {} [{}]\n", tensor.name, tensor.type, fmt::join(tensor.shape, ","));
    for (std::int64_t i = tensor.first; i < tensor.first + tensor::element_count(tensor.shape); ++i) {
      const bool moved = input && !script.input_places.empty();
      const std::int64_t at = moved ? script.input_places[static_cast<std::size_t>(i)] : i;
      text += fmt::format("{}\n", (input ? witness.input : witness.outputs)[static_cast<std::size_t>(at)]);
    }
  };
  for (const vnnlib::DeclaredNetwork& network : script.networks) {
    for (const vnnlib::Tensor& tensor : network.inputs) add(tensor, true);
    for (const vnnlib::Tensor& tensor : network.hidden) add(tensor, false);
    for (const vnnlib::Tensor& tensor : network.outputs) add(tensor, false);
  }
  return text;
}

}  // namespace

std::string vnncomp_result(const vnnlib::Script& script, const network::Network& network,
                           const PropertyVerdict& result) {
  std::string text = first_line(result) + "\n";
  if (result.verdict.witness) {
    verdict::Witness witness = *result.verdict.witness;
    witness.outputs = with_dropped_activations(network, std::move(witness.outputs));
    text += script.version == 1 ? flat(witness) : by_tensor(script, witness);
  }
  return text;
}

}  // namespace plumb::verify
