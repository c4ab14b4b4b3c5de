#include "search/tree/search_memory.h"

#include <gtest/gtest.h>

#include <optional>

namespace plumb::search {
namespace {

TEST(SearchMemory, IsShortOnceAllQueuesTogetherTakeTooMuch) {
  SearchMemory memory(100);
  SearchMemory::Share one(&memory), other(&memory);
  one.set(60);
  EXPECT_FALSE(one.is_short());
  other.set(60);
  EXPECT_TRUE(one.is_short());
  EXPECT_TRUE(other.is_short());
  one.set(40);
  EXPECT_FALSE(other.is_short());
}

TEST(SearchMemory, GetsBackWhatAQueueHeldAtItsEnd) {
  SearchMemory memory(100);
  std::optional<SearchMemory::Share> first(&memory);
  first->set(101);
  SearchMemory::Share moved(std::move(*first));
  first.reset();
  EXPECT_TRUE(memory.is_short());
  {
    SearchMemory::Share second(&memory);
    second.set(1000);
  }
  EXPECT_TRUE(memory.is_short());
  { const SearchMemory::Share last = std::move(moved); }
  EXPECT_FALSE(memory.is_short());
}

TEST(SearchMemory, OfAQueueAloneIsNeverShort) {
  SearchMemory::Share alone(nullptr);
  alone.set(1000);
  EXPECT_FALSE(alone.is_short());
  EXPECT_GT(alone.room(), std::int64_t{1} << 60);
}

TEST(SearchMemory, HasRoomForWhatNoSearchHolds) {
  SearchMemory memory(100);
  SearchMemory::Share one(&memory), other(&memory);
  one.set(60);
  EXPECT_EQ(other.room(), 40);
  other.set(70);
  EXPECT_EQ(one.room(), 0);
}

}  // namespace
}  // namespace plumb::search
