#include "base/error.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

std::string in_capitals(std::string name) {
  for (char& c : name) c = static_cast<char>(std::toupper(c));
  return name;
}

TEST(Error, SaysWhereAndWhat) {
  const DataError error("net.onnx: node 'a'", "is broken", "mend it");
  EXPECT_STREQ(error.what(), "net.onnx: node 'a': is broken");
  EXPECT_EQ(error.remedy(), "mend it");
  EXPECT_EQ(error.kind(), ErrorKind::kData);
  EXPECT_STREQ(DataError("", "is broken").what(), "is broken");
}

TEST(Error, NamesArgumentsPlainlyUnlessTheyAreShownOtherwise) {
  const ArgumentError error("scale", "0 is too small",
                            "leave " + argument("scale") + " out, or see " + argument("layout"));
  EXPECT_EQ(error.where(), "scale");
  EXPECT_STREQ(error.what(), "scale: 0 is too small");
  EXPECT_EQ(error.remedy(), "leave scale out, or see layout");
  EXPECT_EQ(error.report(in_capitals), "SCALE: 0 is too small\nleave SCALE out, or see LAYOUT");
}

TEST(Error, WithoutARemedyIsReportedOnOneLine) {
  EXPECT_EQ(FileError("a scale", "cannot be read").report(in_capitals), "a scale: cannot be read");
}

}  // namespace
}  // namespace plumb
