#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace plumb {
namespace {

TEST(ParallelFor, VisitsEveryItemOnceForAnyNumberOfThreads) {
  for (const int threads : {0, 1, 2, 3}) {
    std::vector<std::atomic<int>> visits(1000);
    parallel_for(1000, threads, [&](std::int64_t i) { ++visits[static_cast<std::size_t>(i)]; });
    for (const auto& count : visits) ASSERT_EQ(count, 1) << threads;
  }
}

TEST(ParallelFor, PassesOnAnItemsException) {
  for (const int threads : {1, 2}) {
    EXPECT_THROW(parallel_for(100, threads,
                              [](std::int64_t i) {
                                if (i == 57) throw std::runtime_error("item 57");
                              }),
                 std::runtime_error);
  }
}

}  // namespace
}  // namespace plumb
