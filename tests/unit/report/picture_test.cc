#include "report/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include "base/error.h"

namespace plumb::report {
namespace {

using testing::ElementsAre;

// The pixels that libpng decodes from a file in memory, with as many channels as the picture had.
std::vector<std::uint8_t> decoded(const std::string& file, png_uint_32 format) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&image, file.data(), file.size()), 0) << image.message;
  EXPECT_EQ(image.format, format);
  std::vector<std::uint8_t> bytes(PNG_IMAGE_SIZE(image));
  EXPECT_NE(png_image_finish_read(&image, nullptr, bytes.data(), 0, nullptr), 0) << image.message;
  return bytes;
}

TEST(Png, IsReadBackAsItWas) {
  const Picture grey{3, 2, 1, {0, 1, 2, 127, 254, 255}};
  EXPECT_EQ(decoded(png_of(grey), PNG_FORMAT_GRAY), grey.bytes);
  const Picture colour{1, 2, 3, {255, 0, 0, 0, 128, 255}};
  EXPECT_EQ(decoded(png_of(colour), PNG_FORMAT_RGB), colour.bytes);
  const Picture clear{1, 1, 4, {10, 20, 30, 40}};
  EXPECT_EQ(decoded(png_of(clear), PNG_FORMAT_RGBA), clear.bytes);
}

TEST(Png, APictureWhoseNumbersDoNotFitIsADefect) {
  EXPECT_THROW(png_of({2, 2, 1, {0, 0, 0}}), InternalError);
  EXPECT_THROW(png_of({1, 1, 2, {0, 0}}), InternalError);
  EXPECT_THROW(png_of({0, 0, 1, {}}), InternalError);
}

TEST(Base64, IsThatOfTheStandard) {  // RFC 4648, section 10
  EXPECT_EQ(base64_of(""), "");
  EXPECT_EQ(base64_of("f"), "Zg==");
  EXPECT_EQ(base64_of("fo"), "Zm8=");
  EXPECT_EQ(base64_of("foo"), "Zm9v");
  EXPECT_EQ(base64_of("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64_of("\xff\xfe"), "//4=");
}

TEST(Picture, ChannelsComeTogetherWhateverTheOrderOfTheInput) {
  const std::vector<double> first{0, 1, 0.2, 0.4, 0.6, 0.8};  // two pixels: red, red, green, green, blue, blue
  EXPECT_THAT(picture_of(first, {3, 1, 2, false}, {0, 1}).bytes, ElementsAre(0, 51, 153, 255, 102, 204));
  const std::vector<double> last{0, 0.2, 0.6, 1, 0.4, 0.8};
  EXPECT_THAT(picture_of(last, {3, 1, 2, true}, {0, 1}).bytes, ElementsAre(0, 51, 153, 255, 102, 204));
}

TEST(Picture, TheRangeIsBlackToWhiteAndWhatLiesOutsideIsCutOff) {
  const std::vector<double> values{-2, -1, 0, 3, 4};
  EXPECT_THAT(picture_of(values, {1, 1, 5, false}, {-1, 3}).bytes, ElementsAre(0, 0, 64, 255, 255));
  EXPECT_THAT(picture_of(values, {1, 1, 5, false}, {0, 0}).bytes, ElementsAre(0, 0, 0, 255, 255));
}

TEST(Picture, TheLargestChangeIsSeenFully) {
  const std::vector<double> from{0.5, 0.5, 0.5}, to{0.6, 0.45, 0.5};
  const DifferencePicture grey = difference_picture(from, to, {1, 1, 3, false}, {0, 1});
  EXPECT_NEAR(grey.magnification, 10, 1e-9);
  ASSERT_EQ(grey.picture.channels, 4);
  EXPECT_EQ(grey.picture.bytes[3], 255);  // opacity is proportional to the change
  EXPECT_EQ(grey.picture.bytes[7], 128);
  EXPECT_EQ(grey.picture.bytes[11], 0);
  EXPECT_GT(grey.picture.bytes[0], grey.picture.bytes[2]);  // brighter pixels are red
  EXPECT_LT(grey.picture.bytes[4], grey.picture.bytes[6]);  // darker pixels are blue
  const DifferencePicture colour = difference_picture(from, to, {3, 1, 1, false}, {0, 1});
  EXPECT_THAT(colour.picture.bytes, ElementsAre(255, 64, 128));
  EXPECT_THAT(difference_picture(from, from, {3, 1, 1, false}, {0, 1}).picture.bytes, ElementsAre(128, 128, 128));
}

TEST(Picture, OneOrThreeChannelsOfTheInputsSize) {
  EXPECT_TRUE(is_picture(property::ImageShape{1, 2, 2, false}, 4));
  EXPECT_TRUE(is_picture(property::ImageShape{3, 2, 2, true}, 12));
  EXPECT_FALSE(is_picture(property::ImageShape{2, 2, 2, false}, 8));
  EXPECT_FALSE(is_picture(property::ImageShape{1, 2, 2, false}, 5));
  EXPECT_FALSE(is_picture(std::nullopt, 4));
}

TEST(Picture, TheRangeIsTheStoresDomainOrWhatTheNumbersCover) {
  const std::vector<double> values{-3, 5};
  const auto domain = stored_domain({{"domain", "-0.5,2", "-0.5,2", "domain"}});
  ASSERT_TRUE(domain);
  EXPECT_EQ(picture_range(domain, values).lower, -0.5);
  EXPECT_EQ(picture_range(domain, values).upper, 2);
  EXPECT_FALSE(stored_domain({{"domain", "none", "none", "domain"}}));
  EXPECT_EQ(picture_range(std::nullopt, values).lower, -3);
  EXPECT_EQ(picture_range(std::nullopt, values).upper, 5);
}

}  // namespace
}  // namespace plumb::report
