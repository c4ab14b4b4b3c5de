#include "attack/region_steps.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "property/ball_sides.h"

namespace plumb::attack {
namespace {

// What the variables range over. An l-infinity ball becomes a box, because projecting onto a box is much cheaper.
property::SimpleRegion variables_of(const property::SimpleRegion& part) {
  if (const auto* image = std::get_if<property::AffineImage>(&part)) return parameter_region(*image);
  const auto* ball = std::get_if<property::Ball>(&part);
  if (ball == nullptr || ball->norm != property::Norm::kLinf) return part;
  const property::BallSides sides(*ball, property::Rounding::kInward);
  property::Box box;
  for (std::size_t i = 0; i < ball->centre.size(); ++i) {
    box.lower.push_back(std::max(sides.lower(i), ball->domain.lower[i]));
    box.upper.push_back(std::max(box.lower.back(), std::min(sides.upper(i), ball->domain.upper[i])));
  }
  return box;
}

// x += length * gradient / |gradient|.
void move_along(std::vector<double>& x, std::span<const double> gradient, double length) {
  double square = 0;
  for (const double g : gradient) square += g * g;
  if (!(square > 0)) return;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += length / std::sqrt(square) * gradient[i];
}

// Spends the length on the inputs with the largest gradients, each up to the end of its domain. For a linear function
// this is the best step of that length. Among many inputs none moves by more than a quarter of the length: with a wide
// domain, steps of a single input find far fewer witnesses.
void move_steepest(std::vector<double>& x, std::span<const double> gradient, const property::Box& domain,
                   double length) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return std::abs(gradient[a]) > std::abs(gradient[b]); });
  const double most = length / static_cast<double>(std::min<std::size_t>(4, 1 + x.size() / 32));
  double left = length;
  for (const std::size_t i : order) {
    if (!(left > 0) || gradient[i] == 0) break;
    const double room = std::max(0.0, gradient[i] > 0 ? domain.upper[i] - x[i] : x[i] - domain.lower[i]);
    const double spent = std::min({room, left, most});
    x[i] += std::copysign(spent, gradient[i]);
    left -= spent;
  }
}

}  // namespace

RegionSteps::RegionSteps(property::SimpleRegion part) : part_(std::move(part)), movable_(variables_of(part_)) {
  const property::Box box = enclosing_box(movable_);
  for (std::size_t i = 0; i < box.size(); ++i) half_width_.push_back(0.5 * box.upper[i] - 0.5 * box.lower[i]);
}

std::vector<double> RegionSteps::middle() const {
  if (const auto* ball = std::get_if<property::Ball>(&part_)) return project(movable_, ball->centre);
  const property::Box box = enclosing_box(movable_);
  std::vector<double> centre(box.size());
  for (std::size_t i = 0; i < box.size(); ++i) centre[i] = 0.5 * box.lower[i] + 0.5 * box.upper[i];
  return project(movable_, centre);
}

std::vector<double> RegionSteps::random(std::mt19937_64& random) const { return random_point(movable_, random); }

std::vector<double> RegionSteps::inputs_of(std::span<const double> variables) const {
  if (const auto* image = std::get_if<property::AffineImage>(&part_)) return image_of(*image, variables);
  return {variables.begin(), variables.end()};
}

std::vector<double> RegionSteps::step(std::span<const double> variables, std::span<const double> gradient,
                                      double size) const {
  if (const auto* image = std::get_if<property::AffineImage>(&part_)) {
    return moved(variables, gradient_by_parameters(*image, gradient), size);
  }
  return moved(variables, gradient, size);
}

std::vector<double> RegionSteps::random_step(std::span<const double> variables, double size,
                                             std::mt19937_64& random) const {
  std::normal_distribution<double> normal;
  std::vector<double> direction(variables.size());
  for (double& d : direction) d = normal(random);
  return moved(variables, direction, size);
}

std::vector<double> RegionSteps::moved(std::span<const double> variables, std::span<const double> gradient,
                                       double size) const {
  std::vector<double> x(variables.begin(), variables.end());
  const auto* ball = std::get_if<property::Ball>(&movable_);
  if (ball == nullptr) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (gradient[i] != 0) x[i] += std::copysign(size * half_width_[i], gradient[i]);
    }
  } else if (ball->norm == property::Norm::kL2) {
    move_along(x, gradient, size * ball->radius.nearest());
  } else {
    move_steepest(x, gradient, ball->domain, size * ball->radius.nearest());
  }
  return project(movable_, x);
}

std::vector<double> gradient_by_parameters(const property::AffineImage& image, std::span<const double> gradient) {
  std::vector<double> result(image.parameters.size(), 0.0);
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    for (std::size_t j = 0; j < result.size(); ++j) result[j] += gradient[i] * image.generator[i * result.size() + j];
  }
  return result;
}

}  // namespace plumb::attack
