#include "property/perturbation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/error.h"

namespace plumb::property {
namespace {

using Numbers = std::vector<double>;

// Two channels of 3x4 pixels. All values are different multiples of 1/64.
const ImageShape kImage{2, 3, 4};
Numbers sample() {
  Numbers x(24);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>((7 * i) % 24) / 64;
  return x;
}
const std::optional<Box> kDomain = Box{Numbers(24, 0), Numbers(24, 1)};

SimpleRegion region_of(const Perturbation& family) { return perturbed(family, sample(), kImage, kDomain); }

Rational rational(const char* text) { return Rational::parse(text, "", Rational::Accept::kAny); }

// The sample convolved with a kernel, directly from the definition.
Numbers convolved(const Numbers& x, const Numbers& kernel, std::int64_t height, std::int64_t width) {
  Numbers result(x.size(), 0.0);
  for (std::int64_t c = 0; c < 2; ++c) {
    for (std::int64_t y = 0; y < 3; ++y) {
      for (std::int64_t column = 0; column < 4; ++column) {
        for (std::int64_t k = 0; k < height * width; ++k) {
          const std::int64_t from_y = y + k / width - height / 2, from_x = column + k % width - width / 2;
          if (from_y < 0 || from_y > 2 || from_x < 0 || from_x > 3) continue;
          result[kImage.element(c, y, column)] +=
              kernel[static_cast<std::size_t>(k)] * x[kImage.element(c, from_y, from_x)];
        }
      }
    }
  }
  return result;
}

TEST(Perturbation, BlurIsEveryConvolutionWithWeightsOfSumOne) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(0, 1);
  for (const Blur blur : {Blur{3, 3}, Blur{1, 3}, Blur{5, 3}}) {
    const SimpleRegion region = region_of(blur);
    const auto& image = std::get<AffineImage>(region);
    const auto places = static_cast<std::size_t>(blur.height * blur.width);
    ASSERT_EQ(image.parameters.size(), places - 1);
    for (int trial = 0; trial < 20; ++trial) {
      Numbers kernel(places);
      for (double& w : kernel) w = unit(random);
      const double sum = std::accumulate(kernel.begin(), kernel.end(), 0.0);
      for (double& w : kernel) w /= sum;
      Numbers z = kernel;
      z.erase(z.begin() + static_cast<std::ptrdiff_t>(places / 2));
      ASSERT_TRUE(contains_parameters(image, z));
      const Numbers changed = image_of(image, z), expected = convolved(sample(), kernel, blur.height, blur.width);
      for (std::size_t i = 0; i < changed.size(); ++i) ASSERT_NEAR(changed[i], expected[i], 1e-14);
    }
    EXPECT_FALSE(contains_parameters(image, Numbers(places - 1, 0.9)));
  }
}

// Each pixel is a convex combination of pixels and zero.
TEST(Perturbation, BlurStaysWithinTheImagesValues) {
  const Box box = enclosing_box(region_of(Blur{3, 3}));
  const Numbers x = sample();
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_GE(box.lower[i], -1e-14);
    EXPECT_LE(box.upper[i], *std::max_element(x.begin(), x.end()) + 1e-14);
  }
}

TEST(Perturbation, ZeroParametersAreTheSampleItself) {
  for (const Perturbation& family :
       {Perturbation(Blur{3, 5}), Perturbation(Brightness{rational("-0.1"), rational("0.1")}),
        Perturbation(Contrast{rational("0.5"), rational("2")})}) {
    const SimpleRegion region = region_of(family);
    const auto& image = std::get<AffineImage>(region);
    const Numbers zero(image.parameters.size(), 0.0);
    EXPECT_TRUE(contains_parameters(image, zero));
    EXPECT_EQ(image_of(image, zero), sample());
  }
}

TEST(Perturbation, BrightnessAddsOneNumberToAllPixels) {
  const SimpleRegion region = region_of(Brightness{rational("-1/3"), rational("0.25")});
  const auto& image = std::get<AffineImage>(region);
  const Numbers brighter = image_of(image, Numbers{0.25});
  for (std::size_t i = 0; i < brighter.size(); ++i) EXPECT_EQ(brighter[i], sample()[i] + 0.25);
  // Rounded outward: -1/3 is not a double.
  EXPECT_LT(std::fma(image.parameters.lower[0], 3, 1), 0);
  EXPECT_EQ(image.parameters.upper[0], 0.25);
}

TEST(Perturbation, ContrastKeepsItsPivot) {
  const SimpleRegion about_half = region_of(Contrast{rational("0.5"), rational("2"), rational("0.5")});
  const auto& image = std::get<AffineImage>(about_half);
  const Numbers flatter = image_of(image, Numbers{-0.5}), stronger = image_of(image, Numbers{1});
  for (std::size_t i = 0; i < flatter.size(); ++i) {
    EXPECT_EQ(flatter[i], 0.5 + 0.5 * (sample()[i] - 0.5));
    EXPECT_EQ(stronger[i], 0.5 + 2 * (sample()[i] - 0.5));
  }
  // Contrast about the mean keeps the mean.
  const SimpleRegion about_mean = region_of(Contrast{rational("0"), rational("3")});
  const Numbers strongest = image_of(std::get<AffineImage>(about_mean), Numbers{2}), x = sample();
  EXPECT_NEAR(std::accumulate(strongest.begin(), strongest.end(), 0.0), std::accumulate(x.begin(), x.end(), 0.0), 1e-5);
}

TEST(Perturbation, PatchFreesItsPixelsInAllChannelsAndNoOthers) {
  const SimpleRegion region = region_of(Patch{1, 2, 2, 1});
  const auto& box = std::get<Box>(region);
  for (std::int64_t c = 0; c < 2; ++c) {
    for (std::int64_t y = 0; y < 3; ++y) {
      for (std::int64_t x = 0; x < 4; ++x) {
        const std::size_t i = kImage.element(c, y, x);
        const bool inside = y >= 1 && x == 2;
        EXPECT_EQ(box.lower[i], inside ? 0 : sample()[i]);
        EXPECT_EQ(box.upper[i], inside ? 1 : sample()[i]);
      }
    }
  }
}

TEST(Perturbation, DirectionsAreTheColumnsOfG) {
  Directions family{{Numbers(24, 0.5), Numbers(24, 0.0)}, {{-1, 0}, {1, 2}}, {{{1, 1}, 1}}};
  family.directions[1][3] = 4;
  const SimpleRegion region = region_of(family);
  const auto& image = std::get<AffineImage>(region);
  const Numbers changed = image_of(image, Numbers{0.5, 0.25});
  for (std::size_t i = 0; i < changed.size(); ++i) EXPECT_EQ(changed[i], sample()[i] + 0.25 + (i == 3 ? 1 : 0));
  EXPECT_FALSE(contains_parameters(image, Numbers{0.5, 0.75}));
}

TEST(Perturbation, BallsWithoutADomainAreNotCut) {
  const SimpleRegion region = perturbed(NormBall{Norm::kLinf, rational("0.1")}, sample(), {}, {});
  const Box box = enclosing_box(region);
  for (std::size_t i = 0; i < box.size(); ++i) EXPECT_NEAR(box.upper[i] - box.lower[i], 0.2, 1e-15);
}

TEST(Perturbation, RefusesWhatDoesNotFit) {
  EXPECT_THROW(perturbed(Blur{3, 3}, sample(), {}, kDomain), ArgumentError) << "no image";
  EXPECT_THROW(perturbed(Blur{3, 3}, sample(), ImageShape{1, 3, 4}, kDomain), ArgumentError) << "another image";
  EXPECT_THROW(region_of(Blur{99, 99}), ArgumentError);
  EXPECT_THROW(region_of(Patch{2, 0, 2, 1}), ArgumentError);
  EXPECT_THROW(perturbed(Patch{0, 0, 1, 1}, sample(), kImage, {}), ArgumentError) << "no domain";
  EXPECT_THROW(region_of(Directions{{Numbers(23, 1.0)}, {{0}, {1}}, {}}), DataError);
  // 1 - 1e-30 is not a double: the family would not be the one described.
  Numbers tiny = sample();
  tiny[0] = 1e-30;
  EXPECT_THROW(perturbed(Blur{3, 3}, tiny, kImage, kDomain), DataError);
}

TEST(ImageShape, IsReadFromTheDimensions) {
  EXPECT_EQ(image_shape({1, 3, 32, 32})->channels, 3);
  EXPECT_EQ(image_shape({1, 1, 28, 28})->height, 28);
  EXPECT_EQ(image_shape({28, 20})->width, 20);
  EXPECT_TRUE(image_shape({1, 32, 32, 3})->channels_last);
  EXPECT_EQ(image_shape({1, 32, 31, 3})->width, 31);
  EXPECT_EQ(image_shape({1, 32, 31, 3})->element(1, 2, 3), std::size_t{(2 * 31 + 3) * 3 + 1});
  EXPECT_FALSE(image_shape({784}));
  EXPECT_FALSE(image_shape({1, 784}));
  EXPECT_FALSE(image_shape({1, 1, 784}));
  EXPECT_FALSE(image_shape({2, 3, 32, 32}));
}

}  // namespace
}  // namespace plumb::property
