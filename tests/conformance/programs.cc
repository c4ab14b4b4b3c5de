#include "conformance/programs.h"
#include "base/numbers.h"

#include <cmath>
#include <vector>

namespace plumb::testing {

program::Program small_linear() {
  program::Program program;
  const program::VariableId x = program.add_variable(0, 3, "x"), y = program.add_variable(0, 3, "y");
  program.add_row(-kInfinity, {{x, 1}, {y, 1}}, 4);
  program.add_row(-2, {{x, 1}, {y, -1}}, kInfinity);
  program.set_objective({{x, -1}, {y, -2}}, 3);
  return program;
}

program::Program knapsack(int items, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int> weight(20, 100);
  program::Program program;
  std::vector<program::Term> weights, values;
  double total = 0;
  for (int i = 0; i < items; ++i) {
    const program::VariableId item = program.add_binary();
    const int w = weight(random);
    weights.push_back({item, static_cast<double>(w)});
    values.push_back({item, -static_cast<double>(w + weight(random) / 10)});
    total += w;
  }
  program.add_row(-kInfinity, weights, std::floor(total / 2));
  program.set_objective(values);
  return program;
}

program::Program market_split(int rows, int columns, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int> demand(0, 99);
  program::Program program;
  std::vector<program::VariableId> x;
  for (int j = 0; j < columns; ++j) x.push_back(program.add_binary());
  std::vector<program::Term> slacks;
  for (int i = 0; i < rows; ++i) {
    std::vector<program::Term> terms;
    double total = 0;
    for (const program::VariableId id : x) {
      terms.push_back({id, static_cast<double>(demand(random))});
      total += terms.back().coefficient;
    }
    for (const double sign : {1.0, -1.0}) {
      const program::VariableId slack = program.add_variable(0, kInfinity);
      terms.push_back({slack, sign});
      slacks.push_back({slack, 1});
    }
    program.add_row(std::floor(total / 2), terms, std::floor(total / 2));
  }
  program.set_objective(slacks);
  return program;
}

program::Program random_program(const RandomShape& shape, std::mt19937_64& random) {
  std::uniform_int_distribution<int> coefficient(-5, 5), side(-6, 10), low(-3, 0), high(1, 4);
  program::Program program;
  std::vector<program::VariableId> variables;
  for (int j = 0; j < shape.continuous; ++j) variables.push_back(program.add_variable(low(random), high(random)));
  for (int j = 0; j < shape.binaries; ++j) variables.push_back(program.add_binary());
  for (int i = 0; i < shape.rows; ++i) {
    std::vector<program::Term> terms;
    for (const program::VariableId id : variables) {
      if (random() % 3 != 0) terms.push_back({id, static_cast<double>(coefficient(random))});
    }
    const double bound = side(random);
    switch (random() % 4) {
      case 0:
        program.add_row(-bound, terms, kInfinity);
        break;
      case 1:
        program.add_row(-bound, terms, -bound + 5);
        break;
      default:
        program.add_row(-kInfinity, terms, bound);
    }
  }
  std::vector<program::Term> costs, squares;
  for (const program::VariableId id : variables) {
    costs.push_back({id, static_cast<double>(coefficient(random))});
    if (shape.squares && random() % 4 != 0) squares.push_back({id, 0.5 * static_cast<double>(1 + random() % 6)});
  }
  program.set_objective(costs, coefficient(random));
  program.set_quadratic(squares);
  return program;
}

}  // namespace plumb::testing
