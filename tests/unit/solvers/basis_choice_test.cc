#include "solvers/basis_choice.h"

#include <gtest/gtest.h>

namespace plumb::solvers {
namespace {

// How often the slack basis is chosen in 200 solves with the given numbers of iterations from either basis.
int times_from_slacks(int from_slacks, int from_last) {
  BasisChoice choice;
  int chosen = 0;
  for (int k = 0; k < 200; ++k) {
    const Basis basis = choice.next();
    chosen += basis == Basis::kSlacks;
    choice.record(basis, basis == Basis::kSlacks ? from_slacks : from_last);
  }
  return chosen;
}

TEST(BasisChoice, TakesTheBasisThatNeedsFewerIterations) {
  EXPECT_GT(times_from_slacks(100, 400), 190);
  EXPECT_LT(times_from_slacks(400, 100), 10);
}

TEST(BasisChoice, NoticesWhenTheOtherOneHasBecomeBetter) {
  BasisChoice choice;
  int late_from_last = 0;
  for (int k = 0; k < 2000; ++k) {
    const Basis basis = choice.next();
    const bool is_late = k >= 200;
    choice.record(basis, basis == Basis::kSlacks ? (is_late ? 1000 : 100) : (is_late ? 10 : 400));
    late_from_last += is_late && basis == Basis::kLast;
  }
  EXPECT_GT(late_from_last, 1000);
}

}  // namespace
}  // namespace plumb::solvers
