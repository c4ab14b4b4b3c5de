#include "search/targets.h"

#include <limits>

namespace plumb {
namespace {

RowBlock& block_of(Functionals& functionals, const RegionBounds& bounds, NodeId id) {
  const Image& image = bounds.network.image(id);
  return functionals.rows.try_emplace(id, RowBlock(image, whole(image), functionals.count)).first->second;
}

}  // namespace

Functionals unsafe_functionals(const RegionBounds& bounds, const UnsafeSet& unsafe) {
  const Network& network = bounds.network.network();
  Functionals result;
  for (const Conjunction& conjunction : unsafe.conjunctions) {
    result.count += static_cast<std::int64_t>(conjunction.size());
  }
  std::int64_t row = 0;
  for (const Conjunction& conjunction : unsafe.conjunctions) {
    for (const OutputInequality& inequality : conjunction) {
      result.constants.push_back(-inequality.bound);
      result.errors.push_back(0);
      const double* from = inequality.outputs.data();
      for (const NetworkOutput& output : network.outputs()) {
        double* to = block_of(result, bounds, output.node).row(row);
        for (std::int64_t i = 0; i < network.size(output.node); ++i) to[i] += *from++;
      }
      for (NodeId id = 0; id < network.nodes().size() && !inequality.inputs.empty(); ++id) {
        const auto* input = std::get_if<Input>(&network.node(id).op);
        if (input == nullptr) continue;
        const double* coefficients = inequality.inputs.data() + network.input_offset(input->index);
        double* to = block_of(result, bounds, id).row(row);
        for (std::int64_t i = 0; i < network.size(id); ++i) to[i] += coefficients[i];
      }
      ++row;
    }
  }
  return result;
}

std::vector<Target> targets_of(const UnsafeSet& unsafe, std::span<const double> lower) {
  std::vector<Target> targets;
  std::int64_t row = 0;
  for (std::size_t c = 0; c < unsafe.conjunctions.size(); ++c) {
    Target target{c, row, row, row, -std::numeric_limits<double>::infinity(), false};
    for (const OutputInequality& inequality : unsafe.conjunctions[c]) {
      const double bound = lower[static_cast<std::size_t>(row)];
      if (bound > target.bound) {
        target.bound = bound;
        target.best = row;
      }
      if (bound > 0 || (inequality.strict && bound >= 0)) target.refuted = true;
      target.last = ++row;
    }
    targets.push_back(target);
  }
  return targets;
}

}  // namespace plumb
