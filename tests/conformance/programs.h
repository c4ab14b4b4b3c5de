// programs.h: small programs with known answers, and random programs with what is needed to solve them by enumeration.
#pragma once

#include <random>

#include "program/program.h"

namespace plumb::testing {

// minimise -x - 2y + 3 over x + y <= 4, x - y >= -2, 0 <= x, y <= 3: optimum -4 at (1, 3).
program::Program small_linear();

// A knapsack program: maximise the value of `items` items with random weights. It is feasible and not trivial.
program::Program knapsack(int items, std::uint64_t seed);

// A market-split program: a few equations over many binary variables. Branch and bound takes very long on these.
program::Program market_split(int rows, int columns, std::uint64_t seed);

struct RandomShape {
  int continuous = 3, binaries = 4, rows = 5;
  bool squares = false;
};
// Small integer coefficients and finite boxes. About half of these programs are feasible.
program::Program random_program(const RandomShape& shape, std::mt19937_64& random);

}  // namespace plumb::testing
