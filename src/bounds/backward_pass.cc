#include "bounds/backward_pass.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "bounds/row_kernels.h"

namespace plumb::bounds {

BackwardPass::BackwardPass(const RegionBounds& bounds, Functionals functionals, const UndecidedElements* kept,
                           RowRelaxation* relaxation, PassEnd end)
    : bounds_(bounds),
      network_(bounds.network->network()),
      rows_(functionals.count),
      constants_(std::move(functionals.constants)),
      errors_(std::move(functionals.errors)),
      pending_(std::move(functionals.rows)),
      kept_(kept),
      relaxation_(relaxation),
      end_(end) {
  constants_.resize(index(rows_), 0.0);
  errors_.resize(index(rows_), 0.0);
  if (kept_ != nullptr) variables_.assign(index(rows_ * kept_->count), 0.0);
  descend();
}

SubstitutedRows BackwardPass::rows() && {
  return {std::move(at_inputs_), std::move(variables_), std::move(constants_), std::move(errors_)};
}

BoundedRows BackwardPass::bounded_rows() && {
  std::vector<double> least = lower_bounds();
  return {std::move(least), std::move(at_inputs_)};
}

Functionals BackwardPass::functionals() && {
  pending_.merge(at_inputs_);
  return {rows_, std::move(pending_), std::move(constants_), std::move(errors_)};
}

// A limit that was reached once stays reached, so that no loop is left half done and taken for a whole one.
bool BackwardPass::is_abandoned() {
  abandoned_ = abandoned_ || limit_reached(end_.budget);
  return abandoned_;
}

void BackwardPass::add_constant(std::int64_t row, double value) {
  double& constant = constants_[index(row)];
  constant += value;
  charge(row, loose_product_up(kUnitRoundoff, std::abs(constant)));
}
void BackwardPass::charge(std::int64_t row, double error) {
  if (kErrorTerms) errors_[index(row)] = loose_sum_up(errors_[index(row)], error);
}

double BackwardPass::dot_abs_up(const RowBlock& block, std::int64_t row, const InWindow& weight) {
  const double sum = tensor::dot_abs(block.row(row), weight.data(), block.row_size());
  const std::int64_t terms = block.row_size() + 2;
  return loose_sum_up(loose_product_up(sum, 1 + 2 * gamma(terms)),
                      loose_product_up(static_cast<double>(terms), kSmallestSubnormal));
}

void BackwardPass::charge_affine_error(network::NodeId id, const RowBlock& block) {
  if (!kErrorTerms || bounds_.error_weight[id].empty()) return;
  const InWindow weight(block, bounds_.error_weight[id]);
  for (std::int64_t r = 0; r < rows_; ++r) {
    charge(r, loose_sum_up(dot_abs_up(block, r, weight), bounds_.underflow[id]));
  }
}

void BackwardPass::pass(network::NodeId argument, RowBlock block) {
  block = reshaped(std::move(block), bounds_.network->image(argument));
  const auto found = pending_.find(argument);
  if (found == pending_.end()) {
    pending_.emplace(argument, std::move(block));
    return;
  }
  const Window window = joined(found->second.window, block.window);
  RowBlock sum = widened(found->second, window);
  const RowBlock other = widened(block, window);
  for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += other.values[i];
  const InWindow magnitude(sum, bounds_.magnitude[argument]);
  for (std::int64_t r = 0; r < rows_; ++r) charge(r, loose_product_up(gamma(1), dot_abs_up(sum, r, magnitude)));
  found->second = std::move(sum);
}

std::vector<double> BackwardPass::lower_bounds() const {
  const auto* box = bounds_.parts.size() == 1 ? std::get_if<property::Box>(&bounds_.parts[0]) : nullptr;
  std::vector<double> least = box != nullptr ? minima_over_box() : std::vector<double>();
  for (std::int64_t r = 0; r < rows_ && box == nullptr; ++r) least.push_back(minimum_over_parts(r));
  return with_constants(std::move(least));
}

std::vector<double> BackwardPass::lower_bounds_by_values() const { return with_constants(minima_over_box()); }

std::vector<double> BackwardPass::with_constants(std::vector<double> least) const {
  for (std::int64_t r = 0; r < rows_; ++r) {
    double& bound = least[index(r)];
    const double value = bound + constants_[index(r)] - errors_[index(r)];
    // The region is empty, or numbers are too large for a double: there is no finite bound.
    if (!std::isfinite(value))
      bound = -kInfinity;
    else
      bound = round_down(round_down(bound + constants_[index(r)]) - errors_[index(r)]);
  }
  return least;
}

// The same as minimum(box, row), restricted to the rows' windows. The bounds of the nodes are the box.
std::vector<double> BackwardPass::minima_over_box() const {
  std::vector<double> sums(index(rows_), 0.0), magnitudes(index(rows_), 0.0);
  std::int64_t terms = 2;
  for (const auto& [id, block] : at_inputs_) {
    const InWindow lower(block, bounds_.store.lower(id)), upper(block, bounds_.store.upper(id));
    terms += block.row_size();
    for (std::int64_t r = 0; r < rows_; ++r) {
      minimise_row(block.row(r), lower.data(), upper.data(), block.row_size(), sums[index(r)], magnitudes[index(r)]);
    }
  }
  const double rounding = loose_product_up(gamma(terms), 1 + 2 * gamma(terms));
  const double underflow = loose_product_up(static_cast<double>(terms), kSmallestSubnormal);
  for (std::int64_t r = 0; r < rows_; ++r) {
    const double error = loose_sum_up(loose_product_up(rounding, magnitudes[index(r)]), underflow);
    sums[index(r)] = round_down(sums[index(r)] - error);
  }
  return sums;
}

double BackwardPass::minimum_over_parts(std::int64_t r) const {
  std::vector<double> functional(index(network_.input_size()), 0.0);
  for (const auto& [id, block] : at_inputs_) {
    const auto offset = network_.input_offset(std::get<network::Input>(network_.node(id).op).index);
    const double* values = block.row(r);
    block.for_each_run([&](std::int64_t in_row, std::int64_t in_value, std::int64_t length) {
      std::copy(values + in_row, values + in_row + length, functional.begin() + offset + in_value);
    });
  }
  double least = minimum(bounds_.parts[0], functional);
  for (const property::SimpleRegion& part : bounds_.parts) least = std::min(least, minimum(part, functional));
  return least;
}

}  // namespace plumb::bounds
