#include "property/distance.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/numbers.h"
#include "base/rounding.h"

namespace plumb::property {
namespace {

double square_up(double a) { return a == 0 ? 0 : loose_product_up(a, a); }

// sqrt rounds to nearest, so the next double is not below the true root.
double root_up(double a) { return a == 0 ? 0 : round_up(std::sqrt(a)); }

// The smallest double that is not below a / b, where a >= 0 and b >= 0. So a point within a radius is not reported
// beyond it because of this division. Where the remainder may underflow, the next double is taken.
double quotient_up(double a, double b) {
  if (a == 0) return 0;
  if (b == 0) return kInfinity;
  const double quotient = a / b;
  return a > 0x1p-900 && std::fma(quotient, b, -a) >= 0 ? quotient : round_up(quotient);
}

void expect_fit(const Metric& metric, std::size_t centre, std::size_t point) {
  if (centre != point) throw InternalError("distance", "the points are of different sizes");
  if (metric.scale.empty()) return;
  if (metric.norm != Norm::kLinf || metric.scale.size() != point) throw InternalError("distance", "unfit scales");
}

}  // namespace

double distance(const Metric& metric, std::span<const double> centre, std::span<const double> point) {
  expect_fit(metric, centre.size(), point.size());
  double total = 0;
  for (std::size_t i = 0; i < point.size(); ++i) {
    double apart = sum_up(std::max(point[i], centre[i]), -std::min(point[i], centre[i]));
    if (!metric.scale.empty()) apart = quotient_up(apart, metric.scale[i].round_down());
    switch (metric.norm) {
      case Norm::kLinf:
        total = std::max(total, apart);
        break;
      case Norm::kL1:
        total = sum_up(total, apart);
        break;
      case Norm::kL2:
        total = sum_up(total, square_up(apart));
        break;
    }
  }
  return metric.norm == Norm::kL2 ? root_up(total) : total;
}

}  // namespace plumb::property
