#include "bounds/unsafe_functionals.h"

#include <algorithm>

#include "base/numbers.h"
#include "base/rounding.h"
#include "network/op_kind.h"

namespace plumb::bounds {
namespace {

class Rows {
 public:
  Rows(const RegionBounds& bounds, UnsafeFunctionals& result) : bounds_(bounds), result_(result) {}

  void add(std::int64_t row, network::NodeId id, std::span<const double> coefficients) {
    if (std::ranges::all_of(coefficients, [](double c) { return c == 0; })) return;
    const Image& image = bounds_.network->image(id);
    Functionals& rows = result_.rows;
    RowBlock& block = rows.rows.try_emplace(id, RowBlock(image, whole(image), rows.count)).first->second;
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
      double& entry = block.row(row)[i];
      const double low = sum_down(entry, coefficients[i]), high = sum_up(entry, coefficients[i]);
      entry = low;
      // If two outputs are the same node, their coefficients are added, and the sum may be rounded.
      if (low == high) continue;
      const double most = std::max(std::abs(bounds_.store.lower(id)[i]), std::abs(bounds_.store.upper(id)[i]));
      double& error = rows.errors[index(row)];
      error = sum_up(error, product_up(sum_up(high, -low), most));
    }
  }

 private:
  const RegionBounds& bounds_;
  UnsafeFunctionals& result_;
};

}  // namespace

UnsafeFunctionals unsafe_functionals(const RegionBounds& bounds, const property::UnsafeSet& unsafe) {
  const network::Network& network = bounds.network->network();
  UnsafeFunctionals result;
  result.first.push_back(0);
  for (const property::Conjunction& conjunction : unsafe.conjunctions) {
    for (const property::OutputInequality& inequality : conjunction) {
      result.rows.constants.push_back(-inequality.bound);
      result.strict.push_back(inequality.strict);
    }
    result.first.push_back(result.rows.constants.size());
  }
  result.rows.count = static_cast<std::int64_t>(result.rows.constants.size());
  result.rows.errors.assign(result.rows.constants.size(), 0.0);
  Rows rows(bounds, result);
  std::int64_t row = 0;
  for (const property::Conjunction& conjunction : unsafe.conjunctions) {
    for (const property::OutputInequality& inequality : conjunction) {
      std::span<const double> outputs = inequality.outputs, inputs = inequality.inputs;
      for (const network::NetworkOutput& output : network.outputs()) {
        rows.add(row, output.node, outputs.first(index(network.size(output.node))));
        outputs = outputs.subspan(index(network.size(output.node)));
      }
      for (network::NodeId id = 0; id < network.nodes().size() && !inputs.empty(); ++id) {
        const network::Input* input = as_input(network.node(id).op);
        if (input == nullptr) continue;
        rows.add(row, id, inputs.subspan(index(network.input_offset(input->index)), index(network.size(id))));
      }
      ++row;
    }
  }
  return result;
}

Functionals negated(Functionals functionals) {
  for (auto& [id, block] : functionals.rows) {
    for (double& value : block.values) value = -value;
  }
  for (double& constant : functionals.constants) constant = -constant;
  return functionals;
}

double missed_by(const UnsafeFunctionals& unsafe, std::span<const double> lower, std::size_t conjunction) {
  double most = -kInfinity;
  for (std::size_t row = unsafe.first[conjunction]; row < unsafe.first[conjunction + 1]; ++row) {
    most = std::max(most, lower[row]);
  }
  return most;
}

bool is_refuted(const UnsafeFunctionals& unsafe, std::span<const double> lower, std::size_t conjunction) {
  for (std::size_t row = unsafe.first[conjunction]; row < unsafe.first[conjunction + 1]; ++row) {
    if (lower[row] > 0 || (unsafe.strict[row] && lower[row] >= 0)) return true;
  }
  return false;
}

}  // namespace plumb::bounds
