#include "accuracy/rerun.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

ResultBrief stored(Answer answer, std::optional<double> timeout = {}, const std::string& reason = "") {
  ResultBrief brief;
  brief.answer = answer;
  brief.timeout = timeout;
  brief.reason = reason;
  brief.recorded = 100;
  return brief;
}

TEST(Rerun, ByDefaultUnknownResultsThatHadLessAreOpen) {
  Limits limits;
  limits.seconds = 10;
  const auto open = [&](const ResultBrief& brief) { return is_open(brief, Rerun::kLargerLimit, limits, 200); };
  EXPECT_TRUE(open(stored(Answer::kUnknown, 5)));
  EXPECT_FALSE(open(stored(Answer::kUnknown, 10)));
  EXPECT_FALSE(open(stored(Answer::kUnknown)));  // had no limit
  EXPECT_FALSE(open(stored(Answer::kHolds, 5)));
  limits.seconds = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(open(stored(Answer::kUnknown, 5)));
  ResultBrief worked = stored(Answer::kUnknown);
  worked.work_limit = 7;
  EXPECT_TRUE(open(worked));
  limits.work = 7;
  EXPECT_FALSE(open(worked));
}

TEST(Rerun, PoliciesOpenWhatTheyName) {
  const ResultBrief unconfirmed = stored(Answer::kUnknown, {}, "witness not confirmed: tolerances");
  EXPECT_TRUE(is_open(unconfirmed, Rerun::kViolatedUnconfirmed, {}, 200));
  EXPECT_FALSE(is_open(stored(Answer::kUnknown, {}, "time limit"), Rerun::kViolatedUnconfirmed, {}, 200));
  EXPECT_TRUE(is_open(stored(Answer::kUnknown), Rerun::kUnknown, {}, 200));
  EXPECT_FALSE(is_open(stored(Answer::kViolated), Rerun::kUnknown, {}, 200));
  EXPECT_TRUE(is_open(stored(Answer::kViolated), Rerun::kAll, {}, 200));
  EXPECT_FALSE(is_open(stored(Answer::kUnknown), Rerun::kNever, {}, 200));
}

TEST(Rerun, WhatWasRecordedSinceTheRunStartedIsNotOpen) {
  EXPECT_TRUE(is_open(stored(Answer::kUnknown), Rerun::kAll, {}, 101));
  EXPECT_FALSE(is_open(stored(Answer::kUnknown), Rerun::kAll, {}, 100));
}

}  // namespace
}  // namespace plumb
