// perturbation.h: families of changed inputs around a sample.
//
// In:  a family, a sample, its shape as an image, the values that inputs can have.
// Out: the region of all inputs into which the family can change the sample.
//
//   NormBall    every x' within a radius of x, inside the domain; the radius may be scaled for each input
//   Blur        x convolved with any non-negative kernel of sum one; pixels outside the image count as zero
//   Brightness  x + b, lower <= b <= upper
//   Contrast    p + c (x - p), lower <= c <= upper, about a pivot p: the image's mean as a float32, unless one is given
//   Patch       pixels inside a rectangle take any value of the domain, in all channels
//   Directions  x + G z, z in a box or polytope
//
// Blur, brightness and contrast change all channels in the same way. Parameters z = 0 always stand for the unchanged
// sample, so that the norm of z measures a distortion: z is b for a brightness and c - 1 for a contrast. For a blur, z
// holds all weights of the kernel but the central one, which is 1 minus the sum of the others.
//
// Balls and patches stay inside the domain. An image x + G z is taken as the formula says, even where its values leave
// the domain. Clipping them would not be affine, and excluding such images would leave almost nothing of most
// brightness and contrast families, so that a proof would say almost nothing. So `holds` covers images inside and
// outside the domain, and a witness may lie outside. (A blur never leaves a domain that contains zero.)
//
// Sound: the region contains every input of the family. Numbers written by the user that are not doubles are rounded
//        outward, except a pivot, which stands for the nearest double. The entries of G are exact; if they cannot be,
//        DataError is thrown.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "property/distance.h"
#include "property/region.h"
#include "tensor/shape.h"

namespace plumb::property {

// How the elements of a flat input form an image.
struct ImageShape {
  std::int64_t channels = 1, height = 0, width = 0;
  bool channels_last = false;

  std::int64_t size() const { return channels * height * width; }
  std::size_t element(std::int64_t channel, std::int64_t row, std::int64_t column) const {
    return static_cast<std::size_t>(channels_last ? (row * width + column) * channels + channel
                                                  : (channel * height + row) * width + column);
  }
};

// Three dimensions are channels, height and width, unless they clearly have the channels last (32x32x3). Two dimensions
// are height and width. Leading dimensions of 1 are ignored. Returns nullopt if there are more or fewer dimensions, or
// if the height or width is less than 2.
std::optional<ImageShape> image_shape(const tensor::Shape& shape);

struct NormBall {
  Metric metric;
  Rational radius;
};

struct Blur {
  std::int64_t height = 0, width = 0;  // of the kernel; odd
};

struct Brightness {
  Rational lower, upper;
};

struct Contrast {
  Rational lower, upper;
  std::optional<Rational> pivot = {};
};

struct Patch {
  std::int64_t row = 0, column = 0, height = 0, width = 0;
};

struct Directions {
  std::vector<std::vector<double>> directions;  // the columns of G: one per parameter, each of the sample's size
  Box parameters;
  std::vector<LinearInequality> inequalities;  // on z
};

using Perturbation = std::variant<NormBall, Blur, Brightness, Contrast, Patch, Directions>;

// Whether the family depends on the domain: the inputs of balls and patches stay inside it.
bool uses_domain(const Perturbation& family);

// The box of all points whose inputs each lie within `reach` of those of the sample, rounded outward.
Box box_within(std::span<const double> sample, double reach);

// The family around the sample. `image` is the sample's shape as an image, which blurs and patches need. Throws
// ArgumentError if the shape is missing or does not fit the sample, if the image is too small for the kernel or the
// patch, or if a patch has no domain. Throws DataError if the sample and the family do not fit. `domain` holds the
// values that inputs can have; nullopt means any.
SimpleRegion perturbed(const Perturbation& family, std::span<const double> sample,
                       const std::optional<ImageShape>& image, const std::optional<Box>& domain);

}  // namespace plumb::property
