// affine_image.cc: {offset + G z : z in a box or polytope of parameters}.
#include <algorithm>
#include <cmath>

#include "base/bounded_sum.h"
#include "base/exact_sum.h"
#include "base/numbers.h"
#include "base/rounding.h"
#include "property/region_rules.h"

namespace plumb::property {

std::vector<double> image_of(const AffineImage& image, std::span<const double> parameters) {
  std::vector<double> point = image.offset;
  for (std::size_t i = 0; i < point.size(); ++i) {
    for (std::size_t j = 0; j < parameters.size(); ++j) {
      point[i] += image.generator[i * parameters.size() + j] * parameters[j];
    }
  }
  return point;
}

bool contains_parameters(const AffineImage& image, std::span<const double> z) {
  return rules::contains(Polytope{image.parameters, image.inequalities}, z);
}

SimpleRegion parameter_region(const AffineImage& image) {
  if (image.inequalities.empty()) return image.parameters;
  return Polytope{image.parameters, image.inequalities};
}

// Solves the least-squares problem over the box of parameters by coordinate descent, then projects the result onto the
// inequalities.
std::vector<double> nearest_parameters(const AffineImage& image, std::span<const double> point) {
  constexpr int kSweeps = 20;
  const std::size_t inputs = image.offset.size(), parameters = image.parameters.size();
  std::vector<double> z(parameters);
  for (std::size_t j = 0; j < parameters; ++j) {
    z[j] = std::clamp(0.0, image.parameters.lower[j], image.parameters.upper[j]);
  }
  std::vector<double> residual = image_of(image, z);
  for (std::size_t i = 0; i < inputs; ++i) residual[i] = point[i] - residual[i];
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t j = 0; j < parameters; ++j) {
      double along = 0, square = 0;
      for (std::size_t i = 0; i < inputs; ++i) {
        const double g = image.generator[i * parameters + j];
        along += g * residual[i];
        square += g * g;
      }
      if (!(square > 0)) continue;
      const double moved = std::clamp(z[j] + along / square, image.parameters.lower[j], image.parameters.upper[j]);
      for (std::size_t i = 0; i < inputs; ++i) residual[i] -= image.generator[i * parameters + j] * (moved - z[j]);
      z[j] = moved;
    }
  }
  return image.inequalities.empty() ? z : project(parameter_region(image), z);
}

namespace rules {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

std::span<const double> row_of(const AffineImage& image, std::size_t i) {
  return std::span(image.generator).subspan(i * image.parameters.size(), image.parameters.size());
}

// A lower bound on sign * (offset_i + row . z) over the box of parameters.
double least(const AffineImage& image, std::size_t i, double sign) {
  BoundedSum bound;
  bound.add_product(sign, image.offset[i]);
  const std::span<const double> row = row_of(image, i);
  for (std::size_t j = 0; j < row.size(); ++j) {
    const double g = sign * row[j];
    bound.add_product(g, g >= 0 ? image.parameters.lower[j] : image.parameters.upper[j]);
  }
  return bound.lower();
}

// The same over the polytope of parameters. If that is found to be empty, returns the bound over the box instead, so
// that an enclosing box is never empty.
double least(const AffineImage& image, const Polytope& parameters, std::size_t i, double sign) {
  const double over_box = least(image, i, sign);
  std::vector<double> row(row_of(image, i).begin(), row_of(image, i).end());
  for (double& g : row) g *= sign;
  const double over_polytope = minimum(parameters, row);
  if (over_polytope == kInfinity) return over_box;
  return std::max(over_box, sum_down(sign * image.offset[i], over_polytope));
}

// The only parameter that a row depends on.
struct OnlyParameter {
  bool single = true;         // whether the row depends on at most one parameter
  std::size_t index = kNone;  // kNone if the row is constant, or if `single` is false
};

OnlyParameter only_parameter(std::span<const double> row) {
  OnlyParameter only;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (row[j] == 0) continue;
    if (only.index != kNone) return {false, kNone};
    only.index = j;
  }
  return only;
}

// The exact sign of x - offset - g z.
int residual_sign(double x, double offset, double g, double z) {
  ExactSum sum;
  sum.add(x);
  sum.subtract(offset);
  sum.add_product(-g, z);
  return sum.sign();
}

// Whether (x - offset) / g is in [lower, upper], decided exactly, without dividing.
bool parameter_in_range(double x, double offset, double g, double lower, double upper) {
  const int direction = g > 0 ? 1 : -1;
  return residual_sign(x, offset, g, lower) * direction >= 0 && residual_sign(x, offset, g, upper) * direction <= 0;
}

// Whether (x - offset_x) / g = (y - offset_y) / h, decided exactly, without dividing.
bool same_parameter(double x, double offset_x, double g, double y, double offset_y, double h) {
  ExactSum sum;
  sum.add_product(x, h);
  sum.add_product(-offset_x, h);
  sum.add_product(-y, g);
  sum.add_product(offset_y, g);
  return sum.sign() == 0;
}

}  // namespace

std::size_t checked_size(const AffineImage& image) {
  const std::size_t parameters = checked_size(image.parameters);
  expect_size("the generator of an affine image", image.generator.size(), image.offset.size() * parameters);
  checked_size(Polytope{image.parameters, image.inequalities});
  expect_finite("the offset of an affine image", image.offset);
  expect_finite("the generator of an affine image", image.generator);
  const Box box = enclosing_box(image);  // its corners may overflow
  expect_finite("the box around an affine image", box.lower);
  expect_finite("the box around an affine image", box.upper);
  return image.offset.size();
}

Box enclosing_box(const AffineImage& image) {
  Box box;
  for (std::size_t i = 0; i < image.offset.size(); ++i) {
    box.lower.push_back(least(image, i, 1));
    box.upper.push_back(-least(image, i, -1));
  }
  if (image.inequalities.empty()) return box;
  const Polytope parameters{image.parameters, image.inequalities};
  for (std::size_t i = 0; i < box.size(); ++i) {
    const double lower = least(image, parameters, i, 1), upper = -least(image, parameters, i, -1);
    if (lower > upper) continue;  // the polytope is empty
    box.lower[i] = lower;
    box.upper[i] = upper;
  }
  return box;
}

// a . (offset + G z) = a . offset + (a G) . z for the functional a. Entry j of a G is computed with an error of at most
// gamma(n) sum_i |a_i G_ij|; gamma(2 n) is used because that sum is computed too. z_j multiplies the error. If the
// parameters have inequalities, the computed a G is minimised over their polytope, otherwise over their box.
double minimum(const AffineImage& image, std::span<const double> functional) {
  const std::size_t inputs = image.offset.size(), parameters = image.parameters.size();
  std::vector<double> row(parameters, 0.0), magnitude(parameters, 0.0);
  for (std::size_t i = 0; i < inputs; ++i) {
    if (functional[i] == 0) continue;
    for (std::size_t j = 0; j < parameters; ++j) {
      const double product = functional[i] * image.generator[i * parameters + j];
      row[j] += product;
      magnitude[j] += std::abs(product);
    }
  }
  const auto terms = static_cast<std::int64_t>(inputs);
  const double share = gamma(2 * terms), underflow = static_cast<double>(terms) * kSmallestSubnormal;
  BoundedSum bound;
  for (std::size_t i = 0; i < inputs; ++i) bound.add_product(functional[i], image.offset[i]);
  const bool in_box = image.inequalities.empty();
  for (std::size_t j = 0; j < parameters; ++j) {
    const double lower = image.parameters.lower[j], upper = image.parameters.upper[j];
    if (in_box) bound.add_product(row[j], row[j] >= 0 ? lower : upper);
    const double farthest = std::max(std::abs(lower), std::abs(upper));
    const double error = loose_sum_up(loose_product_up(share, magnitude[j]), underflow);
    if (farthest != 0) bound.add_error(loose_product_up(error, farthest));
  }
  if (in_box) return bound.lower();
  if (!std::all_of(row.begin(), row.end(), [](double a) { return std::isfinite(a); })) return -kInfinity;
  const double over_parameters = minimum(Polytope{image.parameters, image.inequalities}, row);
  return over_parameters == kInfinity ? kInfinity : sum_down(bound.lower(), over_parameters);
}

std::vector<double> minimiser(const AffineImage& image, std::span<const double> functional) {
  std::vector<double> over_parameters(image.parameters.size(), 0.0);
  for (std::size_t i = 0; i < functional.size(); ++i) {
    for (std::size_t j = 0; j < over_parameters.size(); ++j) over_parameters[j] += functional[i] * row_of(image, i)[j];
  }
  return image_of(image, minimiser(Polytope{image.parameters, image.inequalities}, over_parameters));
}

bool contains(const AffineImage& image, std::span<const double> point) {
  if (!image.inequalities.empty()) return false;  // region.h explains why
  // For each parameter, the first input that depends on it. The point's value there determines the parameter.
  std::vector<std::size_t> witness(image.parameters.size(), kNone);
  for (std::size_t i = 0; i < point.size(); ++i) {
    const std::span<const double> row = row_of(image, i);
    const OnlyParameter only = only_parameter(row);
    if (!only.single || !std::isfinite(point[i])) return false;
    const std::size_t j = only.index;
    if (j == kNone) {
      if (point[i] != image.offset[i]) return false;
    } else if (witness[j] == kNone) {
      witness[j] = i;
      if (!parameter_in_range(point[i], image.offset[i], row[j], image.parameters.lower[j],
                              image.parameters.upper[j])) {
        return false;
      }
    } else {
      const std::size_t k = witness[j];
      if (!same_parameter(point[i], image.offset[i], row[j], point[k], image.offset[k], row_of(image, k)[j])) {
        return false;
      }
    }
  }
  return true;
}

std::vector<double> project(const AffineImage& image, std::span<const double> point) {
  return image_of(image, nearest_parameters(image, point));
}

std::vector<double> random_point(const AffineImage& image, std::mt19937_64& random) {
  return image_of(image, random_point(parameter_region(image), random));
}

}  // namespace rules
}  // namespace plumb::property
