// The audit itself: a search that tells the truth passes. Lies about pieces and witnesses are noticed; those about
// trees and bounds have files of their own.
#include "audit/auditor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>

#include "base/error.h"
#include "search/decide.h"
#include "solvers/solvers.h"
#include "unit/audit/lies.h"

namespace plumb::audit {
namespace {

// The first element of the first ReLU, on one side. Where the query holds, every frontier is a sound one.
search::Frontier one_side(const network::Network& network) {
  network::NodeId relu = 0;
  while (!std::holds_alternative<network::Relu>(network.node(relu).op)) ++relu;
  return {false, {{0, {{relu, 0, true}}}}, false};
}

TEST(Auditor, ProvesOnlyTheListedRootsOfASearchThatContinues) {
  Random random(75);
  int partial = 0;
  for (int round = 0; round < 100 && partial < 10; ++round) {
    const Question question = near_miss(random);
    const property::Query query(shared(question.network), question.region, question.unsafe);
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(query.network);
    const search::SearchEngine engine(
        bounded, std::make_shared<const attack::NetworkEvaluators>(query.network),
        [] { return solvers::make_solver(solvers::kDefaultSolver); }, tree_without_cuts());
    for (const search::Frontier& open : {one_side(*query.network), search::Frontier{false, {}, false}}) {
      Auditor listed(query, nullptr, Scope::kListedRoots), whole(query);
      search::Frontier first = open, second = open;
      EXPECT_EQ(engine.decide(query, {}, first, listed).answer, verdict::Answer::kHolds);
      if (listed.covers_whole_query()) {
        EXPECT_NO_THROW(engine.decide(query, {}, second, whole));
      } else {
        EXPECT_THROW(engine.decide(query, {}, second, whole), InternalError);
        ++partial;
      }
    }
  }
  EXPECT_GE(partial, 10);
}

TEST(Auditor, NoticesHalvesThatLeaveAGap) {
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
TEST(Auditor, NoticesAMissingHalf) {
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

TEST(Auditor, NoticesAPieceThatIsNotPartOfTheRegion) {
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

TEST(Auditor, NoticesAWitnessThatIsNone) {
  Random random(72);
  const Question question = near_miss(random);
  const property::Query query(shared(question.network), question.region, question.unsafe);
  Auditor auditor(query);
  EXPECT_THROW(auditor.witness(0, std::vector<double>{0.5, 0.5}, {}), InternalError);
  EXPECT_THROW(auditor.witness(0, std::vector<double>{2, 0}, {}), InternalError);
  EXPECT_THROW(auditor.query_ends(with(verdict::Answer::kViolated)), InternalError);
}

TEST(Auditor, NoticesThatNothingWasShown) {
  Random random(73);
  const Question question = near_miss(random);
  const property::Query query(shared(question.network), question.region, question.unsafe);
  EXPECT_THROW(Auditor(query).query_ends(with(verdict::Answer::kHolds)), InternalError);
  EXPECT_NO_THROW(Auditor(query).query_ends(with(verdict::Answer::kUnknown)));
}

TEST(Auditor, StopsWhenItIsInterrupted) {
  Random random(74);
  const Question question = near_miss(random);
  const property::Query query(shared(question.network), question.region, question.unsafe);
  const auto bounded = std::make_shared<const bounds::BoundedNetwork>(query.network);
  const search::SearchEngine engine(
      bounded, std::make_shared<const attack::NetworkEvaluators>(query.network),
      [] { return solvers::make_solver(solvers::kDefaultSolver); }, tree_without_cuts());
  const std::atomic<bool> cancel = true;
  Auditor auditor(query, &cancel);
  const verdict::Verdict verdict = engine.decide(query, {}, auditor);
  EXPECT_EQ(verdict.answer, verdict::Answer::kHolds) << verdict.reason;
  EXPECT_TRUE(auditor.is_interrupted());  // so whoever asks knows that it is not complete
}

}  // namespace
}  // namespace plumb::audit
