#include "certificate/tree_records.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace plumb::certificate {
namespace {

using Range = events::NarrowedRange;

UnitSet set_of(std::initializer_list<std::size_t> units) {
  UnitSet set(9, false);
  for (const std::size_t unit : units) set[unit] = true;
  return set;
}

// Records that are texts, so that one can see which are left: narrowings are followed by their units and sides.
class Tree : public ::testing::Test {
 protected:
  Tree() { records_.clear(9); }

  static Record named(const std::string& name) { return std::move(Record().text(name)); }

  void narrow(std::int64_t subproblem, const std::string& name, const std::vector<Range>& ends, const UnitSet& rests_on,
              std::size_t target = 0) {
    records_.add_narrowing({target, subproblem}, named(name), ends, rests_on);
  }
  void close(std::int64_t subproblem, const UnitSet& rests_on, std::size_t target = 0) {
    records_.add_proof({target, subproblem}, named("close"), rests_on);
  }
  void split(std::int64_t subproblem, std::int64_t child, std::size_t target = 0) {
    records_.add_split({target, subproblem}, named("split"), child);
  }

  static std::string written(const std::vector<std::string>& names, const std::vector<std::vector<Range>>& ends) {
    std::string bytes;
    for (std::size_t i = 0; i < names.size(); ++i) {
      Record record = named(names[i]);
      if (!ends[i].empty()) record.n(ends[i].size());
      for (const Range& end : ends[i]) record.n(2 * end.unit + (end.upper ? 1 : 0)).d(end.factor).d(end.bound);
      bytes += record.bytes();
    }
    return bytes;
  }
  std::string result(const std::vector<bool>& counts = {true}) {
    Spool out(std::filesystem::temp_directory_path());
    records_.write(counts, out);
    std::string bytes;
    out.read(0, out.size(), [&](std::string_view more) { bytes += more; });
    return bytes;
  }

  TreeRecords records_{std::filesystem::temp_directory_path()};
};

constexpr Range kLow1{1, false, 0.5, -1}, kHigh1{1, true, 0.25, 2}, kLow2{2, false, 1, -3}, kLow1Later{1, false, 2, 0};

TEST_F(Tree, KeepsTheEndsThatAProofRestsOn) {
  narrow(0, "narrow", {kLow1, kHigh1, kLow2}, set_of({}));
  close(0, set_of({1}));
  EXPECT_EQ(result(), written({"narrow", "close"}, {{kLow1, kHigh1}, {}}));
}

TEST_F(Tree, LeavesOutNarrowingsThatNothingRestsOn) {
  narrow(0, "narrow", {kLow1, kHigh1}, set_of({3}));
  close(0, set_of({2}));
  EXPECT_EQ(result(), written({"close"}, {{}}));
}

TEST_F(Tree, KeepsTheLastOfSeveralEnds) {
  narrow(0, "first", {kLow1, kLow2}, set_of({}));
  narrow(0, "second", {kLow1Later}, set_of({}));
  close(0, set_of({1, 2}));
  EXPECT_EQ(result(), written({"first", "second", "close"}, {{kLow2}, {kLow1Later}, {}}));
}

// The later end rests on the earlier one.
TEST_F(Tree, KeepsWhatNarrowingsRestOn) {
  narrow(0, "first", {kLow1, kHigh1}, set_of({}));
  narrow(0, "second", {kLow1Later}, set_of({1}));
  close(0, set_of({1}));
  EXPECT_EQ(result(), written({"first", "second", "close"}, {{kLow1, kHigh1}, {kLow1Later}, {}}));
}

TEST_F(Tree, KeepsWhatEitherChildRestsOn) {
  narrow(0, "narrow", {kLow1, kHigh1, kLow2}, set_of({}));
  split(0, 1);
  narrow(1, "again", {kLow1Later}, set_of({}));
  close(1, set_of({1}));
  close(2, set_of({2}));
  EXPECT_EQ(result(),
            written({"narrow", "split", "again", "close", "close"}, {{kHigh1, kLow2}, {}, {kLow1Later}, {}, {}}));
}

TEST_F(Tree, ForgetsRanges) {
  narrow(0, "narrow", {kLow1}, set_of({}));
  records_.add_forgetting({0, 0}, named("forget"));
  close(0, set_of({1}));
  EXPECT_EQ(result(), written({"forget", "close"}, {{}, {}}));
}

TEST_F(Tree, KeepsOnlySplitsOfTargetsThatDoNotCount) {
  split(0, 2);
  split(1, 4, 1);
  narrow(2, "narrow", {kLow1}, set_of({1}));
  close(2, set_of({1}));
  narrow(4, "other", {kLow1}, set_of({1}), 1);
  close(4, set_of({1}), 1);
  EXPECT_EQ(result({false, true}), written({"split", "split", "other", "close"}, {{}, {}, {kLow1}, {}}));
}

TEST_F(Tree, BeginsAnewWhenItIsCleared) {
  close(0, set_of({1}));
  records_.clear(9);
  narrow(0, "narrow", {kLow1}, set_of({}));
  close(0, set_of({1}));
  EXPECT_EQ(result(), written({"narrow", "close"}, {{kLow1}, {}}));
}

}  // namespace
}  // namespace plumb::certificate
