// The line that shows the progress of a data-set run.
#include "cli/run_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumb::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

accuracy::RunStatus halfway(std::size_t levels) {
  accuracy::RunStatus status;
  status.samples = 10000;
  status.done = 1234;
  status.rate = 12.34;
  status.left = {125, false};
  status.slowest = 77;
  status.slowest_seconds = 90;
  accuracy::LevelCounts counts;
  counts.samples = 10000;
  counts.robust = 1000;
  counts.vulnerable = 230;
  counts.unknown = 4;
  counts.pending = 8766;
  status.levels.assign(levels, counts);
  return status;
}

TEST(RunProgress, RateAndTimeLeftComeFirst) {
  EXPECT_THAT(progress_text(halfway(1), {"0.1"}, 200),
              StartsWith("1,234/10,000  12.3/s  2 min 5 s left  error 2.30 to 90.00 %  robust 1,000"));
}

TEST(RunProgress, SaysWhichEpsilonOfHowManyAndFitsAScreen) {
  const std::vector<std::string> epsilons(20, "0.1");
  const std::string text = progress_text(halfway(20), epsilons, 79);
  EXPECT_EQ(text, "1,234/10,000  12.3/s  2 min 5 s left  eps 0.1 (20 of 20): error 2.30 to 90.00 %");
}

TEST(RunProgress, NoPartIsCut) {
  const std::string all = progress_text(halfway(3), {"0.05", "0.1", "0.2"}, 1000);
  EXPECT_THAT(all, HasSubstr("sample 77 has run for 1 min 30 s"));
  for (std::size_t width = 1; width <= all.size(); ++width) {
    const std::string text = progress_text(halfway(3), {"0.05", "0.1", "0.2"}, width);
    EXPECT_LE(text.size(), width);
    for (std::size_t at = 0, end = 0; at < text.size(); at = end + 2) {
      end = std::min(text.find("  ", at), text.size());
      EXPECT_THAT("  " + all + "  ", HasSubstr("  " + text.substr(at, end - at) + "  ")) << width;
    }
  }
}

}  // namespace
}  // namespace plumb::cli
