#include "data/cifar10.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/thrown_error.h"

namespace plumb::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kRecord = 3073;

std::string record(char label, char first, char last) {
  std::string bytes(kRecord, '\0');
  bytes[0] = label;
  bytes[1] = first;
  bytes[kRecord - 1] = last;
  return bytes;
}

TEST(Cifar10, RecordsAreALabelAndAnImage) {
  const Cifar10Batch batch = read_cifar10(record(3, 10, 20) + record(9, '\xff', 40), "f");
  EXPECT_THAT(batch.labels, ElementsAre(3, 9));
  ASSERT_EQ(batch.pixels.size(), 2 * 3072U);
  EXPECT_EQ(batch.pixels[0], 10);
  EXPECT_EQ(batch.pixels[3071], 20);
  EXPECT_EQ(batch.pixels[3072], 255);
  EXPECT_EQ(batch.pixels[6143], 40);
}

TEST(Cifar10, AnEmptyFileIsRefused) {
  EXPECT_THAT(thrown_by<DataError>([] { read_cifar10("", "f"); }).problem(), HasSubstr("empty"));
}

TEST(Cifar10, ACutRecordIsNamedWithItsOffset) {
  const std::string two = record(0, 1, 2) + record(1, 1, 2);
  const auto error = thrown_by<DataError>([&] { read_cifar10(two.substr(0, two.size() - 3), "test_batch.bin"); });
  EXPECT_EQ(error.where(), "test_batch.bin");
  EXPECT_THAT(error.problem(), HasSubstr("record 1 at byte 3073 has 3070 bytes instead of 3073"));
  thrown_by<DataError>([&] { read_cifar10(two + "x", "f"); });
  thrown_by<DataError>([&] { read_cifar10("x", "f"); });
}

TEST(Cifar10, ALabelAboveNineIsNamedWithItsOffset) {
  const auto error = thrown_by<DataError>([] { read_cifar10(record(9, 1, 2) + record(10, 1, 2), "f"); });
  EXPECT_THAT(error.problem(), HasSubstr("record 1 at byte 3073 has label 10"));
  EXPECT_THAT(thrown_by<DataError>([] { read_cifar10(record('\xff', 1, 2), "f"); }).problem(), HasSubstr("label 255"));
}

}  // namespace
}  // namespace plumb::data
