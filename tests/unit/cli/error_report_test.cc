#include "cli/error_report.h"

#include <gtest/gtest.h>

#include "cli/usage_error.h"

namespace plumb::cli {
namespace {

TEST(ErrorReport, NamesTheFlagsOfArguments) {
  EXPECT_EQ(error_text(ArgumentError("epsilon", "is too large", "for example " + argument("epsilon") + " 0.1")),
            "--eps: is too large\nfor example --eps 0.1");
  EXPECT_EQ(error_text(ArgumentError("network g", "is not declared")), "--network g: is not declared");
  EXPECT_EQ(error_text(DataError("run.db", "is not a store", "use another " + argument("store"))),
            "run.db: is not a store\nuse another --out");
}

TEST(ErrorReport, LeavesOtherNamesAsTheyAre) {
  EXPECT_EQ(error_text(UsageError("--samples", "3 is no range")), "--samples: 3 is no range");
  EXPECT_EQ(error_text(FileError("data", "cannot be read")), "data: cannot be read");
  EXPECT_EQ(error_text(ArgumentError("--eps", "differs")), "--eps: differs");
}

TEST(ErrorReport, KindsHaveTheDocumentedExitCodes) {
  EXPECT_EQ(exit_code(UsageError("", "").kind()), 64);
  EXPECT_EQ(exit_code(ArgumentError("", "").kind()), 64);
  EXPECT_EQ(exit_code(OverflowError("", "").kind()), 65);
  EXPECT_EQ(exit_code(FileError("", "").kind()), 66);
  EXPECT_EQ(exit_code(UnavailableError("", "").kind()), 69);
  EXPECT_EQ(exit_code(InternalError("", "").kind()), 70);
}

}  // namespace
}  // namespace plumb::cli
