// minimum.h: a lower bound of an affine function over a piece (rule 3 of docs/certificates.md).
//
// Sound: for any multipliers. The best ones are found in plain arithmetic and then used as they are.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "facts.h"

namespace checker {

// inputs . x + constant; not finite after an overflow, and then it bounds nothing.
template <class Number>
struct AffineForm {
  std::vector<Number> inputs;
  Number constant;
  bool is_finite = true;
};

// The least of g x + y |x - c| for x in [low, high].
template <class Number>
Number least_term(const Number& g, double low, double high, double c, double y) {
  Number least;
  bool first = true;
  for (const double x : {low, high, larger(low, smaller(high, c))}) {
    const Number away = Number(x) - Number(c);
    const Number value = lower_end(g * Number(x) + Number(y) * larger(away, -away));
    least = first ? value : -larger(-least, -value);
    first = false;
  }
  return least;
}

template <class Number>
Number over_box(const Box& box, const std::vector<Number>& g) {
  Number sum;
  for (std::size_t i = 0; i < g.size(); ++i) {
    if (!is_zero(g[i])) sum = sum + lower_end(g[i] * Number(Interval::between(box.low[i], box.high[i])));
  }
  return lower_end(sum);
}

template <class Number>
double middle(const Number& g) {
  return (round_down(g) + round_up(g)) / 2;
}

// The place, among these, where a concave function is about largest: slope_after(y) is its slope just after y.
template <class Slope>
double top_of(std::vector<double> places, const Slope& slope_after) {
  std::sort(places.begin(), places.end());
  const auto top = std::partition_point(places.begin(), places.end(), [&](double y) { return slope_after(y) > 0; });
  return top == places.end() ? places.back() : *top;
}

// g . x >= (g + sum_j y_j G_j) . x - sum_j y_j h_j.
template <class Number>
Number over_box_and(const Box& box, const std::vector<InputInequality>& inequalities, std::vector<Number> g,
                    std::span<const double> y) {
  Number constant;
  for (std::size_t j = 0; j < inequalities.size() && j < y.size(); ++j) {
    if (!(y[j] > 0)) continue;
    for (std::size_t i = 0; i < g.size(); ++i) g[i] = g[i] + Number(y[j]) * Number(inequalities[j].coefficients[i]);
    constant = constant - Number(y[j]) * Number(inequalities[j].bound);
  }
  return over_box(box, g) + constant;
}

// The multiplier of one inequality for which the bound is about best.
template <class Number>
double good_multiplier(const Box& box, const InputInequality& inequality, const std::vector<Number>& g) {
  std::vector<double> places{0};
  for (std::size_t i = 0; i < g.size(); ++i) {
    const double place = -middle(g[i]) / inequality.coefficients[i];
    if (std::isfinite(place) && place > 0) places.push_back(place);
  }
  return top_of(std::move(places), [&](double y) {
    double violation = -inequality.bound;
    for (std::size_t i = 0; i < g.size(); ++i) {
      const double of_x = inequality.coefficients[i], slope = middle(g[i]) + y * of_x;
      violation += of_x * (slope > 0 || (slope == 0 && of_x > 0) ? box.low[i] : box.high[i]);
    }
    return violation;
  });
}

template <class Number>
Number over_polytope(const Box& box, const std::vector<InputInequality>& inequalities, const std::vector<Number>& g,
                     std::span<const double> hint) {
  Number best = over_box(box, g);
  const auto try_multipliers = [&](std::span<const double> y) {
    best = lower_end(larger(best, lower_end(over_box_and(box, inequalities, g, y))));
  };
  if (!hint.empty()) try_multipliers(hint);
  std::vector<double> y(inequalities.size(), 0.0);
  for (std::size_t j = 0; j < y.size() && hint.empty(); ++j) {
    y[j] = good_multiplier(box, inequalities[j], g);
    try_multipliers(y);
    y[j] = 0;
  }
  return best;
}

// For y >= 0: g . x >= sum_i min (g_i x_i + y |x_i - c_i|) - y e.
template <class Number>
Number over_l1_ball(const Ball& ball, double radius_up, const std::vector<Number>& g) {
  const Box& box = ball.domain;
  std::vector<double> places{0};
  for (const Number& v : g) places.push_back(std::abs(middle(v)));
  const double y = top_of(std::move(places), [&](double multiplier) {
    double reach = -radius_up;
    for (std::size_t i = 0; i < g.size(); ++i) {
      const double v = middle(g[i]);
      if (std::abs(v) > multiplier) reach += std::abs((v > 0 ? box.low[i] : box.high[i]) - ball.centre[i]);
    }
    return reach;
  });
  Number sum = -(Number(y) * Number(radius_up));
  for (std::size_t i = 0; i < g.size(); ++i) sum = sum + least_term(g[i], box.low[i], box.high[i], ball.centre[i], y);
  return lower_end(sum);
}

// For any w: g . x >= w . c - e |w| + min over the box of (g - w) . x.
template <class Number>
Number over_l2_ball(const Ball& ball, double radius_up, const std::vector<Number>& g) {
  const Box& box = ball.domain;
  const auto moved = [&](std::size_t i, double step) {
    return larger(box.low[i], smaller(box.high[i], ball.centre[i] - step * middle(g[i])));
  };
  const auto distance = [&](double step) {
    double squares = 0;
    for (std::size_t i = 0; i < g.size(); ++i) squares += std::pow(moved(i, step) - ball.centre[i], 2);
    return std::sqrt(squares);
  };
  double near = 0, far = 0x1p-60;
  while (far < 0x1p200 && distance(far) < radius_up) far *= 2;
  for (int round = 0; round < 100; ++round) (distance((near + far) / 2) < radius_up ? near : far) = (near + far) / 2;
  Number sum;
  double squares = 0;  // rounded upward
  for (std::size_t i = 0; i < g.size(); ++i) {
    const double free = ball.centre[i] - far * middle(g[i]);
    const double w = far >= 0x1p200                              ? 0
                     : free >= box.low[i] && free <= box.high[i] ? middle(g[i])
                                                                 : (ball.centre[i] - moved(i, far)) / far;
    squares += w * w;
    const Number rest = g[i] - Number(w);
    sum =
        sum + Number(w) * Number(ball.centre[i]) + lower_end(rest * Number(Interval::between(box.low[i], box.high[i])));
  }
  return lower_end(sum - Number(radius_up) * Number(std::sqrt(squares)));
}

// The box within ranges of coordinates: x_i = centre + radius u.
inline Box within(Box box, std::span<const std::pair<double, double>> ranges,
                  const std::vector<Coordinates::Coordinate>& coordinates) {
  for (std::size_t j = 0; j < ranges.size(); ++j) {
    const Coordinates::Coordinate& u = coordinates[j];
    const Interval x = Interval(u.centre) + Interval(u.radius) * Interval::between(ranges[j].first, ranges[j].second);
    const auto i = at(u.input);
    if (u.radius == 0 || larger(box.low[i], x.low()) > smaller(box.high[i], x.high)) continue;
    box.low[i] = larger(box.low[i], x.low());
    box.high[i] = smaller(box.high[i], x.high);
  }
  return box;
}

double radius_up(const Ball& ball);  // the least double that is not below the radius

template <class Number>
double minimum(const Region& region, const AffineForm<Number>& form, std::span<const double> hint,
               std::span<const std::pair<double, double>> ranges,
               const std::vector<Coordinates::Coordinate>& coordinates) {
  if (!form.is_finite) return -HUGE_VAL;
  Number least;
  if (const auto* box = std::get_if<Box>(&region)) {
    least = over_box(within(*box, ranges, coordinates), form.inputs);
  } else if (const auto* polytope = std::get_if<Polytope>(&region)) {
    least = over_polytope(within(polytope->box, ranges, coordinates), polytope->inequalities, form.inputs, hint);
  } else if (const auto* ball = std::get_if<Ball>(&region)) {
    Ball narrower = *ball;
    narrower.domain = within(ball->domain, ranges, coordinates);
    least = over_box(narrower.domain, form.inputs);
    const Number in_ball = ball->norm == Norm::kL1 ? over_l1_ball(narrower, radius_up(*ball), form.inputs)
                                                   : over_l2_ball(narrower, radius_up(*ball), form.inputs);
    least = lower_end(larger(least, in_ball));
  }
  const Number sum = least + form.constant;
  return is_finite(sum) ? round_down(sum) : -HUGE_VAL;
}

}  // namespace checker
