#include "program/isolated_solver.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "faulty_solver.h"
#include "program/checked_solver.h"
#include "support/sanitized.h"

namespace plumb::program {
namespace {

using testing::FaultySolver;
using testing::integer_answer;
using testing::linear_answer;
using testing::small_integer;
using testing::small_linear;

IsolatedSolver isolated(FaultySolver::Fault fault, double grace = 0.2) {
  return IsolatedSolver(std::make_unique<FaultySolver>(linear_answer(), std::move(fault)), grace);
}

void sleep_long(SolveResult&) { std::this_thread::sleep_for(std::chrono::seconds(100)); }

// A request that another thread cancels after a moment.
class CancelledSoon {
 public:
  SolveRequest request() const {
    SolveRequest request;
    request.cancel = &cancel_;
    return request;
  }

 private:
  std::atomic<bool> cancel_ = false;
  std::jthread canceller_{[this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cancel_ = true;
  }};
};

TEST(IsolatedSolver, BringsTheWholeResultBack) {
  const SolveResult result = isolated([](SolveResult& r) {
                               r.nodes = 7;
                               r.simplex_iterations = 9;
                               r.seconds = 0.5;
                               r.message = "note";
                               r.farkas_ray = {4};
                             }).solve(small_linear(), {});
  EXPECT_EQ(result.status, SolveStatus::kOptimal);
  EXPECT_EQ(result.point, linear_answer().point);
  EXPECT_EQ(result.row_duals, linear_answer().row_duals);
  EXPECT_EQ(result.reduced_costs, linear_answer().reduced_costs);
  EXPECT_EQ(result.farkas_ray, std::vector<double>{4});
  EXPECT_EQ(result.objective, -4);
  EXPECT_EQ(result.best_bound, -4);
  EXPECT_EQ(result.nodes, 7);
  EXPECT_EQ(result.simplex_iterations, 9);
  EXPECT_EQ(result.seconds, 0.5);
  EXPECT_EQ(result.message, "note");
}

TEST(IsolatedSolver, ACrashCostsOneQuery) {
  const SolveResult result = isolated([](SolveResult&) {
                               signal(SIGSEGV, SIG_DFL);  // sanitizers install a handler
                               raise(SIGSEGV);
                             }).solve(small_linear(), {});
  EXPECT_EQ(result.status, SolveStatus::kFailed);
  EXPECT_NE(result.message.find("faulty crashed: signal 11"), std::string::npos) << result.message;
}

TEST(IsolatedSolver, SoDoAnAbortAnExitAndAnException) {
  const auto message = [](FaultySolver::Fault fault) { return isolated(fault).solve(small_linear(), {}).message; };
  EXPECT_NE(message([](SolveResult&) {
              signal(SIGABRT, SIG_DFL);
              abort();
            }).find("signal 6"),
            std::string::npos);
  EXPECT_NE(message([](SolveResult&) { _exit(3); }).find("exit code 3"), std::string::npos);
  EXPECT_NE(message([](SolveResult&) { throw std::runtime_error("oh"); }).find("oh"), std::string::npos);
}

TEST(IsolatedSolver, EndsAChildThatOutlivesItsTimeLimit) {
  SolveRequest request;
  request.time_limit = 0.1;
  const SolveResult result = isolated(sleep_long).solve(small_linear(), request);
  EXPECT_EQ(result.status, SolveStatus::kFailed);
  EXPECT_NE(result.message.find("time limit"), std::string::npos) << result.message;
}

TEST(IsolatedSolver, EndsAChildThatDoesNotHeedACancellation) {
  CancelledSoon soon;
  EXPECT_EQ(isolated(sleep_long).solve(small_linear(), soon.request()).status, SolveStatus::kCancelled);
}

TEST(IsolatedSolver, PassesACancellationOn) {
  class Waiting : public FaultySolver {
   public:
    Waiting() : FaultySolver(linear_answer()) {}
    SolveResult solve(const Program&, const SolveRequest& request) const override {
      while (!*request.cancel) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      SolveResult result;
      result.status = SolveStatus::kCancelled;
      result.best_bound = -12;  // known so far; must be returned
      return result;
    }
  };
  CancelledSoon soon;
  const SolveResult result = IsolatedSolver(std::make_unique<Waiting>(), 100).solve(small_linear(), soon.request());
  EXPECT_EQ(result.status, SolveStatus::kCancelled);
  EXPECT_EQ(result.best_bound, -12);
}

TEST(IsolatedSolver, ConfirmsInTheParent) {
  SolveRequest request;
  std::vector<double> seen;
  const pid_t here = getpid();
  request.confirm = [&](std::span<const double> point) {
    EXPECT_EQ(getpid(), here);
    seen.assign(point.begin(), point.end());
    return Confirmation::kAccept;
  };
  EXPECT_EQ(isolated([](SolveResult&) {}).solve(small_linear(), request).status, SolveStatus::kSolutionAccepted);
  EXPECT_EQ(seen, linear_answer().point);
}

TEST(IsolatedSolver, KeepsPrintingOffTheOutput) {
  ::testing::internal::CaptureStdout();
  isolated([](SolveResult&) {
    std::printf("chatter");
    std::fflush(stdout);
  }).solve(small_linear(), {});
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

TEST(IsolatedSolver, SolvesInManyThreadsThoughChildrenOfOthersCrash) {
  // Unlike glibc's, the sanitizers' allocators may be locked in a child that was forked while another thread allocated.
  if (testing::is_sanitized()) GTEST_SKIP() << "the sanitizer's allocator does not survive fork()";
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 5; ++round) {
        const bool crash = (t + round) % 2 == 0;
        const SolveResult result = isolated([&](SolveResult&) {
                                     if (crash) _exit(1);
                                     std::this_thread::sleep_for(std::chrono::milliseconds(20));
                                   }).solve(small_linear(), {});
        if (result.status == (crash ? SolveStatus::kFailed : SolveStatus::kOptimal)) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 40);
}

TEST(IsolatedSolver, LiesOfAChildAreCaughtToo) {
  auto inner = std::make_unique<FaultySolver>(integer_answer(), [](SolveResult& r) { r.point = {1, 1}; });
  const CheckedSolver solver(std::make_unique<IsolatedSolver>(std::move(inner)));
  EXPECT_EQ(solver.solve(small_integer(), {}).status, SolveStatus::kFailed);
}

}  // namespace
}  // namespace plumb::program
