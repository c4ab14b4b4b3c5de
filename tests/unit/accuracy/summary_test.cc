#include "accuracy/summary.h"

#include <gtest/gtest.h>

#include "accuracy/time_left.h"

namespace plumb::accuracy {
namespace {

store::ResultBrief brief(verdict::Answer answer, const std::string& reason, double seconds = 1) {
  store::ResultBrief result;
  result.answer = answer;
  result.reason = reason;
  result.seconds = seconds;
  return result;
}

TEST(LevelCounts, TheErrorLiesBetweenWhatIsFoundAndWhatIsNotExcluded) {
  LevelCounts counts;
  counts.samples = counts.pending = 10;
  for (int i = 0; i < 5; ++i) counts.add(brief(verdict::Answer::kHolds, ""));
  counts.add(brief(verdict::Answer::kViolated, ""));
  counts.add(brief(verdict::Answer::kUnknown, ""));
  EXPECT_EQ(counts.error_lower(), 0.1);
  EXPECT_EQ(counts.error_upper(), 0.5);
  EXPECT_FALSE(counts.exact());
  counts.remove(brief(verdict::Answer::kUnknown, ""));
  for (int i = 0; i < 4; ++i) counts.add(brief(verdict::Answer::kHolds, ""));
  EXPECT_EQ(counts.error_lower(), counts.error_upper());
  EXPECT_TRUE(counts.exact());
}

TEST(Distribution, PercentilesAreByNearestRank) {
  std::vector<double> numbers;
  for (int i = 200; i >= 1; --i) numbers.push_back(i);
  const Distribution d = distribution_of(numbers);
  EXPECT_EQ(d.mean, 100.5);
  EXPECT_EQ(d.median, 100);
  EXPECT_EQ(d.p90, 180);
  EXPECT_EQ(d.p99, 198);
  EXPECT_EQ(d.maximum, 200);
  EXPECT_EQ(distribution_of({7}).p99, 7);
  EXPECT_EQ(distribution_of({}).maximum, 0);
}

TEST(Stages, AreGroupedByVerdictAndReasonWithoutDetails) {
  const std::vector<store::ResultBrief> results{brief(verdict::Answer::kUnknown, "time limit: 3 % closed"),
                                                brief(verdict::Answer::kHolds, "bounds"),
                                                brief(verdict::Answer::kUnknown, "time limit: 9 % closed", 2)};
  const std::vector<Stage> stages = stages_of(results);
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_EQ(stages[0].reason, "time limit");
  EXPECT_EQ(stages[0].samples, 2);
  EXPECT_EQ(stages[0].seconds, 3);
}

TEST(TimeLeft, SamplesThatWaitComeAtThePaceSoFar) {
  const std::vector<double> finished{1, 1, 1, 1};
  const TimeLeft left = time_left(finished, {}, 8, 2, 2);
  EXPECT_EQ(left.seconds, 4);
  EXPECT_FALSE(left.at_least);
}

TEST(TimeLeft, ASampleThatRunsForLongIsExpectedToGoOnForLong) {
  const std::vector<double> finished{0.1, 0.1, 0.1, 30};
  EXPECT_EQ(time_left(finished, std::vector{10.0}, 0, 1, 2).seconds, 20);
  const TimeLeft beyond = time_left(finished, std::vector{60.0}, 0, 1, 2);
  EXPECT_EQ(beyond.seconds, 60);
  EXPECT_TRUE(beyond.at_least);
  EXPECT_FALSE(time_left(finished, std::vector{60.0}, 1000, 1, 2).at_least);  // the other samples are enough work
}

TEST(TimeLeft, BeforeAnythingHasEndedThereIsNoEstimate) { EXPECT_TRUE(time_left({}, {}, 10, 0, 2).at_least); }

}  // namespace
}  // namespace plumb::accuracy
