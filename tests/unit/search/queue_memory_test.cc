#include "search/tree/queue_memory.h"

#include <gtest/gtest.h>

#include <optional>

namespace plumb::search {
namespace {

TEST(QueueMemory, IsShortOnceAllQueuesTogetherTakeTooMuch) {
  QueueMemory memory(100);
  QueueMemory::Share one(&memory), other(&memory);
  one.set(60);
  EXPECT_FALSE(one.is_short());
  other.set(60);
  EXPECT_TRUE(one.is_short());
  EXPECT_TRUE(other.is_short());
  one.set(40);
  EXPECT_FALSE(other.is_short());
}

TEST(QueueMemory, GetsBackWhatAQueueHeldAtItsEnd) {
  QueueMemory memory(100);
  std::optional<QueueMemory::Share> first(&memory);
  first->set(101);
  QueueMemory::Share moved(std::move(*first));
  first.reset();
  EXPECT_TRUE(memory.is_short());
  {
    QueueMemory::Share second(&memory);
    second.set(1000);
  }
  EXPECT_TRUE(memory.is_short());
  { const QueueMemory::Share last = std::move(moved); }
  EXPECT_FALSE(memory.is_short());
}

TEST(QueueMemory, OfAQueueAloneIsNeverShort) {
  QueueMemory::Share alone(nullptr);
  alone.set(1000);
  EXPECT_FALSE(alone.is_short());
}

}  // namespace
}  // namespace plumb::search
