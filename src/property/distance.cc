#include "property/distance.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/rounding.h"

namespace plumb::property {
namespace {

double square_up(double a) { return a == 0 ? 0 : loose_product_up(a, a); }

// sqrt rounds to nearest, so the next double is not below the true root.
double root_up(double a) { return a == 0 ? 0 : round_up(std::sqrt(a)); }

}  // namespace

double distance(Norm norm, std::span<const double> centre, std::span<const double> point) {
  if (centre.size() != point.size()) throw InternalError("distance", "the points are of different sizes");
  double total = 0;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const double apart = sum_up(std::max(point[i], centre[i]), -std::min(point[i], centre[i]));
    switch (norm) {
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
  return norm == Norm::kL2 ? root_up(total) : total;
}

}  // namespace plumb::property
