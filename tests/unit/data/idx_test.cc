#include "data/idx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/made_files.h"
#include "support/thrown_error.h"

namespace plumb::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(IdxImages, HoldThePixelsOfTheFile) {
  const IdxImages images = read_idx_images(idx_images(2, 1, 3, "\x01\x02\x03\x04\xfe\xff"), "f");
  EXPECT_EQ(images.count, 2);
  EXPECT_EQ(images.rows, 1);
  EXPECT_EQ(images.columns, 3);
  EXPECT_THAT(images.pixels, ElementsAre(1, 2, 3, 4, 254, 255));
}

TEST(IdxLabels, AreUnsignedBytes) {
  EXPECT_THAT(read_idx_labels(idx_labels(3, std::string("\x00\x09\xff", 3)), "f"), ElementsAre(0, 9, 255));
}

TEST(IdxImages, CutAnywhereAreRefused) {
  const std::string whole = idx_images(2, 2, 2, "12345678");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto error = thrown_by<DataError>([&] { read_idx_images(whole.substr(0, length), "images"); });
    EXPECT_EQ(error.where(), "images");
  }
}

TEST(IdxImages, SayHowManyBytesAreMissing) {
  const auto error = thrown_by<DataError>([] { read_idx_images(idx_images(2, 2, 2, "12345"), "f"); });
  EXPECT_THAT(error.problem(), HasSubstr("2x2x2 images"));
  EXPECT_THAT(error.problem(), HasSubstr("3 bytes are missing"));
}

TEST(IdxImages, SayHowManyBytesAreLeftOver) {
  const auto error = thrown_by<DataError>([] { read_idx_images(idx_images(1, 1, 2, "12345"), "f"); });
  EXPECT_THAT(error.problem(), HasSubstr("3 extra bytes follow"));
}

TEST(IdxLabels, OfTheWrongLengthAreRefused) {
  EXPECT_THAT(thrown_by<DataError>([] { read_idx_labels(idx_labels(3, "12"), "f"); }).problem(),
              HasSubstr("1 bytes are missing"));
  EXPECT_THAT(thrown_by<DataError>([] { read_idx_labels(idx_labels(1, "12"), "f"); }).problem(),
              HasSubstr("1 extra bytes follow"));
}

TEST(IdxImages, ClaimingMoreThanMemoryHoldsAreRefused) {
  // 2^32-1 in every dimension: the product is close to 2^96.
  const std::uint32_t most = 0xffffffff;
  EXPECT_THAT(thrown_by<DataError>([&] { read_idx_images(idx_images(most, most, most, "1"), "f"); }).problem(),
              HasSubstr("79228162458924105385300197374 bytes are missing"));
  // 2^64 exactly: an overflowing product would be zero.
  const std::uint32_t half = 0x80000000;
  thrown_by<DataError>([&] { read_idx_images(idx_images(4, half, half, ""), "f"); });
  // A tiny file that claims to hold 10 GB.
  thrown_by<DataError>([&] { read_idx_images(idx_images(10'000, 1'000, 1'000, "1"), "f"); });
}

TEST(IdxImages, WithoutAnyPixelAreRefused) {
  thrown_by<DataError>([] { read_idx_images(idx_images(0, 28, 28, ""), "f"); });
  thrown_by<DataError>([] { read_idx_images(idx_images(5, 0, 28, ""), "f"); });
  thrown_by<DataError>([] { read_idx_labels(idx_labels(0, ""), "f"); });
  thrown_by<DataError>([] { read_idx_images(idx_images(0, 28, 28, "left over"), "f"); });
}

TEST(IdxImages, AreNotLabels) {
  const auto error = thrown_by<DataError>([] { read_idx_images(idx_labels(8, "12345678"), "t10k-labels-idx1-ubyte"); });
  EXPECT_THAT(error.problem(), HasSubstr("0x00000801 (labels)"));
  EXPECT_THAT(error.problem(), HasSubstr("0x00000803 (images)"));
  EXPECT_THAT(error.remedy(), HasSubstr("swapped"));
  thrown_by<DataError>([] { read_idx_labels(idx_images(1, 1, 1, "1"), "f"); });
}

TEST(IdxImages, OfFloatsOrOfAnotherFormatAreRefused) {
  thrown_by<DataError>([] { read_idx_images(big_endian(0x0d03) + std::string(32, '\0'), "f"); });
  thrown_by<DataError>([] { read_idx_images("PK\x03\x04 this is a zip archive", "f"); });
}

}  // namespace
}  // namespace plumb::data
