#include "certificate/record.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "base/error.h"
#include "base/numbers.h"

namespace plumb::certificate {
namespace {

std::string bytes(std::initializer_list<int> numbers) {
  std::string result;
  for (const int number : numbers) result += static_cast<char>(number);
  return result;
}

std::string reals(const std::vector<double>& numbers) { return Record().reals(numbers).bytes(); }

TEST(Record, BeginsWithItsKind) {
  EXPECT_EQ(Record(Kind::kAnswer).bytes(), bytes({1}));
  EXPECT_EQ(Record(Kind::kClose).bytes(), bytes({20}));
  EXPECT_EQ(Record(Kind::kEnd).bytes(), bytes({30}));
}

TEST(Record, WritesNumbersInSevenBitsPerByteLowestFirst) {
  EXPECT_EQ(Record().n(0).bytes(), bytes({0}));
  EXPECT_EQ(Record().n(127).bytes(), bytes({127}));
  EXPECT_EQ(Record().n(128).bytes(), bytes({0x80, 1}));
  EXPECT_EQ(Record().n(300).bytes(), bytes({0xac, 2}));
  EXPECT_EQ(Record().n(std::numeric_limits<std::int64_t>::max()).bytes(),
            bytes({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}));
  EXPECT_THROW(Record().n(-1), InternalError);
}

TEST(Record, WritesDoublesAsTheirBitsLowestFirst) {
  EXPECT_EQ(Record().d(1).bytes(), bytes({0, 0, 0, 0, 0, 0, 0xf0, 0x3f}));
  EXPECT_EQ(Record().d(-2.5).bytes(), bytes({0, 0, 0, 0, 0, 0, 4, 0xc0}));
  EXPECT_THROW(Record().d(kInfinity), DataError);
  EXPECT_THROW(Record().d(std::numeric_limits<double>::quiet_NaN()), DataError);
}

TEST(Record, WritesTextsWithTheirLength) {
  EXPECT_EQ(Record().text("").bytes(), bytes({0}));
  EXPECT_EQ(Record().text("ab").bytes(), bytes({2, 'a', 'b'}));
}

TEST(Record, WritesRealsInTheShortestKind) {
  EXPECT_EQ(reals({}), bytes({0}));
  EXPECT_EQ(reals({0, -0.0, 0}), bytes({0}));
  // One float is shorter than one double for all; three floats are not.
  EXPECT_EQ(reals({1}), bytes({1, 0, 0, 0x80, 0x3f}));
  EXPECT_EQ(reals({1, 2}), bytes({1, 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}));
  EXPECT_EQ(reals({1, 1, 1}), bytes({3}) + Record().d(1).bytes());
  // 0.1 is no float.
  EXPECT_EQ(reals({0.1, 1}), bytes({2}) + Record().d(0.1).d(1).bytes());
  EXPECT_EQ(reals({0.1, 0.1}), bytes({3}) + Record().d(0.1).bytes());
}

TEST(Record, WritesFewRealsWithTheirDistances) {
  std::vector<double> few(1000, 0.0);
  few[0] = few[3] = 1;
  few[400] = 2;
  EXPECT_EQ(reals(few), bytes({4, 3, 1, 0, 0, 0x80, 0x3f, 3, 0, 0, 0x80, 0x3f, 0x8d, 3, 0, 0, 0, 0x40}));
  few[3] = 0.1;
  EXPECT_EQ(reals(few), bytes({5, 3, 1}) + Record().d(1).bytes() + bytes({3}) + Record().d(0.1).bytes() +
                            bytes({0x8d, 3}) + Record().d(2).bytes());
}

TEST(Record, RefusesRealsThatAreNotFinite) {
  EXPECT_THROW(reals({1, kInfinity}), DataError);
  EXPECT_THROW(reals({std::numeric_limits<double>::quiet_NaN()}), DataError);
}

}  // namespace
}  // namespace plumb::certificate
