// exact_region.h: membership in regions in rational arithmetic, directly from the definitions, as an oracle.
#pragma once

#include <gmpxx.h>

#include <algorithm>
#include <random>
#include <span>
#include <vector>

#include "property/region.h"
#include "support/exact_rational.h"

namespace plumb::testing {

inline mpq_class exact_dot(std::span<const double> a, std::span<const double> x) {
  mpq_class sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += mpq_class(a[i]) * mpq_class(x[i]);
  return sum;
}

inline bool exactly_in(const property::Ball& ball, std::span<const double> x) {
  mpq_class sum = 0, squares = 0, most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] < ball.domain.lower[i] || x[i] > ball.domain.upper[i]) return false;
    const mpq_class d = abs(mpq_class(x[i]) - mpq_class(ball.centre[i]));
    if (!ball.radii.empty() && d > exact(ball.radii[i])) return false;
    sum += d;
    squares += d * d;
    most = std::max(most, d);
  }
  const mpq_class r = exact(ball.radius);
  return ball.norm == property::Norm::kL1 ? sum <= r : ball.norm == property::Norm::kL2 ? squares <= r * r : most <= r;
}

// Doubles of very different magnitudes, with a few special values.
inline double hostile_number(std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(-1, 1);
  switch (random() % 8) {
    case 0:
      return 0;
    case 1:
      return unit(random) * 1e8;
    case 2:
      return unit(random) * 1e-8;
    case 3:
      return unit(random) * 0x1p-1060;
    case 4:
      return static_cast<double>(static_cast<std::int64_t>(random() % 7) - 3);
    default:
      return unit(random);
  }
}

}  // namespace plumb::testing
