#include "audit/region_points.h"

#include <algorithm>

#include "audit/interval_row.h"
#include "base/overloaded.h"

namespace plumb::audit {
namespace {

Row row_around(const property::Ball& ball) {
  Row row = box_of(ball.domain);
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double radius = ball.radius_of(i).round_up();
    const Interval around = Interval(ball.centre[i]) + Interval(-radius, radius);
    row[i] = {std::max(row[i].low, around.low), std::min(row[i].high, around.high)};
  }
  return row;
}

Row row_around(const property::AffineImage& image) {
  const std::size_t count = image.parameters.size();
  Row row(image.offset.begin(), image.offset.end());
  for (std::size_t i = 0; i < row.size(); ++i) {
    for (std::size_t p = 0; p < count; ++p) {
      row[i] = row[i] + Interval(image.parameters.lower[p], image.parameters.upper[p]) *
                            Interval(image.generator[i * count + p]);
    }
  }
  return row;
}

bool is_nowhere(const Row& box, const property::LinearInequality& inequality) {
  return minimum_over(box, Row(inequality.coefficients.begin(), inequality.coefficients.end())) > inequality.bound;
}

bool some_is_nowhere(const std::vector<property::LinearInequality>& inequalities, const property::Box& box) {
  const Row row = box_of(box);
  return std::ranges::any_of(inequalities, [&](const property::LinearInequality& g) { return is_nowhere(row, g); });
}

bool may_hold(const std::vector<property::LinearInequality>& inequalities, std::span<const double> x) {
  const Row point(x.begin(), x.end());
  return std::ranges::none_of(inequalities, [&](const property::LinearInequality& g) { return is_nowhere(point, g); });
}

bool is_inside(const property::Box& box, std::span<const double> x) {
  for (std::size_t i = 0; i < box.size(); ++i) {
    if (!(box.lower[i] <= x[i] && x[i] <= box.upper[i])) return false;
  }
  return true;
}

bool may_be_inside(const property::Ball& ball, std::span<const double> x) {
  if (!is_inside(ball.domain, x)) return false;
  const Interval radius(ball.radius.round_down(), ball.radius.round_up());
  Interval sum, squares;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Interval away = Interval(x[i]) - Interval(ball.centre[i]);
    const double least = std::max({0.0, away.low, -away.high});
    if (ball.norm == property::Norm::kLinf && least > ball.radius_of(i).round_up()) return false;
    sum = sum + Interval(least);
    squares = squares + Interval(least) * Interval(least);
  }
  if (ball.norm == property::Norm::kLinf) return true;
  if (ball.norm == property::Norm::kL1) return sum.low <= radius.high;
  return squares.low <= (radius * radius).high;
}

}  // namespace

std::vector<Interval> box_around(const property::SimpleRegion& region) {
  return std::visit(Overloaded{[](const property::Box& box) { return box_of(box); },
                               [](const property::Ball& ball) { return row_around(ball); },
                               [](const property::AffineImage& image) { return row_around(image); },
                               [](const property::Polytope& polytope) { return box_of(polytope.box); }},
                    region);
}

bool is_certainly_empty(const property::SimpleRegion& region) {
  return std::visit(
      Overloaded{
          [](const property::Box&) { return false; }, [](const property::Ball&) { return false; },
          [](const property::AffineImage& image) { return some_is_nowhere(image.inequalities, image.parameters); },
          [](const property::Polytope& polytope) { return some_is_nowhere(polytope.inequalities, polytope.box); }},
      region);
}

bool may_contain(const property::SimpleRegion& region, std::span<const double> point) {
  const auto in_box = [&](const property::Box& box) { return point.size() == box.size() && is_inside(box, point); };
  return std::visit(Overloaded{in_box,
                               [&](const property::Ball& ball) {
                                 return point.size() == ball.centre.size() && may_be_inside(ball, point);
                               },
                               [&](const property::AffineImage& image) {
                                 return in_box(image.parameters) && may_hold(image.inequalities, point);
                               },
                               [&](const property::Polytope& polytope) {
                                 return in_box(polytope.box) && may_hold(polytope.inequalities, point);
                               }},
                    region);
}

std::vector<Interval> image_at(const property::AffineImage& image, std::span<const double> parameters) {
  property::AffineImage point = image;
  point.parameters = {{parameters.begin(), parameters.end()}, {parameters.begin(), parameters.end()}};
  return box_around(point);
}

}  // namespace plumb::audit
