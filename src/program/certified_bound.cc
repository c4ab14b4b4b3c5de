#include "program/certified_bound.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "base/bounded_sum.h"
#include "base/error.h"
#include "base/rounding.h"

namespace plumb::program {
namespace {

// A real number that is known to lie between two doubles.
struct Enclosure {
  double low = 0, high = 0;
};

// Replaces a multiplier that proves nothing by zero: the side of the row that its sign selects must be finite.
double usable(double multiplier, double lower, double upper) {
  if (!std::isfinite(multiplier)) return 0;
  if (multiplier > 0) return lower > -kInfinity ? multiplier : 0;
  return upper < kInfinity ? multiplier : 0;
}

// At most d t for every d of the enclosure.
double product_down(const Enclosure& d, double t) { return plumb::product_down(t >= 0 ? d.low : d.high, t); }

// At most the minimum of d t over [lower, upper].
double linear_minimum(const Enclosure& d, double lower, double upper) {
  // Towards an infinite end, d t is bounded from below only if the sign of d is certain. The minimum is then at the
  // other end.
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
  // The slope is q t + q t + d. If it is not negative at `lower`, the minimum is there. If it is not positive at
  // `upper`, the minimum is there.
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

// The multipliers of the rows, with zero for those that prove nothing.
std::vector<double> usable_multipliers(const Program& program, std::span<const double> multipliers) {
  if (std::ssize(multipliers) != program.rows()) {
    throw InternalError("certified bound", "there must be one multiplier for each row");
  }
  std::vector<double> y;
  for (std::int32_t i = 0; i < program.rows(); ++i) {
    y.push_back(usable(multipliers[static_cast<std::size_t>(i)], program.lower(RowId{i}), program.upper(RowId{i})));
  }
  return y;
}

bool is_boxed(const Program& program, std::size_t j) {
  return program.lowers()[j] > -kInfinity && program.uppers()[j] < kInfinity;
}

// Encloses costs - A^T y. For boxed variables, where a fast sum that is off by a few roundings is good enough.
std::vector<Enclosure> rounded_reduced_costs(const Program& program, std::span<const double> y,
                                             std::span<const double> costs) {
  std::vector<BoundedSum> sums(costs.size());
  for (std::size_t j = 0; j < sums.size(); ++j) sums[j].add_product(1, costs[j]);
  for (std::int32_t i = 0; i < program.rows(); ++i) {
    const double factor = -y[static_cast<std::size_t>(i)];
    if (factor == 0) continue;
    const Program::Row row = program.row(RowId{i});
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      sums[static_cast<std::size_t>(row.columns[k])].add_product(factor, row.coefficients[k]);
    }
  }
  std::vector<Enclosure> reduced;
  for (const BoundedSum& sum : sums) reduced.push_back({sum.lower(), sum.upper()});
  return reduced;
}

// The same for the other variables, where the sign of a sum that cancels decides whether there is a bound at all. Each
// operation is rounded outward, and only if it is not exact.
void enclose_unbounded(const Program& program, std::span<const double> y, std::span<const double> costs,
                       std::span<Enclosure> reduced) {
  std::vector<bool> unbounded(costs.size());
  for (std::size_t j = 0; j < costs.size(); ++j) {
    unbounded[j] = !is_boxed(program, j);
    if (unbounded[j]) reduced[j] = {costs[j], costs[j]};
  }
  if (std::ranges::none_of(unbounded, std::identity())) return;
  for (std::int32_t i = 0; i < program.rows(); ++i) {
    const double factor = -y[static_cast<std::size_t>(i)];
    if (factor == 0) continue;
    const Program::Row row = program.row(RowId{i});
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      const auto j = static_cast<std::size_t>(row.columns[k]);
      if (!unbounded[j]) continue;
      reduced[j].low = sum_down(reduced[j].low, plumb::product_down(factor, row.coefficients[k]));
      reduced[j].high = sum_up(reduced[j].high, product_up(factor, row.coefficients[k]));
    }
  }
}

double lagrangian_bound(const Program& program, std::span<const double> multipliers, const Objective& objective) {
  const std::vector<double> y = usable_multipliers(program, multipliers);
  std::vector<Enclosure> reduced = rounded_reduced_costs(program, y, objective.costs);
  enclose_unbounded(program, y, objective.costs, reduced);

  double bound = objective.offset;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const RowId row{static_cast<std::int32_t>(i)};
    if (y[i] != 0)
      bound = sum_down(bound, plumb::product_down(y[i], y[i] > 0 ? program.lower(row) : program.upper(row)));
  }
  for (std::size_t j = 0; j < reduced.size(); ++j) {
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

}  // namespace plumb::program
