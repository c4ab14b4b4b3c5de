#include "property/region.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/numbers.h"
#include "base/overloaded.h"
#include "property/region_rules.h"

namespace plumb::property {
namespace {

void expect_fitting(const Region& region, std::size_t size) {
  if (size == region.size()) return;
  throw InternalError("Region", fmt::format("{} numbers given for a region of {} inputs", size, region.size()));
}

}  // namespace

const char* name_of(Norm norm) {
  switch (norm) {
    case Norm::kL1:
      return "l1";
    case Norm::kL2:
      return "l2";
    case Norm::kLinf:
      return "linf";
  }
  throw InternalError("name_of", "invalid Norm value");
}

Region::Region(SimpleRegion part) : Region(std::vector<SimpleRegion>{std::move(part)}) {}

Region::Region(std::vector<SimpleRegion> parts) : parts_(std::move(parts)) {
  if (parts_.empty()) throw DataError("", "a region needs at least one part");
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const std::size_t size = std::visit([](const auto& part) { return rules::checked_size(part); }, parts_[i]);
    if (i == 0) size_ = size;
    if (size == size_) continue;
    throw DataError("", fmt::format("part {} of the region has {} inputs, but the first has {}", i, size, size_));
  }
}

Box enclosing_box(const SimpleRegion& region) {
  return std::visit([](const auto& part) { return rules::enclosing_box(part); }, region);
}

Box coordinate_box(const SimpleRegion& region) {
  return std::visit(
      Overloaded{[](const Box& box) { return box; }, [](const Ball& ball) { return rules::enclosing_box(ball); },
                 [](const AffineImage& image) { return image.parameters; },
                 [](const Polytope& polytope) { return polytope.box; }},
      region);
}

Box enclosing_box(const Region& region) {
  Box box = enclosing_box(region.parts().front());
  for (const SimpleRegion& part : region.parts()) {
    const Box other = enclosing_box(part);
    for (std::size_t i = 0; i < box.size(); ++i) {
      box.lower[i] = std::min(box.lower[i], other.lower[i]);
      box.upper[i] = std::max(box.upper[i], other.upper[i]);
    }
  }
  return box;
}

double minimum(const SimpleRegion& region, std::span<const double> functional) {
  return std::visit([&](const auto& part) { return rules::minimum(part, functional); }, region);
}

double minimum(const Region& region, std::span<const double> functional) {
  expect_fitting(region, functional.size());
  double least = kInfinity;
  for (const SimpleRegion& part : region.parts()) least = std::min(least, minimum(part, functional));
  return least;
}

std::vector<double> minimiser(const SimpleRegion& region, std::span<const double> functional) {
  return std::visit([&](const auto& part) { return rules::minimiser(part, functional); }, region);
}

bool contains(const Region& region, std::span<const double> point) {
  expect_fitting(region, point.size());
  return std::any_of(region.parts().begin(), region.parts().end(), [&](const SimpleRegion& simple) {
    return std::visit([&](const auto& part) { return rules::contains(part, point); }, simple);
  });
}

bool contains(const Region& region, std::span<const float> point) {
  const std::vector<double> exact(point.begin(), point.end());
  return contains(region, exact);
}

std::vector<double> project(const SimpleRegion& region, std::span<const double> point) {
  return std::visit([&](const auto& part) { return rules::project(part, point); }, region);
}

std::vector<double> random_point(const SimpleRegion& region, std::mt19937_64& random) {
  return std::visit([&](const auto& part) { return rules::random_point(part, random); }, region);
}

}  // namespace plumb::property
