// programs.h: small programs whose answers are known, and random ones with the means to solve them by enumeration.
#pragma once

#include <random>

#include "program/program.h"

namespace plumb::testing {

// minimise -x - 2y + 3 over x + y <= 4, x - y >= -2, 0 <= x, y <= 3: optimum -4 at (1, 3).
program::Program small_linear();

// maximise the value of what fits: a knapsack with n items of random weights; feasible and not trivial.
program::Program knapsack(int items, std::uint64_t seed);

// A market-split program: a few equations over many binaries, which take branch and bound very long.
program::Program market_split(int rows, int columns, std::uint64_t seed);

struct RandomShape {
  int continuous = 3, binaries = 4, rows = 5;
  bool squares = false;
};
// Small integers as coefficients, finite boxes; feasible about half of the time.
program::Program random_program(const RandomShape& shape, std::mt19937_64& random);

}  // namespace plumb::testing
