#include "support/clause_network.h"

#include <algorithm>
#include <cstdlib>

#include "base/numbers.h"

namespace plumb::testing {
namespace {

// The rows of the first map: one per clause, x_j and 2 x_j - 1 per variable.
network::Dense first_layer(const Formula& formula) {
  const std::int64_t n = formula.variables, rows = std::ssize(formula.clauses) + 2 * n;
  std::vector<double> weight(index(rows * n), 0.0), bias(index(rows), 0.0);
  std::size_t row = 0;
  for (const std::vector<int>& clause : formula.clauses) {
    bias[row] = 1;
    for (const int literal : clause) {
      weight[row * index(n) + index(std::abs(literal) - 1)] = literal > 0 ? -1 : 1;
      if (literal < 0) bias[row] -= 1;
    }
    ++row;
  }
  for (std::int64_t j = 0; j < n; ++j, ++row) weight[row * index(n) + index(j)] = 1;
  for (std::int64_t j = 0; j < n; ++j, ++row) {
    weight[row * index(n) + index(j)] = 2;
    bias[row] = -1;
  }
  return {1, n, rows, network::Coefficients(weight), network::Coefficients(bias)};
}

network::Dense sums(const Formula& formula) {
  const std::int64_t clauses = std::ssize(formula.clauses), n = formula.variables, units = clauses + 2 * n;
  std::vector<double> weight(index(2 * units), 0.0);
  for (std::int64_t c = 0; c < clauses; ++c) weight[index(c)] = 1;
  for (std::int64_t j = 0; j < n; ++j) {
    weight[index(units + clauses + j)] = 1;
    weight[index(units + clauses + n + j)] = -1;
  }
  return {1, units, 2, network::Coefficients(weight), network::Coefficients({0, 0})};
}

}  // namespace

Formula random_formula(Random& random, std::int64_t variables, std::int64_t clauses, std::int64_t shortest) {
  Formula formula{variables, {}};
  for (std::int64_t c = 0; c < clauses; ++c) {
    std::vector<int> names;
    for (int v = 1; v <= variables; ++v) names.push_back(v);
    std::ranges::shuffle(names, random);
    names.resize(index(uniform(random, shortest, 3)));
    for (int& literal : names) literal *= uniform(random, 0, 1) == 0 ? 1 : -1;
    formula.clauses.push_back(std::move(names));
  }
  return formula;
}

bool is_satisfied(const Formula& formula, const std::vector<bool>& assignment) {
  return std::ranges::all_of(formula.clauses, [&](const std::vector<int>& clause) {
    return std::ranges::any_of(clause,
                               [&](int literal) { return assignment[index(std::abs(literal) - 1)] == (literal > 0); });
  });
}

bool is_satisfiable(const Formula& formula) {
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << formula.variables); ++bits) {
    std::vector<bool> assignment;
    for (std::int64_t j = 0; j < formula.variables; ++j) assignment.push_back((bits >> j & 1) != 0);
    if (is_satisfied(formula, assignment)) return true;
  }
  return false;
}

property::Query satisfying_assignments(const Formula& formula) {
  const std::int64_t n = formula.variables;
  const network::Dense first = first_layer(formula), second = sums(formula);
  const std::int64_t units = first.outputs;
  network::Network network({{"x", network::Input{0}, {}, {n}},
                            {"a", first, {0}, {units}},
                            {"r", network::Relu{}, {1}, {units}},
                            {"y", second, {2}, {2}}},
                           {{"x", {n}}}, {{"y", {2}, 3}});
  const property::Box box{std::vector<double>(index(n), 0.0), std::vector<double>(index(n), 1.0)};
  const property::Conjunction conjunction{{.outputs = {1, 0}, .inputs = {}}, {.outputs = {0, 1}, .inputs = {}}};
  return {shared(std::move(network)), property::Region(box), property::UnsafeSet{{conjunction}}};
}

}  // namespace plumb::testing
