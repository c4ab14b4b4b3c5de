// A small search, made up event by event, and the records that it becomes.
#include "certificate/recorder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "base/numbers.h"
#include "certificate/region_digest.h"

namespace plumb::certificate {
namespace {

using Decisions = std::vector<events::UnitDecision>;

// y = relu(x0 - x1) + relu(x1), whose ReLUs have a name if `named`.
std::shared_ptr<const network::Network> small_network(bool named) {
  std::vector<network::Node> nodes;
  nodes.push_back({"x", network::Input{0}, {}, {2}});
  nodes.push_back({"z", network::Dense{1, 2, 2, network::Coefficients({1, -1, 0, 1}), {}}, {0}, {2}});
  nodes.push_back({"r", network::Relu{}, {1}, {2}});
  if (named) nodes.back().unit_name = network::UnitNodeName{"r_out", 0};
  nodes.push_back({"y", network::Dense{1, 2, 1, network::Coefficients({1, 1}), {}}, {2}, {1}});
  return shared(network::Network(std::move(nodes), {{"x", {2}}}, {{"y", {1}, 3}}));
}

const property::SimpleRegion kBox = property::Box{{-1, -1}, {1, 1}}, kLow = property::Box{{-1, -1}, {0, 1}},
                             kHigh = property::Box{{0, -1}, {1, 1}};

class RecorderTest : public ::testing::Test {
 protected:
  // y <= -1 is unsafe.
  static property::Query query_of(const std::shared_ptr<const network::Network>& network) {
    return {network, property::Region(kBox), {{{{{1}, {}, -1, false}}}}};
  }

  static events::UnitList list() {
    events::UnitList list;
    for (const std::int64_t element : {0, 1}) list.units.push_back({2, element, -1, 1, 0});
    return list;
  }

  events::Closing closing(const Decisions& decisions) const {
    return {.target = 0,
            .decisions = decisions,
            .slope = slope_,
            .multiplier = multiplier_,
            .weight = {},
            .constraint_multiplier = {},
            .bound = 1};
  }

  void begin(const property::SimpleRegion& piece = kBox) {
    recorder_.piece_begins(piece, 0);
    recorder_.bounded({});
    recorder_.units_listed(list());
  }
  void begin_tree() {
    const std::vector<std::int64_t> functionals{0};
    const std::vector<events::TreeRoot> roots(1);
    recorder_.tree_begins(functionals, {}, roots);
  }
  void end(verdict::Answer answer) {
    verdict::Verdict verdict;
    verdict.answer = answer;
    recorder_.query_ends(verdict);
  }

  std::string recorded() const {
    std::string bytes;
    recorder_.read([&](std::string_view more) { bytes += more; });
    return bytes;
  }
  // What comes before the claims about the first piece.
  static std::string beginning() {
    return Record(Kind::kName).text("r_out").n(0).bytes() +
           Record(Kind::kUnsafe).n(1).n(1).n(1).n(0).d(1).n(0).d(-1).n(0).bytes() +
           Record(Kind::kPart).text(region_digest(kBox)).bytes();
  }
  static std::string piece(int number) { return Record(Kind::kPiece).n(number).bytes(); }
  static std::string units() { return Record(Kind::kUnits).n(2).n(0).n(0).n(0).n(1).n(0).bytes(); }
  static std::string plain(Kind kind) { return Record(kind).bytes(); }

  std::shared_ptr<const network::Network> network_ = small_network(true);
  property::Query query_ = query_of(network_);
  Recorder recorder_{*network_, std::filesystem::temp_directory_path()};
  std::vector<double> slope_{0.5, 0.25}, multiplier_{2, 3}, default_{0, 0};
};

TEST_F(RecorderTest, NeedsNoUnitsForWhatDefaultSlopesRefute) {
  recorder_.query_begins(query_);
  begin();
  recorder_.refuted(0, default_, 1);
  recorder_.refuted(0, slope_, 1);  // once is enough
  recorder_.piece_ends(true);
  end(verdict::Answer::kHolds);
  ASSERT_TRUE(recorder_.is_complete());
  EXPECT_EQ(recorded(), beginning() + piece(0) + Record(Kind::kRefuted).n(0).n(0).bytes() + plain(Kind::kProven));
}

TEST_F(RecorderTest, WritesUnitsBeforeWhatNeedsThem) {
  recorder_.query_begins(query_);
  begin();
  recorder_.tightened(1, 0, slope_, 1, default_);
  recorder_.refuted(0, slope_, 1);
  recorder_.piece_ends(true);
  end(verdict::Answer::kHolds);
  EXPECT_EQ(recorded(), beginning() + piece(0) + units() +
                            Record(Kind::kTight).n(1).reals(slope_).reals(default_).bytes() +
                            Record(Kind::kRefuted).n(0).n(1).reals(slope_).bytes() + plain(Kind::kProven));
}

TEST_F(RecorderTest, NumbersSubproblemsAndLeavesOutWhatHasNoEffect) {
  recorder_.query_begins(query_);
  begin();
  begin_tree();
  recorder_.split(0, {}, 1);
  recorder_.closed(closing({{1, true}}));
  recorder_.closed(closing({{1, false}}));
  recorder_.tree_ends();
  recorder_.piece_ends(true);
  end(verdict::Answer::kHolds);
  ASSERT_TRUE(recorder_.is_complete());
  const std::vector<double> slope{0.5, 0}, multiplier{0, 3};
  const auto close = [&](int number) {
    return Record(Kind::kClose).n(number).reals(slope).reals(multiplier).reals({}).n(0).bytes();
  };
  EXPECT_EQ(recorded(), beginning() + piece(0) + units() + Record(Kind::kTree).n(1).n(0).n(0).bytes() +
                            Record(Kind::kSplit).n(0).n(1).bytes() + close(2) + close(1) + plain(Kind::kTreeEnd) +
                            plain(Kind::kProven));
}

// The cuts are taken back with what comes after them, unless that is part of the proof.
TEST_F(RecorderTest, KeepsATreeThatUsesNoneOfTheCutsBeforeIt) {
  recorder_.query_begins(query_);
  begin();
  recorder_.cuts_begin();
  begin_tree();
  recorder_.closed(closing({}));
  recorder_.tree_ends();
  recorder_.units_listed(list());
  recorder_.piece_ends(true);
  end(verdict::Answer::kHolds);
  ASSERT_TRUE(recorder_.is_complete());
  const std::string tree = Record(Kind::kTree).n(1).n(0).n(0).bytes() +
                           Record(Kind::kClose).n(0).reals(slope_).reals({}).reals({}).n(0).bytes() +
                           plain(Kind::kTreeEnd);
  EXPECT_TRUE(recorded().ends_with(tree + plain(Kind::kProven)));
}

TEST_F(RecorderTest, TakesBackWhatIsNotProven) {
  recorder_.query_begins(query_);
  begin();
  begin_tree();
  recorder_.tree_ends();
  recorder_.tightened(1, 0, slope_, 1, slope_);
  recorder_.piece_ends(false);
  recorder_.halved(0, kBox, kLow, kHigh);
  for (const property::SimpleRegion* half : {&kLow, &kHigh}) {
    begin(*half);
    recorder_.refuted(0, default_, 1);
    recorder_.piece_ends(true);
  }
  end(verdict::Answer::kHolds);
  ASSERT_TRUE(recorder_.is_complete());
  const std::string proof = Record(Kind::kRefuted).n(0).n(0).bytes() + plain(Kind::kProven);
  EXPECT_EQ(recorded(),
            beginning() + Record(Kind::kHalved).n(0).n(0).d(0).d(0).bytes() + piece(1) + proof + piece(2) + proof);
}

TEST_F(RecorderTest, RecordsOnlyTheAttemptThatHolds) {
  for (const verdict::Answer answer : {verdict::Answer::kUnknown, verdict::Answer::kHolds}) {
    EXPECT_EQ(recorded(), Record(Kind::kName).text("r_out").n(0).bytes());
    recorder_.query_begins(query_);
    begin();
    recorder_.refuted(0, default_, 1);
    recorder_.piece_ends(true);
    end(answer);
    EXPECT_EQ(recorder_.is_complete(), answer == verdict::Answer::kHolds);
  }
  EXPECT_EQ(recorded(), beginning() + piece(0) + Record(Kind::kRefuted).n(0).n(0).bytes() + plain(Kind::kProven));
}

TEST_F(RecorderTest, KeepsQueriesInTheOrderInWhichTheyWereAsked) {
  const property::Query other(network_, property::Region(kLow), query_.unsafe);
  const auto ask = [&](const property::Query& query, verdict::Answer answer) {
    recorder_.query_begins(query);
    begin(query.region.parts()[0]);
    recorder_.refuted(0, default_, 1);
    recorder_.piece_ends(true);
    end(answer);
  };
  ask(query_, verdict::Answer::kUnknown);
  ask(other, verdict::Answer::kHolds);
  EXPECT_FALSE(recorder_.is_complete());
  ask(query_, verdict::Answer::kHolds);
  EXPECT_TRUE(recorder_.is_complete());
  const std::string all = recorded();
  EXPECT_LT(all.find(region_digest(kBox)), all.find(region_digest(kLow)));
}

TEST_F(RecorderTest, ProvesWhatIsNeverUnsafe) {
  const property::Query query(network_, property::Region(kBox), {});
  recorder_.query_begins(query);
  end(verdict::Answer::kHolds);
  EXPECT_TRUE(recorder_.is_complete());
  EXPECT_EQ(recorded(), Record(Kind::kName).text("r_out").n(0).bytes() + Record(Kind::kUnsafe).n(0).bytes() +
                            Record(Kind::kPart).text(region_digest(kBox)).bytes() + piece(0) + plain(Kind::kProven));
}

TEST_F(RecorderTest, FailsIfThePieceIsNotCovered) {
  recorder_.query_begins(query_);
  end(verdict::Answer::kHolds);
  EXPECT_THROW(std::rethrow_exception(recorder_.failure()), InternalError);
}

TEST_F(RecorderTest, FailsIfAConjunctionWasNotRefuted) {
  recorder_.query_begins(query_);
  begin();
  recorder_.piece_ends(true);
  EXPECT_THROW(std::rethrow_exception(recorder_.failure()), InternalError);
}

TEST_F(RecorderTest, FailsIfAnEarlierSearchIsContinued) {
  recorder_.query_begins(query_);
  begin();
  const std::vector<std::int64_t> functionals{0};
  const std::vector<events::TreeRoot> roots{{0, {{1, true}}}};
  recorder_.tree_begins(functionals, {}, roots);
  EXPECT_THROW(std::rethrow_exception(recorder_.failure()), UnavailableError);
  end(verdict::Answer::kHolds);
  EXPECT_FALSE(recorder_.is_complete());
}

TEST(Recorder, FailsIfUnitsHaveNoNames) {
  const auto network = small_network(false);
  const property::Query query(network, property::Region(kBox), {{{{{1}, {}, -1, false}}}});
  Recorder recorder(*network, std::filesystem::temp_directory_path());
  recorder.query_begins(query);
  recorder.piece_begins(kBox, 0);
  events::UnitList list;
  list.units.push_back({2, 0, -1, 1, 0});
  recorder.units_listed(list);
  EXPECT_THROW(std::rethrow_exception(recorder.failure()), DataError);
}

}  // namespace
}  // namespace plumb::certificate
