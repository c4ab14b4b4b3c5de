#include "program/certified_bound.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "base/rounding.h"

namespace plumb {
namespace {

// A real number that is known to lie between two doubles.
struct Enclosure {
  double low = 0, high = 0;
};

// Zero for a multiplier that proves nothing: the side of the row that its sign points to must be finite.
double usable(double multiplier, double lower, double upper) {
  if (!std::isfinite(multiplier)) return 0;
  if (multiplier > 0) return lower > -kInfinity ? multiplier : 0;
  return upper < kInfinity ? multiplier : 0;
}

// At most d t for every d of the enclosure.
double product_down(const Enclosure& d, double t) { return plumb::product_down(t >= 0 ? d.low : d.high, t); }

// At most the minimum of d t over [lower, upper].
double linear_minimum(const Enclosure& d, double lower, double upper) {
  // Towards an infinite end only a slope of certain sign keeps d t from falling, and the minimum is at the other end.
  if (upper == kInfinity && !(d.low >= 0)) return -kInfinity;
  if (lower == -kInfinity && !(d.high <= 0)) return -kInfinity;
  double least = kInfinity;
  if (upper < kInfinity) least = std::min(least, product_down(d, upper));
  if (lower > -kInfinity) least = std::min(least, product_down(d, lower));
  return least == kInfinity ? 0 : least;  // both ends infinite: d is exactly zero
}

// At most the minimum of q t^2 + d t over [lower, upper], for one d and q > 0.
double parabola_minimum(double q, double d, double lower, double upper) {
  // (q t + d) t.
  const auto at = [&](double t) {
    const double factor = t >= 0 ? sum_down(plumb::product_down(q, t), d) : sum_up(product_up(q, t), d);
    return plumb::product_down(factor, t);
  };
  // The slope is q t + q t + d: where it is not negative at `lower` the minimum is there, where not positive at
  // `upper`, there.
  const double at_lower = plumb::product_down(q, lower), at_upper = product_up(q, upper);
  if (lower > -kInfinity && sum_down(sum_down(at_lower, at_lower), d) >= 0) return at(lower);
  if (upper < kInfinity && sum_up(sum_up(at_upper, at_upper), d) <= 0) return at(upper);
  return -round_up(product_up(d, d) / plumb::product_down(4, q));  // over all t: -d^2 / 4q
}

// At most the minimum of q t^2 + d t over [lower, upper]. For t >= 0 the worst d is the lowest, for t <= 0 the highest.
double convex_minimum(double q, const Enclosure& d, double lower, double upper) {
  if (std::isnan(d.low) || std::isnan(d.high)) return -kInfinity;
  if (q == 0) return linear_minimum(d, lower, upper);
  double least = kInfinity;
  if (upper >= 0) least = std::min(least, parabola_minimum(q, d.low, std::max(lower, 0.0), upper));
  if (lower <= 0) least = std::min(least, parabola_minimum(q, d.high, lower, std::min(upper, 0.0)));
  return least;
}

struct Objective {
  std::span<const double> costs, quadratics;
  double offset = 0;
};

double lagrangian_bound(const Program& program, std::span<const double> multipliers, const Objective& objective) {
  if (std::ssize(multipliers) != program.rows()) {
    throw InternalError("certified bound", "there must be one multiplier for each row");
  }
  const auto variables = static_cast<std::size_t>(program.variables());
  std::vector<Enclosure> reduced(variables);
  for (std::size_t j = 0; j < variables; ++j) reduced[j] = {objective.costs[j], objective.costs[j]};

  double bound = objective.offset;
  for (std::int32_t i = 0; i < program.rows(); ++i) {
    const double lower = program.lower(RowId{i}), upper = program.upper(RowId{i});
    const double y = usable(multipliers[static_cast<std::size_t>(i)], lower, upper);
    if (y == 0) continue;
    bound = sum_down(bound, plumb::product_down(y, y > 0 ? lower : upper));
    const Program::Row row = program.row(RowId{i});
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      Enclosure& d = reduced[static_cast<std::size_t>(row.columns[k])];
      d.low = sum_down(d.low, plumb::product_down(-y, row.coefficients[k]));
      d.high = sum_up(d.high, product_up(-y, row.coefficients[k]));
    }
  }
  for (std::size_t j = 0; j < variables; ++j) {
    const double least = convex_minimum(objective.quadratics[j], reduced[j], program.lowers()[j], program.uppers()[j]);
    bound = sum_down(bound, least);
  }
  return std::isnan(bound) ? -kInfinity : bound;  // only after an overflow
}

}  // namespace

double certified_bound(const Program& program, std::span<const double> row_multipliers) {
  return lagrangian_bound(program, row_multipliers, {program.costs(), program.quadratics(), program.offset()});
}

bool proves_infeasible(const Program& program, std::span<const double> ray) {
  const std::vector<double> none(static_cast<std::size_t>(program.variables()));
  return lagrangian_bound(program, ray, {none, none, 0}) > 0;
}

}  // namespace plumb
