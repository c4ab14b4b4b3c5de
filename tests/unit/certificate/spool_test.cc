#include "certificate/spool.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "base/error.h"
#include "base/numbers.h"

namespace plumb::certificate {
namespace {

std::string all_of(const Spool& spool, std::int64_t first, std::int64_t last) {
  std::string bytes;
  spool.read(first, last, [&](std::string_view more) { bytes += more; });
  return bytes;
}

// Several times as much as stays in memory, and cut back to places in the file and in memory.
TEST(Spool, KeepsWhatWasAppendedAndNotTakenBack) {
  std::mt19937 random(1);
  Spool spool(std::filesystem::temp_directory_path());
  std::string expected;
  for (int round = 0; round < 60; ++round) {
    std::string more(index(std::uniform_int_distribution<std::int64_t>(0, 3'000'000)(random)), ' ');
    for (std::size_t i = 0; i < more.size(); i += 97) more[i] = static_cast<char>(random());
    spool.append(more);
    expected += more;
    if (round % 7 == 6) {
      expected.resize(expected.size() * (random() % 100) / 100);
      spool.shrink(std::ssize(expected));
    }
    ASSERT_EQ(spool.size(), std::ssize(expected));
  }
  EXPECT_TRUE(all_of(spool, 0, spool.size()) == expected);
  for (int i = 0; i < 20; ++i) {
    auto first = index(std::uniform_int_distribution<std::int64_t>(0, spool.size())(random)), last = first + 5000;
    last = std::min(last, expected.size());
    EXPECT_TRUE(all_of(spool, static_cast<std::int64_t>(first), static_cast<std::int64_t>(last)) ==
                expected.substr(first, last - first));
  }
}

TEST(Spool, FailsWhereNoFileCanBeMade) {
  Spool spool("/nonexistent");
  spool.append("a few bytes need no file");
  EXPECT_THROW(spool.append(std::string(20'000'000, 'x')), FileError);
}

}  // namespace
}  // namespace plumb::certificate
