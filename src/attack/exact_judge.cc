#include "attack/exact_judge.h"

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "base/numbers.h"
#include "bounds/bounds.h"
#include "bounds/unsafe_functionals.h"

namespace plumb::attack {
namespace {

// The most multiplications in an exact evaluation. They take about a tenth of a second.
constexpr std::int64_t kMostWork = 1'000'000;

std::vector<double> upper_bounds(bounds::RegionBounds& bounds, const bounds::UnsafeFunctionals& unsafe,
                                 const Budget* budget) {
  std::vector<double> upper = lower_bounds(bounds, negated(unsafe.rows), budget);
  std::ranges::transform(upper, upper.begin(), std::negate<>());
  return upper;
}

// Whether upper bounds of its functionals prove that every inequality of the conjunction is satisfied.
bool is_satisfied(const bounds::UnsafeFunctionals& unsafe, std::span<const double> upper, std::size_t conjunction) {
  for (std::size_t row = unsafe.first[conjunction]; row < unsafe.first[conjunction + 1]; ++row) {
    if (!(upper[row] < 0 || (!unsafe.strict[row] && upper[row] <= 0))) return false;
  }
  return true;
}

std::vector<network::Dyadic> coordinates(const property::SimpleRegion& point) {
  std::vector<network::Dyadic> result;
  if (const auto* box = std::get_if<property::Box>(&point)) {
    for (const double x : box->lower) result.emplace_back(x);
    return result;
  }
  const auto& image = std::get<property::AffineImage>(point);
  const std::vector<double>& z = image.parameters.lower;
  for (std::size_t i = 0; i < image.offset.size(); ++i) {
    network::Dyadic x(image.offset[i]);
    for (std::size_t p = 0; p < z.size(); ++p) x.add_product(image.generator[i * z.size() + p], network::Dyadic(z[p]));
    result.push_back(std::move(x));
  }
  return result;
}

bool is_satisfied(const property::OutputInequality& inequality, std::span<const network::Dyadic> inputs,
                  std::span<const network::Dyadic> outputs) {
  network::Dyadic excess(-inequality.bound);
  for (std::size_t i = 0; i < outputs.size(); ++i) excess.add_product(inequality.outputs[i], outputs[i]);
  for (std::size_t i = 0; i < inequality.inputs.size(); ++i) excess.add_product(inequality.inputs[i], inputs[i]);
  return inequality.strict ? excess.sign() < 0 : excess.sign() <= 0;
}

}  // namespace

ExactJudge::ExactJudge(std::shared_ptr<const network::Network> network)
    : bounded_(std::make_shared<const bounds::BoundedNetwork>(network)), exact_(as_stored(std::move(network))) {}

ExactAnswer ExactJudge::judge(const property::SimpleRegion& point, const property::UnsafeSet& unsafe,
                              const Budget* budget) const {
  const ExactAnswer by_bounds = judge_by_bounds(point, unsafe, budget);
  if (by_bounds != ExactAnswer::kUndecided) return by_bounds;
  if (!exact_.is_possible() || exact_.multiplications() > kMostWork) return ExactAnswer::kUndecided;
  return judge_exactly(point, unsafe);
}

ExactAnswer ExactJudge::judge_by_bounds(const property::SimpleRegion& point, const property::UnsafeSet& unsafe,
                                        const Budget* budget) const {
  bounds::RegionBounds bounds(bounded_, property::Region(point));
  try {
    compute_bounds(bounds, {bounds::BoundMethod::kInterval});
  } catch (const OverflowError&) {
    return ExactAnswer::kUndecided;
  }
  const bounds::UnsafeFunctionals rows = unsafe_functionals(bounds, unsafe);
  const std::vector<double> upper = upper_bounds(bounds, rows, budget);
  for (std::size_t c = 0; c < rows.conjunctions(); ++c) {
    if (is_satisfied(rows, upper, c)) return ExactAnswer::kUnsafe;
  }
  const std::vector<double> lower = lower_bounds(bounds, rows.rows, budget);
  for (std::size_t c = 0; c < rows.conjunctions(); ++c) {
    if (!is_refuted(rows, lower, c)) return ExactAnswer::kUndecided;
  }
  return ExactAnswer::kSafe;
}

double ExactJudge::margin_at_most(const property::SimpleRegion& region, const property::UnsafeSet& unsafe) const {
  bounds::RegionBounds bounds(bounded_, property::Region(region));
  try {
    compute_bounds(bounds, {});
  } catch (const OverflowError&) {
    return kInfinity;
  }
  const bounds::UnsafeFunctionals rows = unsafe_functionals(bounds, unsafe);
  const std::vector<double> upper = upper_bounds(bounds, rows, nullptr);
  double least = kInfinity;
  for (std::size_t c = 0; c < rows.conjunctions(); ++c) {
    const auto conjunction = std::span(upper).subspan(rows.first[c], rows.first[c + 1] - rows.first[c]);
    least = std::min(least, conjunction.empty() ? -kInfinity : std::ranges::max(conjunction));
  }
  return least;
}

ExactAnswer ExactJudge::judge_exactly(const property::SimpleRegion& point, const property::UnsafeSet& unsafe) const {
  const std::vector<network::Dyadic> inputs = coordinates(point), outputs = exact_.evaluate(inputs);
  const auto is_reached = [&](const property::Conjunction& conjunction) {
    return std::ranges::all_of(conjunction,
                               [&](const property::OutputInequality& i) { return is_satisfied(i, inputs, outputs); });
  };
  return std::ranges::any_of(unsafe.conjunctions, is_reached) ? ExactAnswer::kUnsafe : ExactAnswer::kSafe;
}

}  // namespace plumb::attack
