#include "attack/representable.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "attack/hyperplane_points.h"
#include "base/error.h"
#include "base/numbers.h"
#include "property/ball_sides.h"

namespace plumb::attack {
namespace {

// A format of binary floating-point numbers: `digits` bits of precision, smallest normal number 2^lowest, all numbers
// below 2^(highest + 1).
struct Format {
  int digits, lowest, highest;
};

Format format_of(network::ElementType type) {
  switch (type) {
    case network::ElementType::kFloat16:
      return {.digits = 11, .lowest = -14, .highest = 15};
    case network::ElementType::kFloat32:
      return {.digits = 24, .lowest = -126, .highest = 127};
    case network::ElementType::kFloat64:
      return {.digits = 53, .lowest = -1022, .highest = 1023};
  }
  throw InternalError("representable", "invalid ElementType value");
}

// The same as below() for float32, but faster: it runs for every candidate witness.
double below_in_float32(double x) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  if (std::abs(x) > static_cast<double>(kLargest)) return x > 0 ? static_cast<double>(kLargest) : -kInfinity;
  const auto nearest = static_cast<float>(x);
  constexpr float kDown = -std::numeric_limits<float>::infinity();
  return static_cast<double>(static_cast<double>(nearest) > x ? std::nextafter(nearest, kDown) : nearest);
}

// Numbers of the format near x are multiples of 2^(exponent - digits + 1). Scaling x by a power of two is exact.
double below(double x, const Format& format) {
  const double largest = std::ldexp(2 - std::ldexp(1.0, 1 - format.digits), format.highest);
  if (x >= largest) return largest;
  if (x < -largest) return -kInfinity;
  if (x == 0) return 0;
  const int step = std::max(std::ilogb(x), format.lowest) - format.digits + 1;
  return std::ldexp(std::floor(std::ldexp(x, -step)), step);
}

}  // namespace

double representable_below(double x, network::ElementType type) {
  if (type == network::ElementType::kFloat32) return below_in_float32(x);
  return type == network::ElementType::kFloat64 ? x : below(x, format_of(type));
}

double representable_above(double x, network::ElementType type) { return -representable_below(-x, type); }

double nearest_representable(double x, network::ElementType type) {
  const double low = representable_below(x, type), high = representable_above(x, type);
  return x - low <= high - x ? low : high;
}

std::vector<network::ElementType> element_types(const network::Network& network) {
  std::vector<network::ElementType> types;
  for (const network::NetworkInput& input : network.inputs()) {
    types.insert(types.end(), static_cast<std::size_t>(tensor::element_count(input.shape)), input.type);
  }
  return types;
}

RepresentablePoints::RepresentablePoints(const property::SimpleRegion& part, std::vector<network::ElementType> types)
    : part_(part), region_(part), types_(std::move(types)), sides_(enclosing_box(part)) {
  if (const auto* ball = std::get_if<property::Ball>(&part); ball != nullptr && ball->norm == property::Norm::kLinf) {
    const property::BallSides exact(*ball, property::Rounding::kInward);  // enclosing_box() rounds the sides outward
    for (std::size_t i = 0; i < types_.size(); ++i) {
      sides_.lower[i] = std::max(exact.lower(i), ball->domain.lower[i]);
      sides_.upper[i] = std::min(exact.upper(i), ball->domain.upper[i]);
    }
  }
  for (std::size_t i = 0; i < types_.size(); ++i) {
    limits_.lower.push_back(representable_above(sides_.lower[i], types_[i]));
    limits_.upper.push_back(representable_below(sides_.upper[i], types_[i]));
  }
}

std::optional<RepresentablePoint> RepresentablePoints::nearest(std::span<const double> point) const {
  if (!std::all_of(point.begin(), point.end(), [](double x) { return std::isfinite(x); })) return std::nullopt;
  return std::visit([&](const auto& part) { return nearest_in(part, point); }, part_);
}

RepresentablePoint RepresentablePoints::clamped(std::span<const double> point) const {
  RepresentablePoint result;
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (limits_.lower[i] <= limits_.upper[i]) {
      const double rounded = nearest_representable(point[i], types_[i]);
      result.point.push_back(std::clamp(rounded, limits_.lower[i], limits_.upper[i]));
    } else {
      // The sides may have no double between them, if a ball's radius is far below the last bit of its centre.
      const double upper = std::max(sides_.lower[i], sides_.upper[i]);
      result.point.push_back(std::clamp(point[i], sides_.lower[i], upper));
      result.representable = false;
    }
  }
  return result;
}

std::optional<RepresentablePoint> RepresentablePoints::if_inside(RepresentablePoint candidate) const {
  if (!contains(region_, candidate.point)) return std::nullopt;
  return candidate;
}

std::optional<RepresentablePoint> RepresentablePoints::nearest_in(const property::Box&,
                                                                  std::span<const double> point) const {
  return if_inside(clamped(point));
}

// Rounding may leave an l1 or l2 ball. First the point is moved towards the centre by a small share of the way, and
// each coordinate is rounded to nearest. Errors of both signs cancel, so for float32 a share of 2^-20 is usually ample.
// If that fails, each coordinate is rounded towards the centre. This never leaves the ball, but its errors have one
// sign and add up. The point is again moved further and further towards the centre.
std::optional<RepresentablePoint> RepresentablePoints::nearest_in(const property::Ball& ball,
                                                                  std::span<const double> point) const {
  if (auto inside = if_inside(clamped(point)); inside || ball.norm == property::Norm::kLinf) return inside;
  const std::vector<double> nearest = project(part_, point);
  const std::vector<double> middle = project(property::SimpleRegion(ball.domain), ball.centre);
  std::vector<double> moved(point.size());
  int digits = format_of(network::ElementType::kFloat64).digits;
  for (const network::ElementType type : types_) digits = std::min(digits, format_of(type).digits);
  const double first = std::ldexp(1.0, -digits - 3), ample = 128 * first;
  for (double share = first; share <= ample; share *= 2) {
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = nearest[i] + share * (middle[i] - nearest[i]);
    if (auto inside = if_inside(clamped(moved))) return inside;
  }
  for (double share = 0; share <= 1; share = share == 0 ? first : 4 * share) {
    for (std::size_t i = 0; i < moved.size(); ++i) {
      const double x = middle[i] + (1 - share) * (nearest[i] - middle[i]);
      const double inward = x >= middle[i] ? representable_below(x, types_[i]) : representable_above(x, types_[i]);
      moved[i] = (x >= middle[i]) == (inward >= middle[i]) ? inward : x;
    }
    if (auto inside = if_inside(clamped(moved))) return inside;
  }
  return std::nullopt;
}

// Rounding changes the value of an inequality by up to sum_i |g_i| times half a unit in the last place of x_i. The
// projection, in double arithmetic, has rounding errors too. So the half-spaces are moved inward by about that much,
// then by more and more, before the point is projected and rounded.
std::optional<RepresentablePoint> RepresentablePoints::nearest_in(const property::Polytope& polytope,
                                                                  std::span<const double> point) const {
  if (auto inside = if_inside(clamped(point))) return inside;
  property::Polytope inner = polytope;
  constexpr int kAttempts = 12;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    for (std::size_t k = 0; k < inner.inequalities.size(); ++k) {
      const std::vector<double>& g = polytope.inequalities[k].coefficients;
      double rounding = 0;
      for (std::size_t i = 0; i < g.size(); ++i) {
        const double x = std::clamp(point[i], sides_.lower[i], sides_.upper[i]);
        const double last_place = representable_above(x, types_[i]) - representable_below(x, types_[i]);
        rounding += std::abs(g[i]) * std::max(last_place, 0x1p-52 * std::abs(x));
      }
      inner.inequalities[k].bound = polytope.inequalities[k].bound - std::ldexp(rounding, attempt - 2);
    }
    if (auto inside = if_inside(clamped(project(property::SimpleRegion(inner), point)))) return inside;
  }
  return nearest_on_planes(polytope, point);
}

// For equations, that is, pairs of opposite inequalities, which leave a hyperplane. Grids become coarser and coarser,
// starting with the finest that the type has.
std::optional<RepresentablePoint> RepresentablePoints::nearest_on_planes(const property::Polytope& polytope,
                                                                         std::span<const double> point) const {
  const auto is_opposite = [](const property::LinearInequality& a, const property::LinearInequality& b) {
    return a.bound == -b.bound && std::ranges::equal(a.coefficients, b.coefficients, {}, std::negate<>());
  };
  const std::vector<double> near = clamped(point).point;
  double farthest = std::numeric_limits<double>::min();
  for (const double x : near) farthest = std::max(farthest, std::abs(x));
  int digits = format_of(network::ElementType::kFloat64).digits;
  for (const network::ElementType type : types_) digits = std::min(digits, format_of(type).digits);
  for (std::size_t k = 0; k < polytope.inequalities.size(); ++k) {
    const property::LinearInequality& plane = polytope.inequalities[k];
    const auto later = std::span(polytope.inequalities).subspan(k + 1);
    if (std::ranges::none_of(later, [&](const auto& other) { return is_opposite(plane, other); })) continue;
    const int finest = std::ilogb(farthest) + 1 - digits;
    for (int grid = finest; grid < finest + digits; ++grid) {
      const auto found = point_on_hyperplane(plane, limits_, near, grid);
      if (!found) continue;
      RepresentablePoint candidate{*found, true};
      for (std::size_t i = 0; i < types_.size(); ++i) {
        candidate.representable =
            candidate.representable && nearest_representable(candidate.point[i], types_[i]) == candidate.point[i];
      }
      if (!candidate.representable) continue;
      if (auto inside = if_inside(std::move(candidate))) return inside;
    }
  }
  return std::nullopt;
}

std::optional<RepresentablePoint> RepresentablePoints::nearest_in(const property::AffineImage&,
                                                                  std::span<const double>) const {
  throw InternalError("representable", "points of an affine image are given by their parameters");
}

}  // namespace plumb::attack
