// perturbation.h: families of changed inputs around a sample.
//
// In:  a family, a sample, the image that it is, the values that inputs can have.
// Out: the region of all inputs that the family makes of the sample.
//
//   NormBall    every x' within a radius of x, inside the domain
//   Blur        x convolved with any non-negative kernel of sum one; pixels outside of the image count as zero
//   Brightness  x + b, lower <= b <= upper
//   Contrast    p + c (x - p), lower <= c <= upper, about a pivot p: the image's mean as a float32, unless one is given
//   Patch       pixels inside a rectangle take any value of the domain, in all channels
//   Directions  x + G z, z in a box or polytope
//
// Channels are changed alike. Parameters are counted from the sample as it is: the image of z = 0 is x itself, for a
// blur (weights other than the kernel's centre, which is what the others leave of one), a brightness (b) and a contrast
// (c - 1). So the norm of z measures a distortion.
//
// The domain: balls and patches stay inside. An image x + G z is taken as the formula says, even where its values leave
// the domain. Clipping them is not affine; leaving such images out would leave next to nothing of most brightness and
// contrast families, and a proof about next to nothing is no proof. So `holds` covers the images that stay inside and
// those that do not; a witness may lie outside. (A blur never leaves a domain that contains zero.)
//
// Sound: the region contains every input of the family. Numbers that the user wrote and that are no doubles are rounded
//        outward; the entries of G are exact, or DataError is thrown.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "property/region.h"
#include "tensor/shape.h"

namespace plumb::property {

// How the elements of a flat input are an image.
struct ImageShape {
  std::int64_t channels = 1, height = 0, width = 0;
  bool channels_last = false;

  std::int64_t size() const { return channels * height * width; }
  std::size_t element(std::int64_t channel, std::int64_t row, std::int64_t column) const {
    return static_cast<std::size_t>(channels_last ? (row * width + column) * channels + channel
                                                  : (channel * height + row) * width + column);
  }
};

// The last three dimensions as channels, height, width, unless they are clearly an image with channels last (32x32x3);
// two dimensions are height and width. Nothing if there are no rows and columns, or other dimensions beside the image.
std::optional<ImageShape> image_shape(const tensor::Shape& shape);

struct NormBall {
  Norm norm = Norm::kLinf;
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
  std::vector<std::vector<double>> directions;  // the columns of G: one a parameter, of the sample's size
  Box parameters;
  std::vector<LinearInequality> inequalities;  // on z
};

using Perturbation = std::variant<NormBall, Blur, Brightness, Contrast, Patch, Directions>;

// Whether the family's inputs stay inside the domain, and so depend on it: balls and patches.
bool uses_domain(const Perturbation& family);

// Values that every input can have.
struct Domain {
  double lower = 0, upper = 1;
};

// The domain as a box of the sample's size; without one, a box that no change of up to `reach` leaves.
Box domain_box(const std::optional<Domain>& domain, std::span<const double> sample, double reach);

// The family around the sample. `image` says how the sample is an image, which a blur and a patch need. Throws
// UsageError if it is none, or smaller than the kernel or the patch, or if a patch has no domain; DataError if the
// sample and the family do not fit.
SimpleRegion perturbed(const Perturbation& family, std::span<const double> sample,
                       const std::optional<ImageShape>& image, const std::optional<Domain>& domain);

}  // namespace plumb::property
