// The audit itself: a search that tells the truth passes. Lies about pieces and witnesses are noticed; those about
// trees and bounds have files of their own.
#include "audit/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>

#include "base/error.h"
#include "unit/audit/lies.h"

namespace plumb::audit {
namespace {

TEST(Audit, NoticesHalvesThatLeaveAGap) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void halved(std::size_t part, const property::SimpleRegion& piece, const property::SimpleRegion& low,
                const property::SimpleRegion& high) override {
      property::SimpleRegion smaller = low;
      property::Box& box = std::get<property::Box>(smaller);
      for (std::size_t i = 0; i < box.size(); ++i) box.upper[i] -= 1e-6;
      ++lies;
      Messenger::halved(part, piece, smaller, high);
    }
  };
  expect_noticed<Liar>(pieces());
}

// The half is looked at, and nobody is told.
TEST(Audit, NoticesAMissingHalf) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void halved(std::size_t part, const property::SimpleRegion& piece, const property::SimpleRegion& low,
                const property::SimpleRegion& high) override {
      Messenger::halved(part, piece, low, high);
      missing_ = std::get<property::Box>(low);
    }
    void piece_ends(bool holds) override {
      const bool is_missing = lies == 0 && missing_ && holds && same(*missing_, piece_);
      lies += is_missing;
      Messenger::piece_ends(holds && !is_missing);
    }
    void piece_begins(const property::SimpleRegion& region, std::size_t part) override {
      piece_ = std::get<property::Box>(region);
      Messenger::piece_begins(region, part);
    }
    static bool same(const property::Box& a, const property::Box& b) {
      return a.lower == b.lower && a.upper == b.upper;
    }
    std::optional<property::Box> missing_;
    property::Box piece_;
  };
  expect_noticed<Liar>(pieces());
}

TEST(Audit, NoticesAPieceThatIsNotPartOfTheRegion) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void piece_begins(const property::SimpleRegion& region, std::size_t part) override {
      property::Box smaller = std::get<property::Box>(region);
      smaller.upper[0] = smaller.upper[0] / 2 + smaller.lower[0] / 2;
      ++lies;
      Messenger::piece_begins(smaller, part);
    }
  };
  expect_noticed<Liar>(tree_without_cuts());
}

verdict::Verdict with(verdict::Answer answer) {
  verdict::Verdict verdict;
  verdict.answer = answer;
  return verdict;
}

verdict::Verdict violated_at(std::vector<double> input, std::vector<double> parameters = {}) {
  verdict::Verdict verdict = with(verdict::Answer::kViolated);
  verdict.witness = verdict::Witness{.input = std::move(input), .outputs = {}, .parameters = std::move(parameters)};
  verdict.witness->evidence = verdict::WitnessEvidence::kExact;
  return verdict;
}

property::Query query_of(const Question& question) {
  return {shared(question.network), question.region, question.unsafe};
}

TEST(Audit, NoticesAWitnessThatIsNone) {
  Random random(72);
  const property::Query query = query_of(near_miss(random));
  EXPECT_THROW(Audit(query).confirm(violated_at({0.5, 0.5})), InternalError);
  EXPECT_THROW(Audit(query).confirm(violated_at({2, 0})), InternalError);
  EXPECT_THROW(Audit(query).confirm(violated_at({0.5})), InternalError);
}

// x + y <= 1 over the image of a square that is turned by 45 degrees.
TEST(Audit, ConfirmsAWitnessByItsParameters) {
  network::Network network(
      {{"x", network::Input{0}, {}, {2}}, {"y", network::Dense{1, 2, 1, network::Coefficients({1, 1}), {}}, {0}, {1}}},
      {{"x", {2}}}, {{"y", {1}, 1}});
  const property::AffineImage image{{1, 1}, {1, -1, 1, 1}, {{-1, -1}, {1, 1}}};
  const property::Query query(shared(std::move(network)), property::Region(image),
                              property::UnsafeSet{{property::Conjunction{{{1}, {}, 1, false}}}});
  EXPECT_EQ(Audit(query).confirm(violated_at({0.5, 0.5}, {-0.5, 0})), "");
  EXPECT_EQ(Audit(query).confirm(violated_at({0, 0}, {-1, 0.5})), "");
  EXPECT_THROW(Audit(query).confirm(violated_at({0.5, 0.5}, {-0.25, 0})), InternalError);
  EXPECT_THROW(Audit(query).confirm(violated_at({-2, 0}, {-2, 0})), InternalError);
}

TEST(Audit, NoticesThatNothingWasShown) {
  Random random(73);
  const property::Query query = query_of(near_miss(random));
  EXPECT_THROW(Audit(query).confirm(with(verdict::Answer::kHolds)), InternalError);
  EXPECT_EQ(Audit(query).confirm(with(verdict::Answer::kUnknown)), "");
}

TEST(Audit, SaysWhatItHasProven) {
  Random random(76);
  const property::Query query = query_of(near_miss(random));
  Audit audit(query);
  const verdict::Verdict verdict = engine_for(query, tree_without_cuts()).decide(query, {}, audit.listener());
  EXPECT_EQ(audit.confirm(verdict), "");
  EXPECT_EQ(audit.counts().of(certificate::Kind::kPart), 1);
  EXPECT_EQ(audit.counts().of(certificate::Kind::kEnd), 1);
  EXPECT_GT(audit.counts().closings(), 1);
  EXPECT_GT(audit.counts().records(), audit.counts().closings());
  EXPECT_GT(audit.seconds(), 0);
}

// Whoever asks knows that the proof is not complete.
TEST(Audit, StopsWhenItIsInterrupted) {
  Random random(74);
  const property::Query query = query_of(near_miss(random));
  const std::atomic<bool> cancel = true;
  Audit audit(query);
  const verdict::Verdict verdict = engine_for(query, tree_without_cuts()).decide(query, {}, audit.listener());
  EXPECT_EQ(verdict.answer, verdict::Answer::kHolds) << verdict.reason;
  EXPECT_EQ(audit.confirm(verdict, &cancel), "interrupted before the audit was complete");
}

// The first element of the first ReLU, on one side. Where the query holds, every frontier is a sound one.
search::Frontier one_side(const network::Network& network) {
  network::NodeId relu = 0;
  while (!std::holds_alternative<network::Relu>(network.node(relu).op)) ++relu;
  return {false, {{0, {{relu, 0, true}}}}, false};
}

TEST(Audit, HasNoProofOfASearchThatContinues) {
  Random random(75);
  const property::Query query = query_of(near_miss(random));
  for (search::Frontier open : {one_side(*query.network), search::Frontier{false, {}, false}}) {
    Audit audit(query);
    const verdict::Verdict verdict = engine_for(query, tree_without_cuts()).decide(query, {}, open, audit.listener());
    EXPECT_EQ(verdict.answer, verdict::Answer::kHolds);
    EXPECT_THAT(audit.confirm(verdict), ::testing::HasSubstr("continued an earlier one"));
  }
}

}  // namespace
}  // namespace plumb::audit
