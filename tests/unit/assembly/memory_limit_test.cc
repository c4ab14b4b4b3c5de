#include "assembly/memory_limit.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/random_network.h"
#include "support/thrown_error.h"

namespace plumb::assembly {
namespace {

TEST(MemoryLimit, IsSharedByTheQuestions) {
  testing::Random random(1);
  const network::Network network = testing::random_chain(random, {2, 3, 2});
  EXPECT_EQ(memory_of_each(kBytesPerGib, 4, network), kBytesPerGib / 4);
  EXPECT_EQ(memory_of_each(kBytesPerGib, 0, network), kBytesPerGib);
}

TEST(MemoryLimit, ThatCannotBeKeptIsRefusedWithOneThatCan) {
  testing::Random random(1);
  const network::Network network = testing::random_chain(random, {50, 300, 10});
  for (const std::int64_t questions : {1, 3, 1000}) {
    const auto error = thrown_by<ArgumentError>([&] { memory_of_each(1000, questions, network); });
    EXPECT_EQ(error.where(), "memory");
    const double gib = std::stod(error.remedy().substr(std::string("give at least ").size()));
    EXPECT_NO_THROW(memory_of_each(std::llround(gib * static_cast<double>(kBytesPerGib)), questions, network));
  }
}

}  // namespace
}  // namespace plumb::assembly
