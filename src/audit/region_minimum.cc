#include "audit/region_minimum.h"

#include "audit/interval_row.h"
#include "audit/region_points.h"
#include "base/numbers.h"
#include "base/overloaded.h"

namespace plumb::audit {
namespace {

double middle(const Interval& a) { return a.low / 2 + a.high / 2; }

// Of the kinks of a concave function, those around its maximum, found by the sign of its slope just after each.
// Rounding may mistake a kink for its neighbour, so there are up to three.
template <class Slope>
std::vector<double> around_the_top(std::vector<double> places, const Slope& slope) {
  std::ranges::sort(places);
  std::size_t first = 0, last = places.size();  // the first place after which the slope is not positive
  while (first < last) {
    const std::size_t at = (first + last) / 2;
    if (slope(places[at]) > 0)
      first = at + 1;
    else
      last = at;
  }
  const std::size_t from = first == 0 ? 0 : first - 1, to = std::min(places.size(), first + 2);
  return {places.begin() + static_cast<std::ptrdiff_t>(std::min(from, to)),
          places.begin() + static_cast<std::ptrdiff_t>(to)};
}

// For y_j >= 0: row . x >= (row + sum_j y_j g_j) . x - sum_j y_j b_j wherever the inequalities g_j . x <= b_j hold.
double pressed_minimum(const Row& box, const Row& row, const std::vector<property::LinearInequality>& inequalities,
                       std::span<const double> y) {
  Row combined = row;
  Interval constant;
  for (std::size_t j = 0; j < inequalities.size() && j < y.size(); ++j) {
    if (!(y[j] > 0) || !std::isfinite(y[j])) continue;
    for (std::size_t i = 0; i < row.size(); ++i) {
      combined[i] = combined[i] + Interval(inequalities[j].coefficients[i]) * Interval(y[j]);
    }
    constant = constant - Interval(inequalities[j].bound) * Interval(y[j]);
  }
  return (Interval(minimum_over(box, combined)) + constant).low;
}

// Multipliers of one inequality at which the bound is approximately largest. The bound's slope is the inequality's
// violation at the minimiser.
std::vector<double> good_multipliers(const Row& box, const Row& row, const property::LinearInequality& inequality) {
  std::vector<double> places{0};
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double place = -middle(row[i]) / inequality.coefficients[i];
    if (inequality.coefficients[i] != 0 && std::isfinite(place) && place > 0) places.push_back(place);
  }
  return around_the_top(places, [&](double y) {
    double value = -inequality.bound;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double g = inequality.coefficients[i], a = middle(row[i]) + y * g;
      const bool at_low = a > 0 || (a == 0 && g > 0);  // just after y
      value += g * (at_low ? box[i].low : box[i].high);
    }
    return value;
  });
}

double minimum_over(const Row& box, const std::vector<property::LinearInequality>& inequalities, const Row& row,
                    std::span<const double> hint) {
  double best = minimum_over(box, row);
  std::vector<double> y(inequalities.size(), 0.0);
  for (std::size_t j = 0; j < inequalities.size(); ++j) {
    for (const double multiplier : good_multipliers(box, row, inequalities[j])) {
      y[j] = multiplier;
      best = std::max(best, pressed_minimum(box, row, inequalities, y));
    }
    y[j] = 0;
  }
  return hint.empty() ? best : std::max(best, pressed_minimum(box, row, inequalities, hint));
}

// For any multiplier y >= 0: row . x >= -y r + sum_i min over [l_i, u_i] of row_i x + y |x - c_i|. Each minimum is at
// an end or at c_i.
double l1_minimum(const property::Ball& ball, const Row& box, const Row& row, double y) {
  Interval sum = -(Interval(ball.radius.round_up()) * Interval(y));
  for (std::size_t i = 0; i < row.size(); ++i) {
    double least = kInfinity;
    for (const double x : {box[i].low, box[i].high, std::clamp(ball.centre[i], box[i].low, box[i].high)}) {
      const Interval away = Interval(x) - Interval(ball.centre[i]);
      const double distance = std::max({0.0, away.low, -away.high});
      least = std::min(least, (row[i] * Interval(x) + Interval(distance) * Interval(y)).low);
    }
    sum = sum + Interval(least);
  }
  return sum.low;
}

double l1_minimum(const property::Ball& ball, const Row& box, const Row& row) {
  std::vector<double> places{0};
  for (const Interval& a : row) places.push_back(std::abs(middle(a)));
  const std::vector<double> multipliers = around_the_top(places, [&](double y) {
    double reach = -ball.radius.nearest();
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double a = middle(row[i]), stay = std::clamp(ball.centre[i], box[i].low, box[i].high);
      const double x = std::abs(a) <= y ? stay : (a > 0 ? box[i].low : box[i].high);
      reach += std::abs(x - ball.centre[i]);
    }
    return reach;
  });
  double best = -kInfinity;
  for (const double y : multipliers) best = std::max(best, l1_minimum(ball, box, row, y));
  return best;
}

// A power of two near the row's largest entry. Multiplying and dividing by it is exact.
double power_of_its_magnitude(const Row& row) {
  double most = 0;
  for (const Interval& a : row) most = std::max(most, std::abs(middle(a)));
  return most > 0 && std::isfinite(most) ? std::ldexp(1.0, std::clamp(std::ilogb(most), -1000, 1000)) : 1;
}

// An upper bound on |b|, without overflow. The entries of b must not be much larger than `unit`.
double norm_up(std::span<const double> b, double unit) {
  Interval squares;
  for (const double entry : b) {
    const Interval scaled = Interval(entry) / unit;
    squares = squares + scaled * scaled;
  }
  return times_up(round_up(std::sqrt(squares.high)), unit);
}

// The step along -row, clamped to the box, that reaches the sphere; infinity if the box lies inside the ball.
template <class Beyond>
double step_to_sphere(double first, const Beyond& beyond) {
  double low = 0, high = first;
  for (int i = 0; i < 200 && !beyond(high); ++i) high *= 2;
  if (!beyond(high)) return kInfinity;
  for (int i = 0; i < 120; ++i) (beyond(low / 2 + high / 2) ? high : low) = low / 2 + high / 2;
  return high;
}

// For any b: row . x >= b . c - r |b| + min over the box of (row - b) . x. The best b points from where the row is
// least towards the centre.
double l2_minimum(const property::Ball& ball, const Row& box, const Row& row) {
  const std::size_t n = row.size();
  const double radius = ball.radius.nearest(), unit = power_of_its_magnitude(row);
  const auto moved = [&](std::size_t i, double s) {
    return std::clamp(ball.centre[i] - s * (middle(row[i]) / unit), box[i].low, box[i].high);
  };
  const double step = step_to_sphere(0x1p-60, [&](double s) {
    double squares = 0;
    for (std::size_t i = 0; i < n; ++i) squares += (moved(i, s) - ball.centre[i]) * (moved(i, s) - ball.centre[i]);
    return std::sqrt(squares) >= radius;
  });
  std::vector<double> b(n, 0.0);
  for (std::size_t i = 0; i < n && std::isfinite(step); ++i) {
    const double free = ball.centre[i] - step * (middle(row[i]) / unit);
    const bool inside = free >= box[i].low && free <= box[i].high;
    b[i] = inside ? middle(row[i]) : (ball.centre[i] - moved(i, step)) / step * unit;
  }
  Interval sum;
  for (std::size_t i = 0; i < n; ++i) {
    sum = sum + Interval(b[i]) * Interval(ball.centre[i]) + (row[i] - Interval(b[i])) * box[i];
  }
  return (sum - Interval(ball.radius.round_up()) * Interval(norm_up(b, unit))).low;
}

// The part of the box in which coordinates lie in their ranges.
Row narrowed(Row box, const RegionFunctional& functional) {
  for (std::size_t i = 0; i < functional.ranges.size(); ++i) {
    const events::CoordinateClaim& u = functional.coordinates[i];
    const Interval input = Interval(u.centre) + Interval(u.radius) * functional.ranges[i];
    Interval& side = box[static_cast<std::size_t>(u.input)];
    const double low = std::max(side.low, input.low), high = std::min(side.high, input.high);
    if (u.radius != 0 && low <= high) side = {low, high};
  }
  return box;
}

struct Kind {
  const RegionFunctional& functional;
  const Row& row;
  std::span<const double> hint;

  double operator()(const property::Box& box) const { return minimum_over(narrowed(box_of(box), functional), row); }
  double operator()(const property::Polytope& polytope) const {
    return minimum_over(narrowed(box_of(polytope.box), functional), polytope.inequalities, row, hint);
  }
  double operator()(const property::AffineImage& image) const {  // the row is over its parameters
    return minimum_over(narrowed(box_of(image.parameters), functional), image.inequalities, row, hint);
  }
  double operator()(const property::Ball& ball) const {
    const Row box = narrowed(box_around(ball), functional);
    const double in_box = minimum_over(box, row);
    if (ball.norm == property::Norm::kLinf) return in_box;
    return std::max(in_box, ball.norm == property::Norm::kL1 ? l1_minimum(ball, box, row) : l2_minimum(ball, box, row));
  }
};

// The functional over the parameters of an affine image.
Row over_parameters(const property::AffineImage& image, const Row& row, Interval& constant) {
  const std::size_t count = image.parameters.size();
  Row result(count);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i].is_zero()) continue;
    constant = constant + row[i] * Interval(image.offset[i]);
    for (std::size_t p = 0; p < count; ++p) result[p] = result[p] + row[i] * Interval(image.generator[i * count + p]);
  }
  return result;
}

}  // namespace

double minimum(const property::SimpleRegion& region, const RegionFunctional& functional) {
  Interval constant;
  Row row = std::visit(Overloaded{[&](const property::Box&) { return functional.on_inputs; },
                                  [&](const property::Ball&) { return functional.on_inputs; },
                                  [&](const property::AffineImage& image) {
                                    return over_parameters(image, functional.on_inputs, constant);
                                  },
                                  [&](const property::Polytope&) { return functional.on_inputs; }},
                       region);
  for (std::size_t i = 0; i < functional.on_coordinates.size(); ++i) {
    const Interval& h = functional.on_coordinates[i];
    if (h.is_zero()) continue;
    const events::CoordinateClaim& u = functional.coordinates[i];
    if (u.radius == 0) {  // u does not depend on the input: it may be anything in [-1, 1]
      constant = constant + h * Interval(-1, 1);
      continue;
    }
    const Interval slope = h / u.radius;  // u = (x - centre) / radius
    Interval& entry = row[static_cast<std::size_t>(u.input)];
    entry = entry + slope;
    constant = constant - slope * Interval(u.centre);
  }
  const double least = (Interval(std::visit(Kind{functional, row, functional.on_region}, region)) + constant).low;
  return std::isnan(least) ? -kInfinity : least;
}

}  // namespace plumb::audit
