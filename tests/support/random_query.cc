#include "support/random_query.h"

#include <algorithm>

namespace plumb::testing {
namespace {

double eighths(Random& random, std::int64_t least, std::int64_t most) {
  return static_cast<double>(uniform(random, least, most)) / 8;
}

property::Box random_box(Random& random, std::size_t size) {
  property::Box box;
  for (std::size_t i = 0; i < size; ++i) {
    box.lower.push_back(eighths(random, -20, 4));
    box.upper.push_back(box.lower.back() + (uniform(random, 0, 7) == 0 ? 0 : eighths(random, 1, 32)));
  }
  return box;
}

std::vector<double> point_of(Random& random, const property::Box& box) {
  std::vector<double> point;
  for (std::size_t i = 0; i < box.size(); ++i) {
    point.push_back(box.lower[i] + (box.upper[i] - box.lower[i]) * eighths(random, 0, 8));
  }
  return point;
}

// Inequalities that some point of the box satisfies, sometimes with equality only.
property::Polytope random_polytope(Random& random, const property::Box& box) {
  property::Polytope polytope{box, {}};
  const std::vector<double> inside = point_of(random, box);
  for (std::int64_t k = uniform(random, 1, 3); k > 0; --k) {
    property::LinearInequality inequality{{}, uniform(random, 0, 3) == 0 ? 0 : eighths(random, 0, 8)};
    for (const double x : inside) {
      inequality.coefficients.push_back(eighths(random, -12, 12));
      inequality.bound += inequality.coefficients.back() * x;
    }
    polytope.inequalities.push_back(std::move(inequality));
  }
  return polytope;
}

property::AffineImage random_image(Random& random, std::size_t size) {
  property::AffineImage image;
  image.parameters = random_box(random, static_cast<std::size_t>(uniform(random, 1, 3)));
  for (std::size_t i = 0; i < size; ++i) {
    image.offset.push_back(eighths(random, -8, 8));
    for (std::size_t j = 0; j < image.parameters.size(); ++j) image.generator.push_back(eighths(random, -8, 8));
  }
  if (uniform(random, 0, 1) == 0) image.inequalities = random_polytope(random, image.parameters).inequalities;
  return image;
}

}  // namespace

property::SimpleRegion random_part(Random& random, std::size_t size, RegionKind kind) {
  const property::Box box = random_box(random, size);
  const auto ball = [&](property::Norm norm) {
    return property::Ball{norm, point_of(random, box), Rational(uniform(random, 0, 25), 10), box};
  };
  switch (kind) {
    case RegionKind::kBox:
      return box;
    case RegionKind::kLinfBall:
      return ball(property::Norm::kLinf);
    case RegionKind::kL1Ball:
      return ball(property::Norm::kL1);
    case RegionKind::kL2Ball:
      return ball(property::Norm::kL2);
    case RegionKind::kAffineImage:
      return random_image(random, size);
    case RegionKind::kPolytope:
      return random_polytope(random, box);
  }
  return box;
}

property::Region random_region(Random& random, std::size_t size) {
  std::vector<property::SimpleRegion> parts;
  for (std::int64_t k = uniform(random, 0, 3) == 0 ? uniform(random, 2, 3) : 1; k > 0; --k) {
    parts.push_back(random_part(random, size, static_cast<RegionKind>(uniform(random, 0, kRegionKinds - 1))));
  }
  return property::Region(std::move(parts));
}

property::OutputInequality random_inequality(Random& random, const network::Network& network) {
  const auto numbers = [&](std::int64_t count) {
    std::vector<double> result;
    for (std::int64_t i = 0; i < count; ++i) result.push_back(static_cast<double>(uniform(random, -2, 2)));
    return result;
  };
  property::OutputInequality inequality;
  inequality.outputs = numbers(network.output_size());
  if (uniform(random, 0, 3) == 0) inequality.inputs = numbers(network.input_size());
  inequality.bound = static_cast<double>(uniform(random, -8, 4)) / 2;
  inequality.strict = uniform(random, 0, 2) == 0;
  return inequality;
}

property::UnsafeSet random_unsafe(Random& random, const network::Network& network) {
  property::UnsafeSet unsafe;
  for (std::int64_t c = uniform(random, 1, 3); c > 0; --c) {
    unsafe.conjunctions.emplace_back();
    for (std::int64_t k = uniform(random, 1, 3); k > 0; --k) {
      unsafe.conjunctions.back().push_back(random_inequality(random, network));
    }
  }
  return unsafe;
}

}  // namespace plumb::testing
