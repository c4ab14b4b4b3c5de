#include "reduction/input_space.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/numbers.h"
#include "base/overloaded.h"
#include "base/rounding.h"

namespace plumb::reduction {
namespace {

// The least radius, rounded up, such that every point of [lower, upper] is within the radius of the centre.
double radius_around(double centre, double lower, double upper) {
  return lower == upper ? 0 : round_up(std::max(upper - centre, centre - lower));
}

}  // namespace

InputSpace::InputSpace(const bounds::RegionBounds& bounds) {
  if (bounds.parts.size() != 1) {
    throw InternalError("reduced network", "its region is a union; each part has its own reduced network");
  }
  const property::SimpleRegion& part = bounds.parts[0];
  const auto scaled_parameters = [&](const property::AffineImage& image) -> const property::Box* {
    image_ = image;
    return image.inequalities.empty() ? &image_->parameters : nullptr;
  };
  const property::Box* scaled =
      std::visit(Overloaded{[](const property::Box& box) { return &box; },
                            [](const property::Ball&) -> const property::Box* { return nullptr; }, scaled_parameters,
                            [](const property::Polytope&) -> const property::Box* { return nullptr; }},
                 part);
  if (scaled == nullptr) part_ = image_ ? parameter_region(*image_) : part;
  const property::Box& box = scaled != nullptr ? *scaled : image_ ? image_->parameters : bounds.inputs;
  for (std::size_t j = 0; j < box.size(); ++j) {
    if (scaled == nullptr) {
      centre_.push_back(0);
      radius_.push_back(1);
      lower_.push_back(box.lower[j]);
      upper_.push_back(box.upper[j]);
      magnitude_.push_back(std::max(std::abs(box.lower[j]), std::abs(box.upper[j])));
    } else {
      centre_.push_back(box.lower[j] / 2 + box.upper[j] / 2);
      radius_.push_back(radius_around(centre_.back(), box.lower[j], box.upper[j]));
      magnitude_.push_back(1);
    }
    farthest_.push_back(scaled == nullptr ? magnitude_.back() : loose_sum_up(std::abs(centre_.back()), radius_.back()));
    reach_ = loose_sum_up(reach_, farthest_.back());
  }
  kept_.resize(centre_.size());
  std::iota(kept_.begin(), kept_.end(), 0);
}

std::vector<Entry> InputSpace::over_coordinates(std::span<const Entry> row, double& constant, double& error) const {
  if (part_ && !image_) return {row.begin(), row.end()};
  std::vector<Entry> over_box(row.begin(), row.end());
  double sum = 0, magnitudes = 0;  // what is added to the constant; magnitudes of all rounded terms
  std::size_t terms = row.size();
  if (image_) {
    const std::size_t parameters = image_->parameters.size();
    std::vector<double> product(parameters, 0.0);
    for (const Entry& term : row) {
      const double* generators = image_->generator.data() + index(term.column) * parameters;
      const double offset = term.value * image_->offset[index(term.column)];
      sum += offset;
      magnitudes += std::abs(offset);
      for (std::size_t p = 0; p < parameters; ++p) {
        const double entry = term.value * generators[p];
        product[p] += entry;
        magnitudes += std::abs(entry) * farthest_[p];
      }
    }
    over_box.clear();
    for (std::size_t p = 0; p < parameters; ++p) over_box.push_back({static_cast<std::int32_t>(p), product[p]});
    terms += parameters * (row.size() + 1);
  }
  std::vector<Entry> result;
  result.reserve(over_box.size());
  for (const Entry& term : over_box) {
    const double middle = term.value * centre_[index(term.column)], reach = term.value * radius_[index(term.column)];
    sum += middle;
    magnitudes += std::abs(middle) + std::abs(reach) * (part_ ? farthest_[index(term.column)] : 1);
    if (reach != 0) result.push_back({term.column, reach});
  }
  magnitudes += std::abs(constant);
  constant += sum;
  // Every product and every partial sum is off by at most gamma times the part of `magnitudes` that it contributes to.
  // `magnitudes` itself is rounded too.
  const auto roundings = static_cast<std::int64_t>(terms) + 4;
  const double relative = loose_product_up(gamma(roundings), 1 + 2 * gamma(2 * roundings));
  const double underflow = loose_product_up(reach_, static_cast<double>(4 * roundings) * kSmallestSubnormal);
  error = loose_sum_up(error, loose_sum_up(loose_product_up(relative, magnitudes), underflow));
  return result;
}

void InputSpace::keep(std::vector<std::int32_t> coordinates) {
  if (part_) return;
  std::vector<double> magnitude;
  for (const std::int32_t c : coordinates) magnitude.push_back(magnitude_[index(c)]);
  magnitude_ = std::move(magnitude);
  kept_ = std::move(coordinates);
}

std::vector<double> InputSpace::parameters(std::span<const double> u) const {
  std::vector<double> point = centre_;
  for (std::size_t i = 0; i < kept_.size(); ++i) point[index(kept_[i])] += radius_[index(kept_[i])] * u[i];
  return point;
}

std::vector<double> InputSpace::network_input(std::span<const double> u) const {
  std::vector<double> point = parameters(u);
  return image_ ? image_of(*image_, point) : point;
}

std::vector<double> InputSpace::coordinates(std::span<const double> point) const {
  std::vector<double> u;
  for (const std::int32_t c : kept_) {
    const double radius = radius_[index(c)];
    u.push_back(radius == 0 ? 0 : (point[index(c)] - centre_[index(c)]) / radius);
  }
  return u;
}

}  // namespace plumb::reduction
