// clause_network.h: satisfiability written as units, for tests of propagation.
//
// A clause is the unit relu(1 - (sum of literals)), and the sum of these units must be at most zero. The sum of
// x - relu(2x - 1) over all variables must be at most zero as well, which makes each of them 0 or 1.
#pragma once

#include <vector>

#include "network/network.h"
#include "property/query.h"
#include "support/random_network.h"

namespace plumb::testing {

// Literals are numbers of variables, counted from 1; negative ones are negated.
struct Formula {
  std::int64_t variables = 0;
  std::vector<std::vector<int>> clauses;
};

// Clauses of `shortest` to three different variables. With three each and about 4.3 clauses per variable, half of the
// formulas are satisfiable, and hardly any decision is forced at first.
Formula random_formula(Random& random, std::int64_t variables, std::int64_t clauses, std::int64_t shortest = 2);
bool is_satisfied(const Formula& formula, const std::vector<bool>& assignment);
bool is_satisfiable(const Formula& formula);

// Unsafe points are the satisfying assignments.
property::Query satisfying_assignments(const Formula& formula);

}  // namespace plumb::testing
