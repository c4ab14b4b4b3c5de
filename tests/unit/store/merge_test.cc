#include "store/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "store/process_identity.h"
#include "store/store.h"

namespace plumb::store {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class MergeTest : public testing::Test {
 protected:
  MergeTest()
      : folder_(std::filesystem::path(testing::TempDir()) /
                (std::string("merge_") + testing::UnitTest::GetInstance()->current_test_info()->name() + "_" +
                 std::to_string(this_process().number))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~MergeTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::unique_ptr<Store> open(const std::string& name, const std::string& epsilon = "0.1") const {
    auto store = open_store(path(name), {{"network", "abc", "net.onnx", ""}, {"eps", epsilon, epsilon, "epsilon"}});
    store->start_run({"0", "net.onnx", "data", "{}"});
    return store;
  }

 private:
  std::filesystem::path folder_;
};

void record(Store& store, std::int64_t sample, verdict::Answer answer, const std::string& reason,
            verdict::Evidence evidence = verdict::Evidence::kRigorous, std::optional<bool> pgd = std::nullopt) {
  StoredResult result;
  result.sample = sample;
  result.epsilon = "0.1";
  result.query = "hash of sample " + std::to_string(sample);
  result.engine = "bab";
  result.pgd = pgd;
  result.verdict.answer = answer;
  result.verdict.evidence = evidence;
  result.verdict.reason = reason;
  if (answer == verdict::Answer::kViolated)
    result.verdict.witness = verdict::Witness{{0.1, 0.2}, {2, 3}, 0, 0, {}, true};
  auto transaction = store.begin();
  ASSERT_TRUE(transaction->claim(sample) && transaction->record(result));
  transaction->release(sample);
  transaction->commit();
}

TEST_F(MergeTest, TheBestResultWinsAndTheHistoryKeepsTheOthers) {
  {
    const auto a = open("a.db"), b = open("b.db");
    record(*a, 1, verdict::Answer::kHolds, "proof of a");
    record(*a, 2, verdict::Answer::kUnknown, "limit of a", verdict::Evidence::kRigorous, false);
    record(*a, 3, verdict::Answer::kHolds, "claim of a", verdict::Evidence::kSolver);
    record(*b, 1, verdict::Answer::kUnknown, "limit of b");
    record(*b, 2, verdict::Answer::kViolated, "witness of b");
    record(*b, 3, verdict::Answer::kHolds, "proof of b");
    record(*b, 4, verdict::Answer::kUnknown, "limit of b");
  }
  const MergeCounts counts = merge_stores({path("a.db"), path("b.db")}, path("c.db"));
  EXPECT_EQ(counts.results, 4);
  EXPECT_EQ(counts.replaced, 3);
  const auto merged = read_store(path("c.db"));
  EXPECT_EQ(merged->runs().size(), 2U);
  EXPECT_EQ(merged->result(1, "0.1")->verdict.reason, "proof of a");
  EXPECT_EQ(merged->history(1, "0.1").at(0).verdict.reason, "limit of b");
  EXPECT_EQ(merged->result(2, "0.1")->verdict.reason, "witness of b");
  EXPECT_EQ(merged->result(2, "0.1")->verdict.witness->input, (std::vector<double>{0.1, 0.2}));
  EXPECT_EQ(merged->result(2, "0.1")->pgd, false);  // recorded in store a
  EXPECT_EQ(merged->history(2, "0.1").at(0).verdict.reason, "limit of a");
  EXPECT_EQ(merged->result(3, "0.1")->verdict.reason, "proof of b");
  EXPECT_EQ(merged->history(3, "0.1").at(0).verdict.reason, "claim of a");
  EXPECT_EQ(merged->result(4, "0.1")->verdict.reason, "limit of b");
}

TEST_F(MergeTest, OfEqualResultsTheLaterOneStaysWhateverTheOrder) {
  record(*open("a.db"), 1, verdict::Answer::kHolds, "earlier");
  record(*open("b.db"), 1, verdict::Answer::kHolds, "later");
  merge_stores({path("a.db"), path("b.db")}, path("ab.db"));
  merge_stores({path("b.db"), path("a.db")}, path("ba.db"));
  EXPECT_EQ(read_store(path("ab.db"))->result(1, "0.1")->verdict.reason, "later");
  EXPECT_EQ(read_store(path("ba.db"))->result(1, "0.1")->verdict.reason, "later");
  EXPECT_EQ(read_store(path("ba.db"))->history(1, "0.1").at(0).verdict.reason, "earlier");
}

TEST_F(MergeTest, ACopyThatWasContinuedAddsOnlyWhatIsNew) {
  record(*open("a.db"), 1, verdict::Answer::kUnknown, "limit");
  std::filesystem::copy_file(path("a.db"), path("b.db"));
  record(*open("b.db"), 1, verdict::Answer::kHolds, "proof");
  record(*open("b.db"), 2, verdict::Answer::kHolds, "proof");
  for (const auto& order : {std::vector{path("a.db"), path("b.db")}, std::vector{path("b.db"), path("a.db")}}) {
    merge_stores(order, path("c.db"));
    const auto merged = read_store(path("c.db"));
    EXPECT_EQ(merged->runs().size(), 3U);
    EXPECT_EQ(merged->result(1, "0.1")->verdict.reason, "proof");
    EXPECT_EQ(merged->history(1, "0.1").size(), 1U);
    EXPECT_TRUE(merged->result(2, "0.1"));
    std::filesystem::remove(path("c.db"));
  }
}

TEST_F(MergeTest, OtherQuestionsAreRefusedWithTheDifferenceNamed) {
  open("a.db");
  open("b.db", "0.2");
  try {
    merge_stores({path("a.db"), path("b.db")}, path("c.db"));
    FAIL() << "stores of different questions were merged";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("a.db and "), HasSubstr("eps: 0.1 and 0.2")));
  }
  EXPECT_FALSE(std::filesystem::exists(path("c.db")));
  EXPECT_FALSE(std::filesystem::exists(path("c.db.part")));
}

TEST_F(MergeTest, TwoProofsThatContradictEachOtherAreADefectThatNamesBoth) {
  record(*open("a.db"), 7, verdict::Answer::kHolds, "linear bounds");
  record(*open("b.db"), 7, verdict::Answer::kViolated, "attack");
  try {
    merge_stores({path("a.db"), path("b.db")}, path("c.db"));
    FAIL() << "a contradiction was merged";
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("sample 7"), HasSubstr("a.db says holds (linear bounds)"),
                                    HasSubstr("b.db says violated (attack)")));
  }
  EXPECT_FALSE(std::filesystem::exists(path("c.db")));
}

TEST_F(MergeTest, ASolversClaimGivesWayToAWitness) {
  record(*open("a.db"), 7, verdict::Answer::kViolated, "attack");
  record(*open("b.db"), 7, verdict::Answer::kHolds, "infeasible", verdict::Evidence::kSolver);
  merge_stores({path("a.db"), path("b.db")}, path("c.db"));
  EXPECT_EQ(read_store(path("c.db"))->result(7, "0.1")->verdict.answer, verdict::Answer::kViolated);
}

TEST_F(MergeTest, AMergedStoreCanBeContinued) {
  record(*open("a.db"), 1, verdict::Answer::kUnknown, "limit");
  merge_stores({path("a.db")}, path("c.db"));
  record(*open("c.db"), 1, verdict::Answer::kHolds, "proof");
  EXPECT_EQ(read_store(path("c.db"))->history(1, "0.1").size(), 1U);
  EXPECT_THROW(merge_stores({path("a.db")}, path("c.db")), FileError);
}

}  // namespace
}  // namespace plumb::store
