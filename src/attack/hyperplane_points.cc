#include "attack/hyperplane_points.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace plumb::attack {
namespace {

using Integer = std::int64_t;
using Wide = __int128;

// Products of a coefficient and a coordinate stay far below 2^127.
constexpr double kLargestCoefficient = 0x1p40, kLargestCoordinate = 0x1p60;

struct Scaled {
  std::vector<Integer> coefficients;
  Integer bound = 0;
};

// The equation for coordinates in units of the grid, multiplied by a power of two that makes all its numbers integers.
std::optional<Scaled> in_integers(const property::LinearInequality& plane, int grid) {
  int power = 0;  // exponent of the lowest bit that is set in any coefficient
  bool any = false;
  for (const double c : plane.coefficients) {
    if (c == 0) continue;
    int exponent = 0;
    const auto mantissa = static_cast<std::uint64_t>(std::abs(std::ldexp(std::frexp(c, &exponent), 53)));
    const int last = exponent - 53 + std::countr_zero(mantissa);
    power = any ? std::min(power, last) : last;
    any = true;
  }
  Scaled result;
  for (const double c : plane.coefficients) {
    const double scaled = std::ldexp(c, -power);
    if (!(std::abs(scaled) <= kLargestCoefficient)) return std::nullopt;
    result.coefficients.push_back(static_cast<Integer>(scaled));
  }
  const double bound = std::ldexp(plane.bound, -power - grid);
  if (!any || bound != std::floor(bound) || !(std::abs(bound) <= kLargestCoordinate)) return std::nullopt;
  result.bound = static_cast<Integer>(bound);
  return result;
}

Integer odd_part(Integer c) {
  const auto magnitude = static_cast<std::uint64_t>(std::abs(c));
  return static_cast<Integer>(magnitude >> std::countr_zero(magnitude));
}

Integer remainder(Wide value, Integer modulus) {
  const auto rest = static_cast<Integer>(value % modulus);
  return rest < 0 ? rest + modulus : rest;
}

// The inverse of a number modulo `modulus`. The two must have no common divisor.
Integer inverse(Integer value, Integer modulus) {
  Integer a = remainder(value, modulus), b = modulus, x = 1, y = 0;
  while (a != 0) {
    const Integer quotient = b / a;
    std::swap(b -= quotient * a, a);
    std::swap(y -= quotient * x, x);
  }
  return remainder(y, modulus);
}

// The integer between the sides nearest to `near` that leaves the given remainder; nullopt if there is none.
std::optional<Integer> nearest_with_rest(double near, double lower, double upper, Integer rest, Integer modulus) {
  const auto m = static_cast<double>(modulus), r = static_cast<double>(rest);
  double steps = std::round((near - r) / m);
  if (steps * m + r > upper) steps = std::floor((upper - r) / m);
  if (steps * m + r < lower) steps = std::ceil((lower - r) / m);
  const double value = steps * m + r;
  if (!(lower <= value && value <= upper && std::abs(value) <= kLargestCoordinate)) return std::nullopt;
  return static_cast<Integer>(steps) * modulus + rest;
}

class Solution {
 public:
  Solution(const Scaled& plane, const property::Box& box, std::span<const double> near, int grid)
      : plane_(plane), box_(box), near_(near), grid_(grid), x_(near.size(), 0) {}

  std::optional<std::vector<double>> run() {
    if (!choose_solved()) return std::nullopt;
    const Integer modulus = odd_part(plane_.coefficients[solved_]);
    for (std::size_t i = 0; i < x_.size(); ++i) {
      if (i != solved_ && plane_.coefficients[i] != 0 && !place(i, 0, modulus)) return std::nullopt;
    }
    if (modulus > 1 && remainder(left_over(), modulus) != 0 && !leave_the_rest(modulus)) return std::nullopt;
    return solve();
  }

 private:
  // Chooses the coordinate to be computed: the one whose coefficient has the smallest odd part, which restricts the
  // others least.
  bool choose_solved() {
    bool any = false;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const Integer c = plane_.coefficients[i];
      if (c == 0 || box_.lower[i] == box_.upper[i]) continue;
      if (!any || odd_part(c) < odd_part(plane_.coefficients[solved_])) solved_ = i;
      any = true;
    }
    return any;
  }

  double in_grid(double value) const { return std::ldexp(value, -grid_); }

  bool place(std::size_t i, Integer rest, Integer modulus) {
    // A coordinate that the box fixes stays where it is.
    const bool is_fixed = box_.lower[i] == box_.upper[i];
    const auto value = nearest_with_rest(in_grid(near_[i]), in_grid(box_.lower[i]), in_grid(box_.upper[i]),
                                         is_fixed ? 0 : rest, is_fixed ? 1 : modulus);
    if (value) x_[i] = *value;
    return value.has_value();
  }

  // bound - the sum over all but the coordinate that is solved for.
  Wide left_over() const {
    Wide left = plane_.bound;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      if (i != solved_) left -= static_cast<Wide>(plane_.coefficients[i]) * x_[i];
    }
    return left;
  }

  // Gives one coordinate the remainder that makes left_over() divisible by the modulus.
  bool leave_the_rest(Integer modulus) {
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const Integer c = plane_.coefficients[i];
      if (i == solved_ || c == 0 || box_.lower[i] == box_.upper[i] || std::gcd(c, modulus) != 1) continue;
      const Wide left = left_over() + static_cast<Wide>(c) * x_[i];
      const Integer rest = remainder(static_cast<Wide>(remainder(left, modulus)) * inverse(c, modulus), modulus);
      if (place(i, rest, modulus)) return true;
    }
    return false;
  }

  std::optional<std::vector<double>> solve() const {
    const Integer c = plane_.coefficients[solved_], odd = odd_part(c);
    const Wide quotient = left_over() / (c < 0 ? -odd : odd);
    if (quotient > static_cast<Wide>(kLargestCoordinate) || quotient < -static_cast<Wide>(kLargestCoordinate)) {
      return std::nullopt;
    }
    std::vector<double> point(near_.begin(), near_.end());
    for (std::size_t i = 0; i < x_.size(); ++i) {
      if (plane_.coefficients[i] != 0) point[i] = std::ldexp(static_cast<double>(x_[i]), grid_);
    }
    const int shift = std::countr_zero(static_cast<std::uint64_t>(std::abs(c)));
    point[solved_] = std::ldexp(static_cast<double>(static_cast<Integer>(quotient)), grid_ - shift);
    return point;
  }

  const Scaled& plane_;
  const property::Box& box_;
  std::span<const double> near_;
  int grid_;
  std::vector<Integer> x_;  // in units of the grid
  std::size_t solved_ = 0;
};

}  // namespace

std::optional<std::vector<double>> point_on_hyperplane(const property::LinearInequality& plane,
                                                       const property::Box& box, std::span<const double> near,
                                                       int grid) {
  const std::optional<Scaled> scaled = in_integers(plane, grid);
  if (!scaled) return std::nullopt;
  return Solution(*scaled, box, near, grid).run();
}

}  // namespace plumb::attack
