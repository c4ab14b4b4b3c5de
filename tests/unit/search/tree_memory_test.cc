#include "search/tree/tree_memory.h"

#include <gtest/gtest.h>

#include <optional>

namespace plumb::search {
namespace {

TEST(TreeMemory, IsShortOnceAllTreesTogetherTakeTooMuch) {
  TreeMemory memory(100);
  TreeMemory::Share one(&memory), other(&memory);
  one.set(60);
  EXPECT_FALSE(one.is_short());
  other.set(60);
  EXPECT_TRUE(one.is_short());
  EXPECT_TRUE(other.is_short());
  one.set(40);
  EXPECT_FALSE(other.is_short());
}

TEST(TreeMemory, IsHalfTakenBeforeItIsShort) {
  TreeMemory memory(100);
  TreeMemory::Share share(&memory);
  share.add(50);
  EXPECT_FALSE(share.is_half_taken());
  share.add(1);
  EXPECT_TRUE(share.is_half_taken());
  EXPECT_FALSE(share.is_short());
}

TEST(TreeMemory, GetsBackWhatATreeHeldAtItsEnd) {
  TreeMemory memory(100);
  std::optional<TreeMemory::Share> first(&memory);
  first->set(101);
  TreeMemory::Share moved(std::move(*first));
  first.reset();
  EXPECT_TRUE(memory.is_short());
  {
    TreeMemory::Share second(&memory);
    second.set(1000);
  }
  EXPECT_TRUE(memory.is_short());
  { const TreeMemory::Share last = std::move(moved); }
  EXPECT_FALSE(memory.is_short());
}

TEST(TreeMemory, OfATreeAloneIsNeverShort) {
  TreeMemory::Share alone(nullptr);
  alone.set(1000);
  EXPECT_FALSE(alone.is_short());
  EXPECT_FALSE(alone.is_half_taken());
}

}  // namespace
}  // namespace plumb::search
