#include "store/better_result.h"

#include <gtest/gtest.h>

namespace plumb::store {
namespace {

verdict::Verdict with(verdict::Answer answer, verdict::Evidence evidence = verdict::Evidence::kRigorous) {
  verdict::Verdict verdict;
  verdict.answer = answer;
  verdict.evidence = evidence;
  return verdict;
}

const verdict::Verdict kProof = with(verdict::Answer::kHolds);
const verdict::Verdict kClaim = with(verdict::Answer::kHolds, verdict::Evidence::kSolver);
const verdict::Verdict kWitness = with(verdict::Answer::kViolated);
const verdict::Verdict kUnknown = with(verdict::Answer::kUnknown);

TEST(BetterResult, AProofIsBetterThanAClaimAndThanUnknown) {
  EXPECT_EQ(better_result(kProof, kClaim), Kept::kEarlier);
  EXPECT_EQ(better_result(kClaim, kProof), Kept::kLater);
  EXPECT_EQ(better_result(kProof, kUnknown), Kept::kEarlier);
  EXPECT_EQ(better_result(kUnknown, kProof), Kept::kLater);
}

TEST(BetterResult, AWitnessIsBetterThanAClaimAndThanUnknown) {
  EXPECT_EQ(better_result(kWitness, kClaim), Kept::kEarlier);
  EXPECT_EQ(better_result(kClaim, kWitness), Kept::kLater);
  EXPECT_EQ(better_result(kWitness, kUnknown), Kept::kEarlier);
  EXPECT_EQ(better_result(kUnknown, kWitness), Kept::kLater);
}

TEST(BetterResult, AClaimIsBetterThanUnknown) {
  EXPECT_EQ(better_result(kClaim, kUnknown), Kept::kEarlier);
  EXPECT_EQ(better_result(kUnknown, kClaim), Kept::kLater);
}

TEST(BetterResult, OfEqualResultsTheLaterOneIsKept) {
  EXPECT_EQ(better_result(kProof, kProof), Kept::kLater);
  EXPECT_EQ(better_result(kWitness, kWitness), Kept::kLater);
  EXPECT_EQ(better_result(kClaim, kClaim), Kept::kLater);
  EXPECT_EQ(better_result(kUnknown, kUnknown), Kept::kLater);
}

TEST(BetterResult, AProofAndAWitnessContradictEachOther) {
  EXPECT_EQ(better_result(kProof, kWitness), Kept::kContradiction);
  EXPECT_EQ(better_result(kWitness, kProof), Kept::kContradiction);
}

// Every witness was confirmed, whichever engine found it.
TEST(BetterResult, EvidenceCountsOnlyForHolds) {
  const verdict::Verdict witness = with(verdict::Answer::kViolated, verdict::Evidence::kSolver);
  const verdict::Verdict unknown = with(verdict::Answer::kUnknown, verdict::Evidence::kSolver);
  EXPECT_EQ(better_result(witness, kProof), Kept::kContradiction);
  EXPECT_EQ(better_result(unknown, kUnknown), Kept::kLater);
  EXPECT_EQ(better_result(unknown, kClaim), Kept::kLater);
}

}  // namespace
}  // namespace plumb::store
