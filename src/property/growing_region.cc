#include "property/growing_region.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/numbers.h"
#include "base/rounding.h"
#include "property/distance.h"

namespace plumb::property {
namespace {

// The corner of the box that is farthest in each coordinate from a point of the box.
std::vector<double> farthest_corner(const Box& box, std::span<const double> from) {
  std::vector<double> corner;
  for (std::size_t i = 0; i < box.size(); ++i) {
    corner.push_back(box.upper[i] - from[i] >= from[i] - box.lower[i] ? box.upper[i] : box.lower[i]);
  }
  return corner;
}

// The image over parameters that are all at least zero. A parameter that can have both signs becomes two: z = z+ - z-.
AffineImage with_one_sign_each(const AffineImage& image) {
  const std::size_t old = image.parameters.size();
  std::vector<std::pair<std::size_t, double>> kept;  // the old parameter and its factor
  AffineImage result{image.offset, {}, {}, image.inequalities};
  const auto keep = [&](std::size_t j, double factor, double lower, double upper) {
    kept.emplace_back(j, factor);
    result.parameters.lower.push_back(lower);
    result.parameters.upper.push_back(upper);
  };
  for (std::size_t j = 0; j < old; ++j) {
    const double lower = image.parameters.lower[j], upper = image.parameters.upper[j];
    if (upper > 0 || lower == upper) keep(j, 1, std::max(lower, 0.0), upper);
    if (lower < 0) keep(j, -1, std::max(-upper, 0.0), -lower);
  }
  for (std::size_t i = 0; i < image.offset.size(); ++i) {
    for (const auto& [j, factor] : kept) result.generator.push_back(factor * image.generator[i * old + j]);
  }
  for (LinearInequality& inequality : result.inequalities) {
    std::vector<double> coefficients;
    for (const auto& [j, factor] : kept) coefficients.push_back(factor * inequality.coefficients[j]);
    inequality.coefficients = std::move(coefficients);
  }
  return result;
}

// So many that x keeps about 40 bits.
int dyadic_places(double x) {
  constexpr int kBits = 40, kMostPlaces = 61;
  return std::clamp(kBits - 1 - std::ilogb(x), 0, kMostPlaces);
}

// x rounded up to about 40 bits.
Rational radius_above(double x) {
  if (!(x > 0)) return Rational();
  if (!(x < 0x1p62)) throw DataError("", "a radius times the scale of an input is above 2^62", "give smaller scales");
  const int places = dyadic_places(x);
  return Rational(static_cast<std::int64_t>(std::ceil(std::ldexp(x, places))), std::int64_t{1} << places);
}

}  // namespace

Rational radius_below(double x) {
  if (!(x > 0)) return Rational();
  const int places = dyadic_places(x);
  const double scaled = std::floor(std::ldexp(x, places));
  return Rational(static_cast<std::int64_t>(std::min(scaled, 0x1p62)), std::int64_t{1} << places);
}

GrowingRegion GrowingRegion::balls(Metric metric, std::vector<double> centre, std::optional<Box> domain) {
  GrowingRegion result;
  result.metric_ = std::move(metric);
  result.centre_ = std::move(centre);
  result.domain_ = std::move(domain);
  result.reach_ = kInfinity;
  if (!result.domain_) return result;
  if (!contains(Region(*result.domain_), result.centre_)) {
    throw DataError("", "the sample lies outside the domain, so that no distance from it is defined",
                    fmt::format("give the {} of the samples", argument("domain")));
  }
  std::vector<double> corner = farthest_corner(*result.domain_, result.centre_);
  for (std::size_t i = 0; i < result.metric_.scale.size(); ++i) {
    if (result.metric_.scale[i].is_zero()) corner[i] = result.centre_[i];
  }
  result.reach_ = property::distance(result.metric_, result.centre_, corner);
  return result;
}

GrowingRegion GrowingRegion::images(Norm norm, AffineImage whole) {
  if (norm == Norm::kL2 && whole.parameters.size() > 1) {
    throw ArgumentError("norm",
                        fmt::format("l2 is not supported for a family of {} parameters", whole.parameters.size()),
                        "use linf (the largest parameter) or l1 (their sum)");
  }
  if (!contains_parameters(whole, std::vector<double>(whole.parameters.size(), 0.0))) {
    throw DataError("", "the family does not contain the unchanged sample, so that no distance from it is defined",
                    "choose ranges that contain the parameters of no change: 0 for a brightness, 1 for a "
                    "contrast");
  }
  GrowingRegion result;
  result.metric_.norm = whole.parameters.size() == 1 ? Norm::kLinf : norm;
  result.image_ = result.norm() == Norm::kL1 ? with_one_sign_each(whole) : std::move(whole);
  result.centre_.assign(result.image_->parameters.size(), 0.0);
  result.reach_ =
      property::distance(result.metric_, result.centre_, farthest_corner(result.image_->parameters, result.centre_));
  return result;
}

GrowingRegion GrowingRegion::of(const Perturbation& family, const Metric& metric, std::span<const double> sample,
                                const std::optional<ImageShape>& image, const std::optional<Box>& domain) {
  const std::vector<double> centre(sample.begin(), sample.end());
  if (const auto* ball = std::get_if<NormBall>(&family)) {
    const double radius = ball->radius.round_up();
    double reach = radius;
    for (const Rational& scale : ball->metric.scale) reach = std::max(reach, product_up(radius, scale.round_up()));
    GrowingRegion result = balls(ball->metric, centre, domain ? *domain : box_within(sample, reach));
    result.reach_ = std::min(result.reach_, radius);
    return result;
  }
  const SimpleRegion whole = perturbed(family, sample, image, domain);
  if (const auto* parametric = std::get_if<AffineImage>(&whole)) return images(metric.norm, *parametric);
  return balls(metric, centre, std::get<Box>(whole));
}

// Radii of single inputs are rounded up to dyadic numbers: the products may be too long to be kept exactly.
Ball GrowingRegion::ball_within(const Rational& radius) const {
  Ball ball{metric_.norm, centre_, radius, {}, {}};
  if (is_scaled()) ball.radius = Rational();
  for (const Rational& scale : metric_.scale) {
    ball.radii.push_back(radius_above(product_up(radius.round_up(), scale.round_up())));
    ball.radius = std::max(ball.radius, ball.radii.back());
  }
  ball.domain = domain_ ? *domain_ : box_within(centre_, ball.radius.round_up());
  return ball;
}

SimpleRegion GrowingRegion::within(const Rational& radius) const {
  const double r = radius.round_up();
  if (!image_) return ball_within(radius);
  AffineImage result = *image_;
  for (std::size_t j = 0; j < centre_.size(); ++j) {
    result.parameters.lower[j] = std::max(result.parameters.lower[j], -r);
    result.parameters.upper[j] = std::min(result.parameters.upper[j], r);
  }
  if (norm() == Norm::kL1) result.inequalities.push_back({std::vector<double>(centre_.size(), 1.0), r});
  return result;
}

double GrowingRegion::distance(std::span<const double> variables) const {
  return property::distance(metric_, centre_, variables);
}

}  // namespace plumb::property
