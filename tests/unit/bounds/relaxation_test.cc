#include "bounds/relaxation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/numbers.h"
#include "support/random_network.h"

namespace plumb::bounds {
namespace {

using testing::uniform;
using Numbers = std::vector<double>;
using Members = std::vector<std::int32_t>;
using Winners = std::vector<std::int64_t>;

// Proposition 1: a member whose upper bound is at most another member's lower bound can be left out.
TEST(PossibleWinners, MembersThatCannotWinAreLeftOut) {
  EXPECT_EQ(possible_winners(Members{0, 1, 2}, Numbers{0, 1, -1}, Numbers{2, 3, 0.5}), (Winners{1, 0}));
  EXPECT_EQ(possible_winners(Members{0, 1, 2}, Numbers{0, 1, -1}, Numbers{1, 3, 4}), (Winners{1, 2}));  // a tie at best
  EXPECT_EQ(possible_winners(Members{0, 1}, Numbers{2, 2}, Numbers{2, 2}), (Winners{0}));  // equal constants
  EXPECT_EQ(possible_winners(Members{0}, Numbers{-1}, Numbers{1}), (Winners{0}));
}

TEST(PossibleWinners, AMemberThatOccursTwiceIsListedOnce) {
  EXPECT_EQ(possible_winners(Members{1, 1}, Numbers{9, 0}, Numbers{9, 1}), (Winners{1}));
  EXPECT_EQ(possible_winners(Members{2, 0, 2, 0}, Numbers{0, 9, 0}, Numbers{1, 9, 1}), (Winners{2, 0}));
}

TEST(PossibleWinners, OneOfThemIsTheMaximumAtEveryPoint) {
  testing::Random random(2);
  for (int round = 0; round < 500; ++round) {
    Numbers lower, upper, x;
    for (std::int64_t i = uniform(random, 1, 5); i > 0; --i) {
      lower.push_back(static_cast<double>(uniform(random, -8, 8)) / 4);
      upper.push_back(lower.back() + static_cast<double>(uniform(random, 0, 8)) / 4);
      x.push_back(lower.back() + (upper.back() - lower.back()) * static_cast<double>(uniform(random, 0, 4)) / 4);
    }
    Members all(x.size());
    std::iota(all.begin(), all.end(), 0);
    double best = -kInfinity;
    for (const std::int64_t m : possible_winners(all, lower, upper)) best = std::max(best, x[index(m)]);
    EXPECT_EQ(best, *std::ranges::max_element(x));
  }
}

}  // namespace
}  // namespace plumb::bounds
