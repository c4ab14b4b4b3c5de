#include "accuracy/accuracy_run.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <mutex>
#include <set>

#include "base/error.h"
#include "store/process_identity.h"
#include "store/store.h"

namespace plumb::accuracy {
namespace {

using Numbers = std::vector<double>;

// The network's outputs are its two inputs: the label 0 of a sample (x, y) can be changed within eps if and only if x -
// y <= 2 eps. The engine answers by this rule and counts the queries.
class AccuracyRunTest : public testing::Test {
 protected:
  static constexpr std::int64_t kSamples = 64;

  AccuracyRunTest()
      : network_({{"x", network::Input{0}, {}, {2}}}, {{"x", {2}, network::ElementType::kFloat32}}, {{"y", {2}, 0}}),
        data_("test", {2}, samples(), std::vector<std::int64_t>(kSamples, 0), {}),
        evaluators_(std::make_shared<const attack::NetworkEvaluators>(shared(network_))),
        path_((std::filesystem::path(testing::TempDir()) /
               ("accuracy_run_" + std::to_string(store::this_process().number)))
                  .string()) {
    remove();
    for (std::int64_t k = 0; k < kSamples; ++k) all_.push_back(k);
  }
  ~AccuracyRunTest() override { remove(); }

  void remove() const {
    for (const char* ending : {"", "-wal", "-shm"}) std::filesystem::remove(path_ + ending);
  }

  // Sample k has the gap k / 128, exact in float32.
  static std::vector<float> samples() {
    std::vector<float> values;
    for (std::int64_t k = 0; k < kSamples; ++k) {
      values.push_back(0.25F + static_cast<float>(k) / 128);
      values.push_back(0.25F);
    }
    return values;
  }

  static bool robust(std::int64_t sample, const Rational& radius) {
    return static_cast<double>(sample) / 128 > 2 * radius.nearest();
  }

  AccuracyQuestion question(const std::vector<Rational>& radii) {
    AccuracyQuestion question{shared(network_), data_, evaluators_, property::content_hash(network_)};
    for (const Rational& radius : radii) {
      question.levels.push_back({radius.to_string(), [radius](const Numbers& sample) {
                                   return property::Region(property::Ball{property::Norm::kLinf, sample, radius,
                                                                          property::Box{{-2, -2}, {2, 2}}});
                                 }});
    }
    question.engine = "test";
    question.decide = [this](const property::Query& query, const Limits& limits) { return decide(query, limits); };
    return question;
  }

  verdict::Verdict decide(const property::Query& query, const Limits& limits) {
    ++asked_;
    const auto& ball = std::get<property::Ball>(query.region.parts()[0]);
    {
      const std::lock_guard lock(mutex_);
      EXPECT_TRUE(questions_.emplace(ball.centre, ball.radius.to_string()).second) << "asked twice";
    }
    if (on_decide) on_decide();
    verdict::Verdict verdict;
    if (limits.cancel != nullptr && limits.cancel->load()) return verdict;
    const double r = ball.radius.nearest();
    if (ball.centre[0] - ball.centre[1] > 2 * r) {
      verdict.answer = verdict::Answer::kHolds;
      return verdict;
    }
    verdict.witness = attack::WitnessCheck(query, evaluators_).confirm(Numbers{ball.centre[0] - r, ball.centre[1] + r});
    verdict.answer = verdict.witness ? verdict::Answer::kViolated : verdict::Answer::kUnknown;
    return verdict;
  }

  std::unique_ptr<store::Store> open() const {
    auto store = store::open_store(path_, {{"network", "identity", "identity", ""}});
    store->start_run({"0", "identity", "test", "{}"});
    return store;
  }

  RunEnd run(const AccuracyQuestion& asked, int jobs = 4) {
    const auto store = open();
    return run_accuracy(*store, asked, all_, {Rerun::kLargerLimit, jobs}, [](const RunStatus&) {});
  }

  void expect_truth(const RunEnd& end, const std::vector<Rational>& radii) {
    for (std::size_t level = 0; level < radii.size(); ++level) {
      ASSERT_EQ(end.results[level].size(), all_.size());
      for (const store::ResultBrief& result : end.results[level]) {
        EXPECT_EQ(result.answer,
                  robust(result.sample, radii[level]) ? verdict::Answer::kHolds : verdict::Answer::kViolated)
            << "sample " << result.sample << " at " << radii[level].to_string();
      }
      EXPECT_TRUE(end.status.levels[level].exact());
    }
  }

  void forget_questions() { questions_.clear(); }

  network::Network network_;
  data::DataSet data_;
  std::shared_ptr<const attack::NetworkEvaluators> evaluators_;
  std::string path_;
  std::vector<std::int64_t> all_;
  std::atomic<std::int64_t> asked_ = 0;
  std::function<void()> on_decide;

 private:
  std::mutex mutex_;
  std::set<std::pair<Numbers, std::string>> questions_;
};

// Powers of two, so that the test's own arithmetic is exact.
const std::vector<Rational> kSweep{Rational(1, 64), Rational(1, 32), Rational(1, 16), Rational(1, 8)};

// Samples 0, 16, 32 and 48 are misclassified. They count as errors no matter where the run ends.
TEST_F(AccuracyRunTest, TheTestErrorOfAnInterruptedRunIsThatOfAllSamples) {
  std::vector<std::int64_t> labels(kSamples, 0);
  for (std::size_t k = 0; k < labels.size(); k += 16) labels[k] = 1;
  const data::DataSet data("test", {2}, samples(), labels, {});
  std::atomic<bool> stop = false;
  const AccuracyQuestion one = question({Rational(1, 16)});
  AccuracyQuestion asked{shared(network_), data, evaluators_, one.network_hash, one.levels};
  asked.engine = "test";
  asked.decide = one.decide;
  asked.limits.cancel = &stop;
  on_decide = [&] { stop.store(asked_ >= 3); };
  const RunEnd end = run(asked, 1);
  EXPECT_TRUE(end.interrupted);
  EXPECT_GT(end.status.levels[0].pending, kSamples / 2);
  EXPECT_EQ(end.status.levels[0].misclassified, 4);
  EXPECT_EQ(end.status.levels[0].test_error(), 4.0 / kSamples);
}

TEST_F(AccuracyRunTest, EverySampleIsSolvedOnceWhateverTheNumberOfJobs) {
  const RunEnd end = run(question({Rational(1, 16)}));
  expect_truth(end, {Rational(1, 16)});
  EXPECT_FALSE(end.interrupted);
  EXPECT_EQ(asked_, kSamples - 1);  // sample 0 is a tie: misclassified without any change
  EXPECT_EQ(end.status.levels[0].misclassified, 1);
  expect_truth(run(question({Rational(1, 16)}), 1), {Rational(1, 16)});
  EXPECT_EQ(asked_, kSamples - 1);  // nothing was left to do
}

TEST_F(AccuracyRunTest, ASweepAsksOnlyWhatTheOtherRadiiLeaveOpen) {
  const RunEnd end = run(question(kSweep));
  expect_truth(end, kSweep);
  EXPECT_LE(asked_, 3 * kSamples);
  std::int64_t implied = 0;
  for (const LevelCounts& counts : end.status.levels) implied += counts.implied;
  EXPECT_EQ(implied + end.status.solved_here, 4 * kSamples);
  EXPECT_GE(implied, kSamples);
}

TEST_F(AccuracyRunTest, AnInterruptedRunGoesOnWhereItStopped) {
  std::atomic<bool> stop = false;
  AccuracyQuestion asked = question(kSweep);
  asked.limits.cancel = &stop;
  on_decide = [&] {
    if (asked_ >= 20) stop = true;
  };
  const RunEnd first = run(asked, 1);
  EXPECT_TRUE(first.interrupted);
  EXPECT_GT(first.status.levels[0].pending, 0);
  EXPECT_LT(first.status.levels[0].pending, kSamples);
  on_decide = {};
  stop = false;
  forget_questions();  // samples in progress when the run stopped have no result and are asked again
  const std::int64_t before = asked_;
  expect_truth(run(asked), kSweep);
  EXPECT_LE(asked_ - before, 3 * first.status.levels[0].pending + 3);
}

TEST_F(AccuracyRunTest, AnErrorOfTheEngineEndsTheRunAndKeepsWhatIsKnown) {
  on_decide = [&] {
    if (asked_ >= 30) throw DataError("engine", "cannot go on");
  };
  EXPECT_THROW(run(question({Rational(1, 16)})), DataError);
  const auto known = open()->results_after(0);
  EXPECT_GT(known.size(), 0U);
  EXPECT_LT(known.size(), all_.size());
}

}  // namespace
}  // namespace plumb::accuracy
