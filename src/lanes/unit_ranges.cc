#include "lanes/unit_ranges.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "base/rounding.h"
#include "lanes/range_kernels.h"

namespace plumb::lanes {
namespace {

// By how much ranges are wider than what is proven, relative to the terms of the proof.
constexpr double kMargin = 0x1p-20;

std::int64_t padded(std::int64_t count) {
  return (count + range_kernels::kRangeStep - 1) / range_kernels::kRangeStep * range_kernels::kRangeStep;
}

float float_down(double x) {
  const auto near = static_cast<float>(x);
  return static_cast<double>(near) <= x ? near : std::nextafter(near, -std::numeric_limits<float>::infinity());
}

// Copies the coefficients that backward() left in a lane, rounded to float. Returns the bound of the function with
// these coefficients: at a point of the cube, each changes it by no more than its own change, and so does its share of
// |coefficients|_1.
double take_coefficients(const Lanes<double>& lanes, std::int64_t lane, std::span<float> coefficients) {
  double change = 0;
  for (std::int64_t i = 0; i < lanes.gradient.count(); ++i) {
    const double exact = lanes.gradient.at(i, lane);
    const auto rounded = static_cast<float>(exact);
    coefficients[index(i)] = rounded;
    change = loose_sum_up(change, std::abs(exact - static_cast<double>(rounded)));  // the difference is exact
  }
  return round_down(lanes.bound[index(lane)] - 2 * change);
}

double magnitude_of(std::span<const float> coefficients, double least) {
  double magnitude = std::abs(least);
  for (const float a : coefficients) magnitude += 2 * std::abs(static_cast<double>(a));
  return magnitude;
}

// A factor, and the sum of min(|a_i|, factor |g_i|) that belongs to it, in float.
struct Combination {
  float factor = 0, sum = 0;
};

// A lower bound of the row wherever the inequality holds, for any factor >= 0. All terms of the sum are positive, so
// its relative error is at most that of `count` sums of rounded products. Each product may also underflow.
double bound_with(const AffineRow& row, const AffineRow& inequality, const Combination& found) {
  const std::int64_t count = std::ssize(row.coefficients);
  const auto factor = static_cast<double>(found.factor);
  const double sum = product_down(static_cast<double>(found.sum), round_down(1 - 2 * gamma_float(count + 2)));
  const double gain = sum_down(2 * sum, -2 * static_cast<double>(count) * std::numeric_limits<float>::min());
  const double bound = sum_down(sum_down(row.least, product_down(factor, inequality.least)), gain);
  return bound - kMargin * (row.magnitude + factor * inequality.magnitude);
}

// The factor that raises the row's bound most, approximately: the maximum of a concave function, between two tangents.
// Returns a factor of 0 if the bound cannot be raised by `worthwhile`. Stops at a factor that raises it by `enough`.
Combination best_combination(const AffineRow& row, const AffineRow& inequality, float worthwhile, float enough) {
  struct Tangent {
    float at_zero, slope;
  };
  constexpr int kMostSteps = 5;
  constexpr float kCloser = 1.05f;  // a step that may raise the gain by less is not taken
  const float *a = row.coefficients.data(), *g = inequality.coefficients.data();
  const std::int64_t count = std::ssize(row.coefficients);
  const auto falling = static_cast<float>(inequality.least);
  const range_kernels::Opposed all = range_kernels::opposed(a, g, count);
  Tangent rises{0, falling + 2 * all.g}, falls{2 * all.a, falling};  // at zero and at infinity
  Combination best;
  float best_gain = 0;
  for (int step = 0; step < kMostSteps && rises.slope > 0 && falls.slope < 0; ++step) {
    const float factor = (falls.at_zero - rises.at_zero) / (rises.slope - falls.slope);
    const float most = rises.at_zero + factor * rises.slope;
    if (!(most > worthwhile) || !(most > kCloser * best_gain) || !(factor < std::numeric_limits<float>::max())) break;
    const range_kernels::Reach reach = range_kernels::reach(a, g, count, factor);
    const float gain = factor * falling + 2 * reach.value, slope = falling + 2 * reach.slope;
    if (gain > best_gain) {
      best = {factor, reach.value};
      best_gain = gain;
    }
    if (best_gain > enough) break;
    (slope > 0 ? rises : falls) = {gain - slope * factor, slope};
  }
  return best_gain > worthwhile ? best : Combination();
}

}  // namespace

UpperLine upper_line(double lower, double upper) {
  if (lower >= 0) return {1, 0};
  if (upper <= 0) return {0, 0};
  const double slope = std::min(1.0, upper / (upper - lower));
  return {slope, std::max(product_up(slope, -lower), sum_up(upper, product_up(-slope, upper)))};
}

std::int64_t UnitRows::bytes(const LaneSystem<double>& system) {
  constexpr auto kPerRow = static_cast<std::int64_t>(2 * sizeof(double));
  return 2 * system.units() * (padded(system.inputs()) * static_cast<std::int64_t>(sizeof(float)) + kPerRow);
}

UnitRows::UnitRows(const LaneSystem<double>& system, const reduction::ReducedNetwork& network, const Budget* budget)
    : system_(system), budget_(budget) {
  for (const reduction::ReducedNetwork::Unit& unit : network.units()) {
    widest_.lower.push_back(float_down(unit.lower));
    widest_.upper.push_back(-float_down(-unit.upper));
  }
}

AffineRow UnitRows::row(std::int64_t unit, std::size_t side) const {
  std::call_once(computed_, [this] { compute(); });
  const std::size_t at = 2 * index(unit) + side;
  return {std::span(coefficients_).subspan(at * index(stride_), index(stride_)), least_[at], magnitude_[at]};
}

void UnitRows::compute() const {
  stride_ = padded(inputs());
  coefficients_.assign(index(2 * units() * stride_), 0.0f);
  least_.assign(index(2 * units()), -kInfinity);
  magnitude_.assign(index(2 * units()), 0);
  Lanes<double> lanes = system_.lanes();
  const std::int64_t at_once = system_.width() / 2;
  for (std::int64_t first = 0; first < units() && !limit_reached(budget_); first += at_once) {
    for (std::int64_t lane = 0; lane < system_.width(); ++lane) {
      system_.ask_row(lanes, lane, std::min(first + lane / 2, units() - 1), lane % 2 == 0 ? 1 : -1);
    }
    system_.backward(lanes);
    for (std::int64_t lane = 0; lane < 2 * std::min(at_once, units() - first); ++lane) {
      const std::size_t at = index(2 * first + lane);
      const std::span<float> coefficients = std::span(coefficients_).subspan(at * index(stride_), index(stride_));
      least_[at] = take_coefficients(lanes, lane, coefficients);
      magnitude_[at] = magnitude_of(coefficients, least_[at]);
    }
  }
}

void TargetInequality::take(const Lanes<double>& lanes, std::int64_t lane) {
  coefficients_.assign(index(padded(lanes.gradient.count())), 0.0f);
  least_ = take_coefficients(lanes, lane, coefficients_);
  magnitude_ = magnitude_of(coefficients_, least_);
}

Narrowing narrow(const UnitRows& rows, const TargetInequality& inequality,
                 const std::function<bool(std::int64_t)>& is_open, UnitRanges& ranges,
                 std::vector<NarrowedEnd>* changes, const Budget* budget) {
  constexpr float kWorthwhile = 0.01f;  // relative to the range
  Narrowing result = Narrowing::kNothing;
  for (std::int64_t k = 0; k < rows.units(); ++k) {
    if (!is_open(k)) continue;
    if (limit_reached(budget)) break;
    float &lower = ranges.lower[index(k)], &upper = ranges.upper[index(k)];
    const float worthwhile = kWorthwhile * (upper - lower);
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const AffineRow row = rows.row(k, side);
      const auto least = static_cast<float>(row.least);
      const float present = side == 0 ? lower : -upper;
      const Combination found = best_combination(row, inequality.row(), present + worthwhile - least, -least);
      if (!(found.factor > 0)) continue;
      const double bound = bound_with(row, inequality.row(), found);
      if (!(bound > static_cast<double>(present)) || !std::isfinite(bound)) continue;
      float& end = side == 0 ? lower : upper;
      end = side == 0 ? float_down(bound) : -float_down(bound);
      if (changes != nullptr) changes->push_back({k, side == 1, found.factor, end});
      result = Narrowing::kNarrower;
    }
    if (lower > upper) return Narrowing::kEmpty;
  }
  return result;
}

}  // namespace plumb::lanes
