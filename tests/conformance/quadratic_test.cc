// Convex quadratic objectives, with and without integers, against enumeration.
#include <gtest/gtest.h>

#include "conformance/back_end.h"
#include "program/certified_bound.h"
#include "support/exact_program.h"

namespace plumb {
namespace {

using testing::BackEnd;
using testing::exact_minimum;
using testing::random_program;

TEST_P(BackEnd, MinimisesConvexQuadratics) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 15; ++trial) {
    const program::Program program =
        random_program({.continuous = 3, .binaries = 0, .rows = 3, .squares = true}, random);
    if (!can().quadratic) return expect_refusal(program, {});
    const auto exact = exact_minimum(program);
    const program::SolveResult result = solve(program);
    if (!exact) {
      EXPECT_STATUS(result, kInfeasible);
      continue;
    }
    ASSERT_STATUS(result, kOptimal) << trial;
    EXPECT_NEAR(result.objective, exact->get_d(), 2e-5) << trial;
    if (!result.row_duals.empty()) {
      const double proven = certified_bound(program, result.row_duals);
      EXPECT_LE(proven, exact->get_d() + 1e-9);
      EXPECT_GE(proven, exact->get_d() - 1e-4);
    }
  }
}

TEST_P(BackEnd, MinimisesConvexQuadraticsOverIntegers) {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 15; ++trial) {
    const program::Program program =
        random_program({.continuous = 2, .binaries = 3, .rows = 3, .squares = true}, random);
    if (!can().integer_quadratic) return expect_refusal(program, {});
    const auto exact = exact_minimum(program);
    const program::SolveResult result = solve(program);
    if (!exact) {
      EXPECT_STATUS(result, kInfeasible);
      continue;
    }
    ASSERT_STATUS(result, kOptimal) << trial;
    EXPECT_NEAR(result.objective, exact->get_d(), 2e-5) << trial;
    EXPECT_LE(result.best_bound, exact->get_d() + 1e-5) << trial;
  }
}

}  // namespace
}  // namespace plumb
