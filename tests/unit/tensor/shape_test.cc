#include "tensor/shape.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace plumb::tensor {
namespace {

TEST(Shape, CountsElements) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({1, 3, 32, 32}), 3072);
  EXPECT_EQ(element_count({5, 0, std::int64_t{1} << 40}), 0);
}

TEST(Shape, RefusesWhatOverflowsOrIsNegative) {
  const std::int64_t large = std::int64_t{1} << 40;
  EXPECT_THROW(element_count({large, large}), DataError);
  EXPECT_THROW(element_count({large, large, large, large, large}), DataError);
  EXPECT_THROW(element_count({-1, 4}), DataError);
  EXPECT_THROW(element_count({-1, -4}), DataError);
  EXPECT_THROW(element_count({11}, 10), DataError);
}

TEST(Shape, PrintsAsPeopleWriteIt) {
  EXPECT_EQ(to_string(Shape{1, 28, 28}), "1x28x28");
  EXPECT_EQ(to_string(Shape{}), "scalar");
}

}  // namespace
}  // namespace plumb::tensor
