#include "store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/error.h"
#include "store/process_identity.h"
#include "store/remedies.h"
#include "store/schema.h"
#include "store/settings.h"
#include "store/sqlite.h"
#include "store/store_kind.h"
#include "support/thrown_error.h"

namespace plumb::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class StoreTest : public testing::Test {
 protected:
  StoreTest() : folder_(std::filesystem::path(testing::TempDir()) / fmt_name()) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~StoreTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name = "run.db") const { return (folder_ / name).string(); }

  std::unique_ptr<Store> open(const std::string& epsilon = "0.1") const {
    auto store = open_store(path(), {{"network", "abc", "net.onnx", ""}, {"eps", epsilon, epsilon, "epsilon"}});
    store->start_run({"0", "net.onnx", "data", "{}"});
    return store;
  }

 private:
  static std::string fmt_name() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    return "store_" + std::string(test->name()) + "_" + std::to_string(this_process().number);
  }

  std::filesystem::path folder_;
};

StoredResult a_result(std::int64_t sample, verdict::Answer answer,
                      verdict::Evidence evidence = verdict::Evidence::kRigorous) {
  StoredResult result;
  result.sample = sample;
  result.label = 3;
  result.epsilon = "0.1";
  result.query = "hash of sample " + std::to_string(sample);
  result.engine = "bab";
  result.seconds = 0.25;
  result.verdict.answer = answer;
  result.verdict.evidence = evidence;
  result.verdict.reason = "a test";
  if (answer == verdict::Answer::kViolated)
    result.verdict.witness = verdict::Witness{{0.1, -0.0, 1e-300}, {2, 3}, 0, 1, {0.5}, false};
  return result;
}

void record(Store& store, const StoredResult& result) {
  auto transaction = store.begin();
  ASSERT_TRUE(transaction->claim(result.sample));
  ASSERT_TRUE(transaction->record(result));
  transaction->release(result.sample);
  transaction->commit();
}

TEST_F(StoreTest, AResultIsReadBackAsItWas) {
  StoredResult given = a_result(7, verdict::Answer::kViolated);
  given.misclassified = true;
  given.predicted = 5;
  given.distance = 0.1;
  given.solver = "highs";
  given.timeout = 2.5;
  given.work_limit = 1000;
  given.implied_by = "0.05";
  given.pgd = false;
  given.verdict.margin_lower = -std::numeric_limits<double>::infinity();
  given.verdict.statistics = {
      0.5, 0.125, 11, 2, 30, 400, 8, 1, 2, 3, 4, 5, {{.name = "relu", .active = 1, .by_milp = 8}}};
  record(*open(), given);

  const auto read = read_store(path())->result(7, "0.1");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->label, 3);
  EXPECT_EQ(read->query, given.query);
  EXPECT_TRUE(read->misclassified);
  EXPECT_EQ(read->predicted, 5);
  EXPECT_EQ(read->distance, 0.1);
  EXPECT_EQ(read->engine, "bab");
  EXPECT_EQ(read->solver, "highs");
  EXPECT_EQ(read->timeout, 2.5);
  EXPECT_EQ(read->work_limit, 1000);
  EXPECT_EQ(read->implied_by, "0.05");
  EXPECT_EQ(read->pgd, false);
  EXPECT_EQ(read->verdict.margin_lower, given.verdict.margin_lower);
  ASSERT_TRUE(read->verdict.witness);
  EXPECT_EQ(read->verdict.witness->input, given.verdict.witness->input);
  EXPECT_TRUE(std::signbit(read->verdict.witness->input[1]));  // exact to the last bit
  EXPECT_EQ(read->verdict.witness->outputs, given.verdict.witness->outputs);
  EXPECT_EQ(read->verdict.witness->parameters, given.verdict.witness->parameters);
  EXPECT_EQ(read->verdict.witness->part, 1U);
  EXPECT_FALSE(read->verdict.witness->representable);
  const verdict::Statistics& statistics = read->verdict.statistics;
  EXPECT_EQ(statistics.nodes, 11);
  EXPECT_EQ(statistics.lps, 2);
  EXPECT_EQ(statistics.simplex_iterations, 30);
  EXPECT_EQ(statistics.work, 400);
  EXPECT_EQ(statistics.conjunctions_eliminated, 8);
  EXPECT_EQ(statistics.cuts, 4);
  EXPECT_EQ(statistics.cut_rounds, 5);
  EXPECT_EQ(statistics.layers.at(0).name, "relu");
  EXPECT_EQ(statistics.layers.at(0).active, 1);
  EXPECT_EQ(statistics.layers.at(0).by_milp, 8);
}

TEST_F(StoreTest, WhatIsNotCommittedLeavesNoTrace) {
  const auto store = open();
  {
    auto transaction = store->begin();
    transaction->claim(1);
    transaction->record(a_result(1, verdict::Answer::kHolds));
  }
  EXPECT_TRUE(store->results_after(0).empty());
  record(*store, a_result(1, verdict::Answer::kHolds));
  EXPECT_EQ(store->results_after(0).size(), 1U);
}

TEST_F(StoreTest, BetterResultsReplaceWorseOnesAndTheHistoryKeepsBoth) {
  const auto store = open();
  record(*store, a_result(1, verdict::Answer::kUnknown));
  record(*store, a_result(1, verdict::Answer::kHolds, verdict::Evidence::kSolver));
  record(*store, a_result(1, verdict::Answer::kUnknown));
  record(*store, a_result(1, verdict::Answer::kHolds));
  record(*store, a_result(1, verdict::Answer::kHolds, verdict::Evidence::kSolver));
  const auto kept = store->result(1, "0.1");
  EXPECT_EQ(kept->verdict.answer, verdict::Answer::kHolds);
  EXPECT_EQ(kept->verdict.evidence, verdict::Evidence::kRigorous);
  std::vector<std::string> history;
  for (const StoredResult& old : store->history(1, "0.1")) {
    history.push_back(std::string(name_of(old.verdict.answer)) + " " + name_of(old.verdict.evidence));
  }
  EXPECT_THAT(history, ElementsAre("unknown rigorous", "unknown rigorous", "holds solver", "holds solver"));
}

TEST_F(StoreTest, AWitnessAgainstAProofIsADefectAndAgainstAClaimIsNot) {
  const auto store = open();
  record(*store, a_result(1, verdict::Answer::kHolds));
  record(*store, a_result(2, verdict::Answer::kHolds, verdict::Evidence::kSolver));
  auto transaction = store->begin();
  transaction->claim(1);
  EXPECT_THROW(transaction->record(a_result(1, verdict::Answer::kViolated)), InternalError);
  transaction.reset();
  record(*store, a_result(2, verdict::Answer::kViolated));
  EXPECT_EQ(store->result(1, "0.1")->verdict.answer, verdict::Answer::kHolds);
  EXPECT_EQ(store->result(2, "0.1")->verdict.answer, verdict::Answer::kViolated);
}

// As plumb-check does it.
void note_check(const std::string& path, const StoredResult& result, const std::string& verdict) {
  Database database(path, Database::Access::kWrite);
  database.execute(kCheckedTable);
  database.change("INSERT OR REPLACE INTO checked VALUES (?, ?, ?, '', 'it is wrong', '', 0, '', ?, '', '')",
                  {result.sample, result.epsilon, verdict, result.recorded});
}

TEST_F(StoreTest, AResultIsUnknownOnceItsCertificateIsRejectedUntilItIsSolvedAgain) {
  const auto store = open();
  record(*store, a_result(1, verdict::Answer::kHolds));
  record(*store, a_result(2, verdict::Answer::kHolds));
  note_check(path(), *store->result(1, "0.1"), "unknown");
  note_check(path(), *store->result(2, "0.1"), "holds");
  const std::vector<ResultBrief> briefs = store->results_after(0);
  EXPECT_EQ(briefs.at(0).answer, verdict::Answer::kUnknown);
  EXPECT_EQ(briefs.at(0).reason, "certificate rejected: it is wrong");
  EXPECT_EQ(briefs.at(1).answer, verdict::Answer::kHolds);
  EXPECT_EQ(briefs.at(1).certified, Certified::kAccepted);
  const StoredResult rejected = *store->result(1, "0.1");
  EXPECT_EQ(rejected.verdict.answer, verdict::Answer::kHolds);  // the row stays
  EXPECT_EQ(as_checked(rejected).verdict.answer, verdict::Answer::kUnknown);
  EXPECT_EQ(as_checked(*store->result(2, "0.1")).verdict.answer, verdict::Answer::kHolds);

  StoredResult with_pgd = rejected;  // still the same solve
  with_pgd.pgd = false;
  record(*store, with_pgd);
  EXPECT_EQ(store->result(1, "0.1")->certified, Certified::kRejected);
  record(*store, a_result(1, verdict::Answer::kHolds));
  EXPECT_EQ(store->result(1, "0.1")->certified, Certified::kNotChecked);
}

TEST_F(StoreTest, PgdIsAddedToAResultWithoutMakingItAnotherSolve) {
  const auto store = open();
  record(*store, a_result(1, verdict::Answer::kHolds));
  StoredResult again = *store->result(1, "0.1");
  again.pgd = false;
  record(*store, again);
  EXPECT_EQ(store->result(1, "0.1")->pgd, false);
  EXPECT_TRUE(store->history(1, "0.1").empty());
  record(*store, a_result(1, verdict::Answer::kHolds));  // the same sample, solved again without PGD
  EXPECT_EQ(store->result(1, "0.1")->pgd, false);
}

TEST_F(StoreTest, TheSameQuestionAboutTwoSamplesHasOneResult) {
  const auto store = open();
  record(*store, a_result(1, verdict::Answer::kHolds));
  StoredResult twin = a_result(2, verdict::Answer::kHolds);
  twin.query = a_result(1, verdict::Answer::kHolds).query;
  record(*store, twin);
  EXPECT_EQ(store->result(1, "0.1")->id, store->result(2, "0.1")->id);
}

TEST_F(StoreTest, ASampleIsClaimedByOneRunUntilItIsReleased) {
  const auto one = open(), other = open();
  auto transaction = one->begin();
  EXPECT_TRUE(transaction->claim(1));
  EXPECT_TRUE(transaction->claim(1));
  transaction->commit();
  transaction = other->begin();
  EXPECT_FALSE(transaction->claim(1));
  EXPECT_FALSE(transaction->record(a_result(1, verdict::Answer::kHolds)));
  transaction->commit();
  EXPECT_TRUE(other->results_after(0).empty());
  one->end_run();
  transaction = other->begin();
  EXPECT_TRUE(transaction->claim(1));
  transaction->commit();
}

TEST_F(StoreTest, NewsAreWhatOthersRecordedSince) {
  const auto one = open(), other = open();
  record(*one, a_result(1, verdict::Answer::kUnknown));
  const std::int64_t seen = other->results_after(0).back().id;
  EXPECT_TRUE(other->results_after(seen).empty());
  record(*one, a_result(1, verdict::Answer::kHolds));
  record(*one, a_result(2, verdict::Answer::kViolated));
  const auto news = other->results_after(seen);
  ASSERT_EQ(news.size(), 2U);
  EXPECT_EQ(news[0].sample, 1);
  EXPECT_EQ(news[0].answer, verdict::Answer::kHolds);
  EXPECT_EQ(news[1].sample, 2);
}

// A reader keeps the run from removing its log, so that the reader must remove it.
TEST_F(StoreTest, ARunThatEndsWhileItsStoreIsReadLeavesNoLogBehind) {
  for (const bool frozen : {false, true}) {
    auto run = open();
    record(*run, a_result(7, verdict::Answer::kHolds));
    auto reader = read_store(path());
    if (frozen) reader->freeze();
    EXPECT_TRUE(reader->result(7, "0.1"));
    run->end_run();
    run.reset();
    EXPECT_TRUE(std::filesystem::exists(path("run.db-wal")));
    reader.reset();
    EXPECT_FALSE(std::filesystem::exists(path("run.db-wal")));
    EXPECT_FALSE(std::filesystem::exists(path("run.db-shm")));
    EXPECT_TRUE(read_store(path())->result(7, "0.1"));
  }
}

TEST_F(StoreTest, AReaderLeavesTheLogOfARunThatGoesOn) {
  const auto run = open();
  record(*run, a_result(7, verdict::Answer::kHolds));
  const auto logged = std::filesystem::file_size(path("run.db-wal"));
  EXPECT_GT(logged, 0U);
  EXPECT_TRUE(read_store(path())->result(7, "0.1"));
  EXPECT_EQ(std::filesystem::file_size(path("run.db-wal")), logged);
  record(*run, a_result(8, verdict::Answer::kHolds));
  EXPECT_TRUE(read_store(path())->result(8, "0.1"));
}

TEST_F(StoreTest, EverySettingThatDiffersIsNamed) {
  const std::vector<Setting> stored{{"network", "abc", "a.onnx (hash abc)", ""}, {"eps", "0.1", "0.1", "epsilon"}};
  const std::vector<Setting> given{{"network", "abd", "b.onnx (hash abd)", ""}, {"eps", "0.2", "0.2", "epsilon"}};
  EXPECT_EQ(difference(stored, stored), std::nullopt);
  EXPECT_EQ(difference(stored, given),
            "network a.onnx (hash abc); this command says b.onnx (hash abd)\neps 0.1; this command says 0.2");
  const Setting scale{"eps-scale", "0.5", "0.5", "eps-scale"};
  EXPECT_EQ(difference({stored[0], scale}, {stored[0]}), "eps-scale 0.5; this command does not set it");
  EXPECT_EQ(difference({stored[0]}, {stored[0], scale}), "eps-scale not set; this command says 0.5");
  open();
  try {
    open("0.2");
    FAIL() << "a store of another question was opened";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("run.db was made with eps 0.1; this command says 0.2"));
    EXPECT_EQ(error.remedy(), "use another store, or epsilon 0.1 to continue");
  }
}

// A reader has nowhere else to write to, so it does not advise another store to continue.
TEST_F(StoreTest, WhatIsNoStoreHasRemediesThatFitReadersAndWriters) {
  std::ofstream(path()) << "a letter, not a store";
  EXPECT_EQ(thrown_by<DataError>([&] { open(); }).remedy(), "use another store");
  EXPECT_EQ(thrown_by<DataError>([&] { read_store(path()); }).remedy(), name_a_store());
}

TEST_F(StoreTest, ANewerStoreNeedsTheNewerProgram) {
  {
    Database database(path(), Database::Access::kCreate);
    migrate(database);
    database.execute("PRAGMA user_version = 999");
  }
  EXPECT_EQ(thrown_by<DataError>([&] { read_store(path()); }).remedy(), "use that version of Plumb");
}

TEST_F(StoreTest, AStoreWithAResultThatWasTamperedWithIsNotOpened) {
  record(*open(), a_result(1, verdict::Answer::kUnknown));
  {
    Database database(path(), Database::Access::kWrite);
    database.execute("UPDATE result SET verdict = 'holds', evidence = 'rigorous'");
  }
  EXPECT_THROW(open(), DataError);
  EXPECT_THROW(read_store(path()), DataError);
}

TEST_F(StoreTest, OlderVersionsAreBroughtUpToDateStepByStep) {
  const std::vector<const char*> steps{"CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (1)",
                                       "ALTER TABLE a ADD COLUMN y INTEGER DEFAULT 5"};
  Database database(path(), Database::Access::kCreate);
  migrate(database, std::span(steps).first(1));
  EXPECT_EQ(schema_version(database, steps), 1);
  migrate(database, steps);
  migrate(database, steps);
  EXPECT_EQ(schema_version(database, steps), 2);
  Statement row = database.query("SELECT x, y FROM a");
  ASSERT_TRUE(row.step());
  EXPECT_EQ(row.integer(0), 1);
  EXPECT_EQ(row.integer(1), 5);
  EXPECT_THROW(schema_version(database, std::span(steps).first(1)), DataError);
}

TEST_F(StoreTest, AStepThatFailsLeavesTheOldVersion) {
  const std::vector<const char*> steps{"CREATE TABLE a (x INTEGER)", "CREATE TABLE b (x INTEGER); CREATE TABLE a (x)"};
  Database database(path(), Database::Access::kCreate);
  migrate(database, std::span(steps).first(1));
  EXPECT_THROW(migrate(database, steps), Error);
  EXPECT_EQ(schema_version(database, steps), 1);
  EXPECT_THROW(database.query("SELECT * FROM b"), Error);
}

StoreKind memory_kind() {
  StoreKind kind;
  kind.is_meant_by = [](const std::string& where) { return where.starts_with("memory:"); };
  return kind;
}

TEST(StoreKind, IsChosenByTheFormOfTheNameAndAPathMeansAFile) {
  constexpr std::array<MakeStoreKind, 2> kinds{memory_kind, sqlite_file};
  EXPECT_EQ(kind_of_store("memory:run", kinds).read, nullptr);
  EXPECT_EQ(kind_of_store("run.db", kinds).read, sqlite_file().read);
  EXPECT_EQ(kind_of_store("run.db").read, sqlite_file().read);
  EXPECT_THROW(kind_of_store("run.db", std::span(kinds).first(1)), DataError);
}

TEST(ProcessIdentity, KnowsThatThisProcessIsHereAndOthersAreGone) {
  ProcessIdentity process = this_process();
  EXPECT_FALSE(is_gone(process));
  process.started += 1;  // another process that had the same id
  EXPECT_TRUE(is_gone(process));
  process.place = "another machine";
  EXPECT_FALSE(is_gone(process));
}

}  // namespace
}  // namespace plumb::store
