#include "cli/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace plumb::cli {
namespace {

TEST(Table, AlignsColumnsUnderTheirTitles) {
  Table table({{"name", Align::kLeft}, {"units"}});
  table.add_row({"relu", "7"});
  table.add_row({"a", "1,234"});
  EXPECT_EQ(table.text(),
            "name  units\n"
            "-----------\n"
            "relu      7\n"
            "a     1,234\n");
}

TEST(Table, CutsTheWidestTextToFit100Columns) {
  Table table({{"name", Align::kLeft}, {"op", Align::kLeft}, {"count"}});
  table.add_row({std::string(200, 'x'), std::string(30, 'y'), "123456"});
  std::istringstream lines(table.text());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
  EXPECT_NE(table.text().find(std::string(30, 'y')), std::string::npos);
  EXPECT_NE(table.text().find("xxx..."), std::string::npos);
  EXPECT_NE(table.text().find("123456"), std::string::npos);
}

TEST(Table, LeavesOutOptionalColumnsBeforeItCutsTextShort) {
  Table table({{"name", Align::kLeft}, {"first", Align::kRight, true}, {"second", Align::kRight, true}, {"count"}});
  table.add_row({std::string(14, 'x'), "1", "2", "3"});
  EXPECT_NE(table.text(80).find("second"), std::string::npos);
  const std::string narrow = table.text(30);
  EXPECT_EQ(narrow.find("second"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("first"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find(std::string(14, 'x')), std::string::npos) << narrow;
}

TEST(Table, GroupsDigitsByThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(107496), "107,496");
  EXPECT_EQ(grouped(-123456), "-123,456");
}

}  // namespace
}  // namespace plumb::cli
