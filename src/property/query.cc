#include "property/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace plumb::property {
namespace {

void expect_numbers(const char* what, std::span<const double> numbers, std::int64_t size) {
  if (static_cast<std::int64_t>(numbers.size()) != size) {
    throw DataError(
        "", fmt::format("{} of an inequality has {} numbers, but the network has {}", what, numbers.size(), size));
  }
  if (!std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); })) {
    throw DataError("", fmt::format("{} of an inequality has a number that is not finite", what));
  }
}

std::int64_t nonzeros(std::span<const double> numbers) {
  return static_cast<std::int64_t>(numbers.size()) - std::count(numbers.begin(), numbers.end(), 0.0);
}

// Whether the inequality says c y_a - c y_b <= 0 (or < 0) and both outputs are in `part`.
bool compares_two(const OutputInequality& inequality, std::span<const double> part) {
  if (inequality.bound != 0 || nonzeros(inequality.inputs) != 0) return false;
  if (nonzeros(part) != 2 || nonzeros(inequality.outputs) != 2) return false;
  double sum = 0;
  for (const double c : part) sum += c;
  return sum == 0;
}

void expect_only_order(const network::Network& network, const OutputInequality& inequality) {
  std::size_t offset = 0;
  for (const network::NetworkOutput& output : network.outputs()) {
    const auto size = static_cast<std::size_t>(network.size(output.node));
    const auto part = std::span(inequality.outputs).subspan(offset, size);
    offset += size;
    if (!output.dropped_activation || nonzeros(part) == 0 || compares_two(inequality, part)) continue;
    throw DataError(
        output.name,
        fmt::format("the query is about values of this output, which ends with {}", *output.dropped_activation),
        "ask which of its elements is larger, or export the network without that last operation");
  }
}

// Adds "0 <= 1", which every point satisfies, to conjunctions without inequalities. Such a conjunction asks whether the
// region is empty. With an inequality to refute, engines need no special case for it.
void give_every_conjunction_an_inequality(UnsafeSet& unsafe, std::int64_t output_count) {
  for (Conjunction& conjunction : unsafe.conjunctions) {
    if (!conjunction.empty()) continue;
    conjunction.push_back({std::vector<double>(static_cast<std::size_t>(output_count), 0.0), {}, 1, false});
  }
}

}  // namespace

Query::Query(std::shared_ptr<const network::Network> asked, Region where, UnsafeSet what)
    : network(std::move(asked)), region(std::move(where)), unsafe(std::move(what)) {
  if (static_cast<std::int64_t>(region.size()) != network->input_size()) {
    throw DataError(
        "", fmt::format("the region has {} inputs, but the network has {}", region.size(), network->input_size()));
  }
  give_every_conjunction_an_inequality(unsafe, network->output_size());
  for (const Conjunction& conjunction : unsafe.conjunctions) {
    for (const OutputInequality& inequality : conjunction) {
      expect_numbers("the output part", inequality.outputs, network->output_size());
      if (!inequality.inputs.empty()) expect_numbers("the input part", inequality.inputs, network->input_size());
      expect_numbers("the bound", std::span(&inequality.bound, 1), 1);
      expect_only_order(*network, inequality);
    }
  }
}

}  // namespace plumb::property
