#include "milp/encoding/region_rows.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/numbers.h"
#include "base/overloaded.h"
#include "base/rounding.h"

namespace plumb::milp {
namespace {

// Intersects the range of scale * variable + shift with [lower, upper], rounded outward.
void restrict_coordinate(program::Program& program, const Expression& coordinate, double lower, double upper) {
  const auto [variable, scale] = coordinate.terms[0];
  const auto quotient_down = [&](double t) { return round_down(round_down(t - coordinate.constant) / scale); };
  const auto quotient_up = [&](double t) { return round_up(round_up(t - coordinate.constant) / scale); };
  const bool plain = scale == 1 && coordinate.constant == 0;
  const double low = std::max(program.lower(variable), plain ? lower : quotient_down(lower));
  const double high = std::min(program.upper(variable), plain ? upper : quotient_up(upper));
  // They cannot cross: the part is not empty and lies in the region that the variables' bounds came from.
  if (low > high) throw InternalError("encoding", "the part does not lie in the region of its bounds");
  program.set_bounds(variable, low, high);
}

// The same for centre + up - down, where up or down is zero.
void restrict_moves(program::Program& program, const Expression& coordinate, double lower, double upper) {
  const double centre = coordinate.constant;
  const auto restrict = [&](program::VariableId move, double least, double most) {
    const double low = std::max({program.lower(move), least, 0.0});
    const double high = std::min(program.upper(move), std::max(most, 0.0));
    if (low > high) throw InternalError("encoding", "the part does not lie in the region of its bounds");
    program.set_bounds(move, low, high);
  };
  restrict(coordinate.terms[0].variable, round_down(lower - centre), round_up(upper - centre));
  restrict(coordinate.terms[1].variable, round_down(centre - upper), round_up(centre - lower));
}

void restrict_to_box(EncodedNetwork& network, const property::Box& box) {
  const auto restrict = network.coordinates_are_moves ? restrict_moves : restrict_coordinate;
  for (std::size_t j = 0; j < box.size(); ++j) {
    if (network.coordinates[j]) restrict(network.program, *network.coordinates[j], box.lower[j], box.upper[j]);
  }
}

// The sum of all moves is at most the radius.
void add_moves_row(EncodedNetwork& network, const property::Ball& ball) {
  for (std::size_t j = 0; j < ball.centre.size(); ++j) {
    const bool is_from_here = network.coordinates[j]->constant == ball.centre[j];
    if (!is_from_here) throw InternalError("encoding", "moves from another centre");
  }
  std::vector<program::Term> sum;
  for (const program::VariableId move : moves_of(network)) sum.push_back({move, 1});
  network.program.add_row(-kInfinity, sum, ball.radius.round_up(), "l1_ball");
}

// sum_j s_j <= r with s_j >= x_j - c_j and s_j >= c_j - x_j.
void add_l1_ball(EncodedNetwork& network, const property::Ball& ball) {
  if (network.coordinates_are_moves) return add_moves_row(network, ball);
  const double radius = ball.radius.round_up();
  std::vector<program::Term> sum;
  for (std::size_t j = 0; j < ball.centre.size(); ++j) {
    if (!network.coordinates[j]) continue;
    const program::VariableId s = network.program.add_variable(0, radius, "s" + std::to_string(j));
    const program::Term minus_s{s, -1};
    add_at_most(network.program, *network.coordinates[j], {&minus_s, 1}, ball.centre[j]);
    add_at_most(network.program, negated(*network.coordinates[j]), {&minus_s, 1}, -ball.centre[j]);
    sum.push_back({s, 1});
  }
  network.program.add_row(-kInfinity, sum, radius, "l1_ball");
}

void add_inequality(EncodedNetwork& network, const property::LinearInequality& inequality, double ignored_coefficient) {
  Expression sum;
  for (std::size_t j = 0; j < inequality.coefficients.size(); ++j) {
    const double a = inequality.coefficients[j];
    if (a == 0 || !network.coordinates[j]) {
      if (a != 0) throw InternalError("encoding", "an input of a polytope was dropped");
      continue;
    }
    const Expression& x = *network.coordinates[j];
    const auto [variable, scale] = x.terms[0];
    const double low = product_down(a, scale), high = product_up(a, scale);
    sum.terms.push_back({variable, low});
    const double most = std::max(std::abs(network.program.lower(variable)), std::abs(network.program.upper(variable)));
    sum.error = sum_up(sum.error, product_up(sum_up(high, -low), most));
    const double shift_low = sum_down(sum.constant, product_down(a, x.constant));
    const double shift_high = sum_up(sum.constant, product_up(a, x.constant));
    sum.constant = shift_low;
    sum.error = sum_up(sum.error, sum_up(shift_high, -shift_low));
  }
  combine_terms(network.program, sum, ignored_coefficient);
  add_at_most(network.program, sum, {}, inequality.bound);
}

bool can_hold_moves(const property::SimpleRegion& part) {
  const auto* ball = std::get_if<property::Ball>(&part);
  return std::holds_alternative<property::Box>(part) || (ball != nullptr && ball->norm != property::Norm::kL2);
}

}  // namespace

double value_at(const Expression& expression, std::span<const double> point) {
  double sum = expression.constant;
  for (const auto& [variable, coefficient] : expression.terms) {
    sum += coefficient * point[static_cast<std::size_t>(variable.index)];
  }
  return sum;
}

SphereRows::SphereRows(EncodedNetwork& network, const property::Ball& ball)
    : centre_(ball.centre), squared_radius_(loose_product_up(ball.radius.round_up(), ball.radius.round_up())) {
  std::vector<program::Term> sum;
  for (std::size_t j = 0; j < ball.centre.size(); ++j) {
    if (!network.coordinates[j]) continue;
    const program::VariableId q = network.program.add_variable(0, squared_radius_, "q" + std::to_string(j));
    squares_.push_back({q, j});
    sum.push_back({q, 1});
  }
  network.program.add_row(-kInfinity, sum, squared_radius_, "l2_ball");
  const double radius = ball.radius.nearest(), share = radius / std::sqrt(static_cast<double>(squares_.size()) + 1);
  for (const Square& square : squares_) {
    for (const double at : {-radius / 2, -share, share, radius / 2}) add_tangent(network, square, at);
  }
}

// q >= 2 p (x - c) - p^2  as  2 p x - q <= 2 p c + p^2.
void SphereRows::add_tangent(EncodedNetwork& network, const Square& square, double at) const {
  Expression x = *network.coordinates[square.coordinate];
  auto& [variable, scale] = x.terms[0];
  const double low = product_down(2 * at, scale), high = product_up(2 * at, scale);
  const double most = std::max(std::abs(network.program.lower(variable)), std::abs(network.program.upper(variable)));
  scale = low;
  x.error = product_up(sum_up(high, -low), most);
  const double side = sum_up(product_up(2 * at, centre_[square.coordinate]), loose_product_up(at, at));
  // 2 p times the coordinate's constant, moved to the other side.
  const double shift = product_down(2 * at, x.constant);
  x.constant = 0;
  const program::Term minus_q{square.variable, -1};
  if (scale != 0) add_at_most(network.program, x, {&minus_q, 1}, sum_up(side, -shift));
}

bool SphereRows::cut_off(EncodedNetwork& network, std::span<const double> point, double tolerance) const {
  double excess = 0;
  std::vector<std::pair<Square, double>> wanted;
  for (const Square& square : squares_) {
    const double away = value_at(*network.coordinates[square.coordinate], point) - centre_[square.coordinate];
    const double missing = away * away - point[static_cast<std::size_t>(square.variable.index)];
    if (missing <= 0) continue;
    excess += missing;
    wanted.emplace_back(square, away);
  }
  if (!(excess > tolerance * squared_radius_)) return false;
  for (const auto& [square, at] : wanted) add_tangent(network, square, at);
  return true;
}

std::optional<SphereRows> add_region(EncodedNetwork& network, const property::SimpleRegion& part,
                                     double ignored_coefficient) {
  if (network.coordinates_are_moves && !can_hold_moves(part)) throw InternalError("encoding", "moves in another part");
  return std::visit(Overloaded{
                        [&](const property::Box& box) -> std::optional<SphereRows> {
                          restrict_to_box(network, box);
                          return std::nullopt;
                        },
                        [&](const property::Ball& ball) -> std::optional<SphereRows> {
                          restrict_to_box(network, enclosing_box(property::SimpleRegion(ball)));
                          if (ball.norm == property::Norm::kL1) add_l1_ball(network, ball);
                          if (ball.norm == property::Norm::kL2) return SphereRows(network, ball);
                          return std::nullopt;
                        },
                        [&](const property::AffineImage& image) -> std::optional<SphereRows> {
                          restrict_to_box(network, image.parameters);
                          for (const property::LinearInequality& inequality : image.inequalities) {
                            add_inequality(network, inequality, ignored_coefficient);
                          }
                          return std::nullopt;
                        },
                        [&](const property::Polytope& polytope) -> std::optional<SphereRows> {
                          restrict_to_box(network, polytope.box);
                          for (const property::LinearInequality& inequality : polytope.inequalities) {
                            add_inequality(network, inequality, ignored_coefficient);
                          }
                          return std::nullopt;
                        },
                    },
                    part);
}

}  // namespace plumb::milp
