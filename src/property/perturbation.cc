#include "property/perturbation.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/overloaded.h"
#include "base/rounding.h"

namespace plumb::property {
namespace {

constexpr const char* kArgument = "perturbation";

// a - b, which must be a double, so that the region is exactly the family.
double exact_difference(double a, double b) {
  if (sum_down(a, -b) == sum_up(a, -b)) return a - b;
  throw DataError(argument(kArgument), fmt::format("the difference of the values {} and {} is not a double", a, b),
                  "round the sample's values, to float32 or coarser");
}

struct Families {
  std::span<const double> sample;
  const std::optional<ImageShape>& shape;
  const std::optional<Box>& domain;

  std::vector<double> centre() const { return {sample.begin(), sample.end()}; }

  const ImageShape& image(const char* family) const {
    if (shape && shape->size() == static_cast<std::int64_t>(sample.size())) return *shape;
    throw ArgumentError(
        kArgument,
        fmt::format("a {} needs an image, but neither the network's input nor the data set's samples show "
                    "how {} numbers form one",
                    family, sample.size()),
        "use a network whose input has rows and columns, such as 1x28x28, or a data set that does");
  }

  // x + z gain, z in [lower, upper].
  SimpleRegion along(std::vector<double> gain, double lower, double upper) const {
    return AffineImage{centre(), std::move(gain), {{lower}, {upper}}};
  }

  SimpleRegion operator()(const NormBall& ball) const {
    Ball result{ball.metric.norm, centre(), ball.radius, {}, {}};
    if (!ball.metric.scale.empty()) set_radii(result, ball);
    result.domain = domain ? *domain : box_within(sample, result.radius.round_up());
    return result;
  }

  static void set_radii(Ball& result, const NormBall& ball) {
    result.radius = Rational();
    for (const Rational& scale : ball.metric.scale) {
      const std::optional<Rational> radius = ball.radius.times(scale);
      if (!radius) {
        throw ArgumentError("epsilon",
                            fmt::format("{} times the scale {} needs more than {} digits", ball.radius.to_string(),
                                        scale.to_string(), Rational::kMaxDigits),
                            "round one of them to fewer digits");
      }
      result.radii.push_back(*radius);
      result.radius = std::max(result.radius, *radius);
    }
  }

  // With weight z_k at each place k of the kernel other than its centre, and weight 1 - sum z_k at the centre:
  // x' = x + sum_k z_k ((x moved by k) - x), z_k >= 0, sum z_k <= 1.
  SimpleRegion operator()(const Blur& blur) const {
    const ImageShape& size = image("blur");
    const std::int64_t reach_y = blur.height / 2, reach_x = blur.width / 2;
    if (blur.height > 2 * size.height || blur.width > 2 * size.width) {
      throw ArgumentError(kArgument, fmt::format("a kernel of {}x{} is too large for images of {}x{}", blur.height,
                                                 blur.width, size.height, size.width));
    }
    const auto weights = static_cast<std::size_t>(blur.height * blur.width - 1);
    AffineImage result{centre(), std::vector<double>(sample.size() * weights), {}, {}};
    result.parameters = {std::vector<double>(weights, 0.0), std::vector<double>(weights, 1.0)};
    if (weights > 1) result.inequalities.push_back({std::vector<double>(weights, 1.0), 1});
    std::size_t k = 0;
    for (std::int64_t dy = -reach_y; dy <= reach_y; ++dy) {
      for (std::int64_t dx = -reach_x; dx <= reach_x; ++dx) {
        if (dy == 0 && dx == 0) continue;
        set_moved(result, size, k++, dy, dx);
      }
    }
    return result;
  }

  void set_moved(AffineImage& result, const ImageShape& size, std::size_t k, std::int64_t dy, std::int64_t dx) const {
    for (std::int64_t c = 0; c < size.channels; ++c) {
      for (std::int64_t y = 0; y < size.height; ++y) {
        for (std::int64_t x = 0; x < size.width; ++x) {
          const bool inside = y + dy >= 0 && y + dy < size.height && x + dx >= 0 && x + dx < size.width;
          const double from = inside ? sample[size.element(c, y + dy, x + dx)] : 0;
          const std::size_t at = size.element(c, y, x);
          result.generator[at * result.parameters.size() + k] = exact_difference(from, sample[at]);
        }
      }
    }
  }

  SimpleRegion operator()(const Brightness& brightness) const {
    return along(std::vector<double>(sample.size(), 1.0), brightness.lower.round_down(), brightness.upper.round_up());
  }

  // p + c (x - p) = x + (c - 1) (x - p).
  SimpleRegion operator()(const Contrast& contrast) const {
    double pivot = 0;
    for (const double x : sample) pivot += x;
    pivot = static_cast<double>(static_cast<float>(pivot / static_cast<double>(sample.size())));
    if (contrast.pivot) pivot = contrast.pivot->nearest();
    std::vector<double> gain;
    for (const double x : sample) gain.push_back(exact_difference(x, pivot));
    return along(std::move(gain), sum_down(contrast.lower.round_down(), -1), sum_up(contrast.upper.round_up(), -1));
  }

  SimpleRegion operator()(const Patch& patch) const {
    const ImageShape& size = image("patch");
    if (!domain)
      throw ArgumentError(kArgument, "a patch needs the range of values that its pixels can take",
                          fmt::format("give {} LO,HI", argument("domain")));
    if (patch.row + patch.height > size.height || patch.column + patch.width > size.width) {
      throw ArgumentError(kArgument,
                          fmt::format("a patch of rows {} to {} and columns {} to {} does not lie within {}x{} pixels",
                                      patch.row, patch.row + patch.height - 1, patch.column,
                                      patch.column + patch.width - 1, size.height, size.width),
                          "rows and columns are counted from 0");
    }
    Box box{centre(), centre()};
    for (std::int64_t c = 0; c < size.channels; ++c) {
      for (std::int64_t y = patch.row; y < patch.row + patch.height; ++y) {
        for (std::int64_t x = patch.column; x < patch.column + patch.width; ++x) {
          box.lower[size.element(c, y, x)] = domain->lower[size.element(c, y, x)];
          box.upper[size.element(c, y, x)] = domain->upper[size.element(c, y, x)];
        }
      }
    }
    return box;
  }

  SimpleRegion operator()(const Directions& along_them) const {
    const std::size_t parameters = along_them.directions.size();
    AffineImage result{centre(), std::vector<double>(sample.size() * parameters), along_them.parameters,
                       along_them.inequalities};
    for (std::size_t k = 0; k < parameters; ++k) {
      if (along_them.directions[k].size() != sample.size()) {
        throw DataError(argument(kArgument), fmt::format("direction {} has {} numbers, but the network has {} inputs",
                                                         k, along_them.directions[k].size(), sample.size()));
      }
      for (std::size_t i = 0; i < sample.size(); ++i) {
        result.generator[i * parameters + k] = along_them.directions[k][i];
      }
    }
    return result;
  }
};

}  // namespace

std::optional<ImageShape> image_shape(const tensor::Shape& shape) {
  std::size_t first = 0;
  while (shape.size() - first > 3 && shape[first] == 1) ++first;
  const tensor::Shape last(shape.begin() + static_cast<std::ptrdiff_t>(first), shape.end());
  if (last.size() < 2 || last.size() > 3) return std::nullopt;
  ImageShape image{1, last[last.size() - 2], last[last.size() - 1]};
  if (last.size() == 3) {
    image.channels = last[0];
    constexpr std::int64_t kMostChannels = 4;
    if (last[2] <= kMostChannels && last[0] > kMostChannels) image = {last[2], last[0], last[1], true};
  }
  if (image.height < 2 || image.width < 2) return std::nullopt;
  return image;
}

bool uses_domain(const Perturbation& family) {
  return std::visit(Overloaded{[](const NormBall&) { return true; }, [](const Blur&) { return false; },
                               [](const Brightness&) { return false; }, [](const Contrast&) { return false; },
                               [](const Patch&) { return true; }, [](const Directions&) { return false; }},
                    family);
}

Box box_within(std::span<const double> sample, double reach) {
  Box box;
  for (const double x : sample) {
    box.lower.push_back(sum_down(x, -reach));
    box.upper.push_back(sum_up(x, reach));
  }
  return box;
}

SimpleRegion perturbed(const Perturbation& family, std::span<const double> sample,
                       const std::optional<ImageShape>& image, const std::optional<Box>& domain) {
  return std::visit(Families{sample, image, domain}, family);
}

}  // namespace plumb::property
