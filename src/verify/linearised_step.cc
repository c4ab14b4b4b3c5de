#include "verify/linearised_step.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "attack/region_steps.h"

namespace plumb::verify {
namespace {

constexpr int kWeightUpdates = 40;
constexpr int kBisections = 24;

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// The inequalities of the conjunction, linearised at a point: a . x <= bound, scaled so that sum |a_j| = 1.
std::vector<property::LinearInequality> linearised(const network::Network& network,
                                                   const attack::NetworkEvaluators& evaluators,
                                                   const property::GrowingRegion& region,
                                                   const property::Conjunction& conjunction,
                                                   std::span<const double> at) {
  const property::SimpleRegion there = region.within(Rational());
  const auto* image = std::get_if<property::AffineImage>(&there);
  const std::vector<double> input = image != nullptr ? image_of(*image, at) : std::vector<double>(at.begin(), at.end());
  std::vector<property::LinearInequality> rows;
  network::Evaluator<double>::Workspace workspace;
  std::vector<double> outputs(static_cast<std::size_t>(network.output_size())), gradient(input.size());
  for (const property::OutputInequality& inequality : conjunction) {
    evaluators.in_double.evaluate_with_gradient(input, inequality.outputs, outputs, gradient, workspace);
    double value = dot(inequality.outputs, outputs) - inequality.bound;
    for (std::size_t i = 0; i < inequality.inputs.size(); ++i) {
      value += inequality.inputs[i] * input[i];
      gradient[i] += inequality.inputs[i];
    }
    property::LinearInequality row{image != nullptr ? attack::gradient_by_parameters(*image, gradient) : gradient, 0};
    double size = 0;
    for (const double a : row.coefficients) size += std::abs(a);
    if (!(size > 0) || !std::isfinite(size)) continue;
    row.bound = (dot(row.coefficients, at) - value) / size;
    for (double& a : row.coefficients) a /= size;
    rows.push_back(std::move(row));
  }
  return rows;
}

// Returns the least radius, up to `most`, at which some point satisfies the row, and that point.
std::optional<LinearisedStep> nearest(const property::GrowingRegion& region, const property::LinearInequality& row,
                                      double most) {
  const auto lowest = [&](double radius) {
    const property::SimpleRegion within = region.within(property::radius_below(radius));
    const auto* image = std::get_if<property::AffineImage>(&within);
    return minimiser(image != nullptr ? parameter_region(*image) : within, row.coefficients);
  };
  std::optional<LinearisedStep> found;
  double low = 0, high = most;
  for (int step = 0; step <= kBisections; ++step) {
    const double radius = step == 0 ? most : low + (high - low) / 2;
    std::vector<double> point = lowest(radius);
    if (dot(row.coefficients, point) > row.bound) {
      if (step == 0) return std::nullopt;
      low = radius;
    } else {
      high = radius;
      found = LinearisedStep{radius, std::move(point)};
    }
  }
  return found;
}

property::LinearInequality combination(const std::vector<property::LinearInequality>& rows,
                                       std::span<const double> weights) {
  property::LinearInequality sum{std::vector<double>(rows[0].coefficients.size(), 0.0), 0};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < sum.coefficients.size(); ++j) {
      sum.coefficients[j] += weights[i] * rows[i].coefficients[j];
    }
    sum.bound += weights[i] * rows[i].bound;
  }
  return sum;
}

}  // namespace

std::optional<LinearisedStep> linearised_step(const network::Network& network,
                                              const attack::NetworkEvaluators& evaluators,
                                              const property::GrowingRegion& region,
                                              const property::Conjunction& conjunction, std::span<const double> at,
                                              double most) {
  const std::vector<property::LinearInequality> rows = linearised(network, evaluators, region, conjunction, at);
  if (rows.empty()) return std::nullopt;
  std::vector<double> weights(rows.size(), 1.0 / static_cast<double>(rows.size()));
  LinearisedStep result;
  double total = 0;
  for (int update = 0; update < kWeightUpdates; ++update) {
    const auto step = nearest(region, combination(rows, weights), most);
    if (!step) return std::nullopt;
    result.radius = std::max(result.radius, step->radius);
    // Later minimisers count more: they belong to better weights.
    const double share = static_cast<double>(update + 1);
    result.point.resize(step->point.size(), 0.0);
    for (std::size_t j = 0; j < result.point.size(); ++j) result.point[j] += share * step->point[j];
    total += share;
    if (rows.size() == 1) break;
    std::vector<double> violation;
    for (const property::LinearInequality& row : rows)
      violation.push_back(dot(row.coefficients, step->point) - row.bound);
    const double largest = std::abs(*std::ranges::max_element(violation, {}, [](double v) { return std::abs(v); }));
    if (!(largest > 0)) break;
    double sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      weights[i] *= std::exp(2 / std::sqrt(share) * violation[i] / largest);
      sum += weights[i];
    }
    for (double& w : weights) w /= sum;
  }
  for (double& x : result.point) x /= total;
  return result;
}

}  // namespace plumb::verify
