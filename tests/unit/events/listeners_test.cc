#include "events/listeners.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "events/listener.h"
#include "support/random_network.h"

namespace plumb::events {
namespace {

class MockSink : public EventSink {
 public:
  MOCK_METHOD(bool, wants_details, (), (const, override));
  MOCK_METHOD(void, query_begins, (const property::Query&), (override));
  MOCK_METHOD(void, query_ends, (const verdict::Verdict&), (override));
  MOCK_METHOD(void, piece_begins, (const property::SimpleRegion&, std::size_t), (override));
  MOCK_METHOD(void, bounded, (std::span<const NodeClaim>), (override));
  MOCK_METHOD(void, region_is_empty, (std::span<const NodeClaim>), (override));
  MOCK_METHOD(void, units_listed, (const UnitList&), (override));
  MOCK_METHOD(void, tightened, (std::int32_t, double, std::span<const double>, double, std::span<const double>),
              (override));
  MOCK_METHOD(void, refuted, (std::int64_t, std::span<const double>, double), (override));
  MOCK_METHOD(void, refuted_by_values, (std::int64_t, double), (override));
  MOCK_METHOD(void, closed_before, (std::size_t), (override));
  MOCK_METHOD(void, cuts_begin, (), (override));
  MOCK_METHOD(void, cut_found, (std::int64_t, const CutClaim&, const CutProof&), (override));
  MOCK_METHOD(void, cut_merged, (std::int64_t, const CutClaim&, std::span<const std::int64_t>, std::span<const double>),
              (override));
  MOCK_METHOD(void, tree_begins,
              (std::span<const std::int64_t>, std::span<const std::int64_t>, std::span<const TreeRoot>), (override));
  MOCK_METHOD(void, split, (std::size_t, const std::vector<UnitDecision>&, std::int32_t), (override));
  MOCK_METHOD(void, narrowed, (const Narrowing&), (override));
  MOCK_METHOD(void, ranges_forgotten, (std::size_t, const std::vector<UnitDecision>&), (override));
  MOCK_METHOD(void, closed, (const Closing&), (override));
  MOCK_METHOD(void, implied, (std::size_t, const std::vector<UnitDecision>&, std::span<const Implication>), (override));
  MOCK_METHOD(void, closed_by_ranges, (std::size_t, const std::vector<UnitDecision>&), (override));
  MOCK_METHOD(void, closed_by_program, (const ProgramClosing&), (override));
  MOCK_METHOD(void, leaf_open, (std::size_t, const std::vector<UnitDecision>&), (override));
  MOCK_METHOD(void, tree_ends, (), (override));
  MOCK_METHOD(void, element_trees_begin, (network::NodeId, std::span<const std::int64_t>), (override));
  MOCK_METHOD(void, subproblem_bounded, (const Closing&), (override));
  MOCK_METHOD(void, element_trees_end, (std::span<const double>), (override));
  MOCK_METHOD(void, piece_ends, (bool), (override));
  MOCK_METHOD(void, halved,
              (std::size_t, const property::SimpleRegion&, const property::SimpleRegion&,
               const property::SimpleRegion&),
              (override));
  MOCK_METHOD(void, witness, (std::size_t, std::span<const double>, std::span<const double>), (override));
};

struct Wanting : Listener {
  bool wants_details() const override { return true; }
};

TEST(Listeners, WantDetailsIfOneOfThemDoes) {
  Listener plain;
  Wanting wanting;
  EXPECT_FALSE(Listeners({}).wants_details());
  EXPECT_FALSE(Listeners({&plain, &plain}).wants_details());
  EXPECT_TRUE(Listeners({&plain, &wanting}).wants_details());
}

TEST(Listeners, HearEventsInTheirOrderOneAfterTheOther) {
  ::testing::StrictMock<MockSink> first, second;
  const ::testing::InSequence in_sequence;
  for (const bool holds : {true, false}) {
    EXPECT_CALL(first, piece_ends(holds));
    EXPECT_CALL(second, piece_ends(holds));
  }
  Listeners both({&first, &second});
  both.piece_ends(true);
  both.piece_ends(false);
}

// Arguments that are passed by reference are compared by address, which shows that nothing is copied on the way.
TEST(Listeners, PassOnEveryEventAboutPiecesAndUnitsAsItIs) {
  ::testing::StrictMock<MockSink> sink;
  Listeners listeners({&sink});
  const property::SimpleRegion region = property::Box{{0}, {1}}, low = property::Box{{0}, {0.5}},
                               high = property::Box{{0.5}, {1}};
  const std::vector<NodeClaim> nodes(2);
  const std::vector<double> below{0.25}, above{0.75};
  const UnitList units;
  plumb::testing::Random random(1);
  const network::Network network = plumb::testing::random_chain(random, {1, 1, 2});
  const property::Query query(shared(network), property::Region(region), property::misclassified(0, 2));
  const verdict::Verdict verdict;

  EXPECT_CALL(sink, query_begins(::testing::Ref(query)));
  EXPECT_CALL(sink, query_ends(::testing::Ref(verdict)));
  EXPECT_CALL(sink, piece_begins(::testing::Ref(region), 3));
  EXPECT_CALL(sink, bounded(::testing::SizeIs(2)));
  EXPECT_CALL(sink, region_is_empty(::testing::SizeIs(2)));
  EXPECT_CALL(sink, units_listed(::testing::Ref(units)));
  EXPECT_CALL(sink, tightened(4, -1.5, ::testing::ElementsAre(0.25), 2.5, ::testing::ElementsAre(0.75)));
  EXPECT_CALL(sink, refuted(5, ::testing::ElementsAre(0.25), 0.5));
  EXPECT_CALL(sink, refuted_by_values(5, 0.75));
  EXPECT_CALL(sink, closed_before(6));
  EXPECT_CALL(sink, halved(7, ::testing::Ref(region), ::testing::Ref(low), ::testing::Ref(high)));
  EXPECT_CALL(sink, witness(8, ::testing::ElementsAre(0.25), ::testing::ElementsAre(0.75)));

  listeners.query_begins(query);
  listeners.query_ends(verdict);
  listeners.piece_begins(region, 3);
  listeners.bounded(nodes);
  listeners.region_is_empty(nodes);
  listeners.units_listed(units);
  listeners.tightened(4, -1.5, below, 2.5, above);
  listeners.refuted(5, below, 0.5);
  listeners.refuted_by_values(5, 0.75);
  listeners.closed_before(6);
  listeners.halved(7, region, low, high);
  listeners.witness(8, below, above);
}

TEST(Listeners, PassOnEveryEventAboutCutsAndTreesAsItIs) {
  ::testing::StrictMock<MockSink> sink;
  Listeners listeners({&sink});
  const CutClaim cut;
  const CutProof proof;
  const std::vector<std::int64_t> numbers{1, 2}, functionals{3};
  const std::vector<double> weights{0.25, 0.75};
  const std::vector<TreeRoot> roots{{0, {{1, true}}}, {0, {{1, false}}}};
  const std::vector<UnitDecision> decisions{{1, true}};
  const Narrowing narrowing;
  const Closing closing;
  const ProgramClosing program;

  EXPECT_CALL(sink, cuts_begin());
  EXPECT_CALL(sink, cut_found(4, ::testing::Ref(cut), ::testing::Ref(proof)));
  EXPECT_CALL(sink,
              cut_merged(5, ::testing::Ref(cut), ::testing::ElementsAre(1, 2), ::testing::ElementsAre(0.25, 0.75)));
  EXPECT_CALL(sink, tree_begins(::testing::ElementsAre(3), ::testing::ElementsAre(1, 2), ::testing::SizeIs(2)));
  EXPECT_CALL(sink, split(6, ::testing::Ref(decisions), 7));
  EXPECT_CALL(sink, narrowed(::testing::Ref(narrowing)));
  EXPECT_CALL(sink, implied(12, ::testing::Ref(decisions), ::testing::SizeIs(2)));
  EXPECT_CALL(sink, ranges_forgotten(9, ::testing::Ref(decisions)));
  EXPECT_CALL(sink, closed(::testing::Ref(closing)));
  EXPECT_CALL(sink, closed_by_ranges(10, ::testing::Ref(decisions)));
  EXPECT_CALL(sink, closed_by_program(::testing::Ref(program)));
  EXPECT_CALL(sink, leaf_open(8, ::testing::Ref(decisions)));
  EXPECT_CALL(sink, tree_ends());
  EXPECT_CALL(sink, element_trees_begin(11, ::testing::ElementsAre(1, 2)));
  EXPECT_CALL(sink, subproblem_bounded(::testing::Ref(closing)));
  EXPECT_CALL(sink, element_trees_end(::testing::ElementsAre(0.25, 0.75)));

  listeners.cuts_begin();
  listeners.cut_found(4, cut, proof);
  listeners.cut_merged(5, cut, numbers, weights);
  listeners.tree_begins(functionals, numbers, roots);
  listeners.split(6, decisions, 7);
  listeners.narrowed(narrowing);
  listeners.implied(12, decisions, std::vector<Implication>(2));
  listeners.ranges_forgotten(9, decisions);
  listeners.closed(closing);
  listeners.closed_by_ranges(10, decisions);
  listeners.closed_by_program(program);
  listeners.leaf_open(8, decisions);
  listeners.tree_ends();
  listeners.element_trees_begin(11, numbers);
  listeners.subproblem_bounded(closing);
  listeners.element_trees_end(weights);
}

}  // namespace
}  // namespace plumb::events
