#include "accuracy/rerun.h"

#include <gtest/gtest.h>

namespace plumb::accuracy {
namespace {

store::ResultBrief stored(verdict::Answer answer, std::optional<double> timeout = {}, const std::string& reason = "") {
  store::ResultBrief brief;
  brief.answer = answer;
  brief.timeout = timeout;
  brief.reason = reason;
  brief.recorded = 100;
  return brief;
}

TEST(Rerun, ByDefaultUnknownResultsThatHadLessAreOpen) {
  Limits limits;
  limits.seconds = 10;
  const auto open = [&](const store::ResultBrief& brief) { return is_open(brief, Rerun::kLargerLimit, limits, 200); };
  EXPECT_TRUE(open(stored(verdict::Answer::kUnknown, 5)));
  EXPECT_FALSE(open(stored(verdict::Answer::kUnknown, 10)));
  EXPECT_FALSE(open(stored(verdict::Answer::kUnknown)));  // the stored run had no limit
  EXPECT_FALSE(open(stored(verdict::Answer::kHolds, 5)));
  limits.seconds = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(open(stored(verdict::Answer::kUnknown, 5)));
  store::ResultBrief worked = stored(verdict::Answer::kUnknown);
  worked.work_limit = 7;
  EXPECT_TRUE(open(worked));
  limits.work = 7;
  EXPECT_FALSE(open(worked));
}

TEST(Rerun, PoliciesOpenWhatTheyName) {
  const store::ResultBrief unconfirmed = stored(verdict::Answer::kUnknown, {}, "witness not confirmed: tolerances");
  EXPECT_TRUE(is_open(unconfirmed, Rerun::kViolatedUnconfirmed, {}, 200));
  EXPECT_FALSE(is_open(stored(verdict::Answer::kUnknown, {}, "time limit"), Rerun::kViolatedUnconfirmed, {}, 200));
  EXPECT_TRUE(is_open(stored(verdict::Answer::kUnknown), Rerun::kUnknown, {}, 200));
  EXPECT_FALSE(is_open(stored(verdict::Answer::kViolated), Rerun::kUnknown, {}, 200));
  EXPECT_TRUE(is_open(stored(verdict::Answer::kViolated), Rerun::kAll, {}, 200));
  EXPECT_FALSE(is_open(stored(verdict::Answer::kUnknown), Rerun::kNever, {}, 200));
}

TEST(Rerun, WhatWasRecordedSinceTheRunStartedIsNotOpen) {
  EXPECT_TRUE(is_open(stored(verdict::Answer::kUnknown), Rerun::kAll, {}, 101));
  EXPECT_FALSE(is_open(stored(verdict::Answer::kUnknown), Rerun::kAll, {}, 100));
}

}  // namespace
}  // namespace plumb::accuracy
