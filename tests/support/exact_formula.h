// exact_formula.h: formulas over a network's inputs and outputs, and whether they can be satisfied, in exact
// arithmetic.
//
// In:  a tree of comparisons between linear sums, "and" and "or"; a tiny network (exact_decision.h says how tiny).
// Out: whether the formula holds at a point, and whether it holds at any real point at all.
//
// This is the oracle for VNN-LIB properties. It shares no code with the reader: the generator of a property keeps the
// tree that the text was written from. Nothing here rounds.
#pragma once

#include <gmpxx.h>

#include <optional>
#include <span>
#include <vector>

#include "network/network.h"

namespace plumb::testing {

// inputs . x + outputs . y + constant.
struct LinearSum {
  LinearSum(std::size_t input_count, std::size_t output_count) : inputs(input_count), outputs(output_count) {}

  bool has_output() const;
  mpq_class at(std::span<const mpq_class> x, std::span<const mpq_class> y) const;

  std::vector<mpq_class> inputs, outputs;
  mpq_class constant = 0;
};
// If the sum depends on exactly one input and on nothing else: that input.
std::optional<std::size_t> single_input(const LinearSum& sum);
LinearSum operator-(const LinearSum& a, const LinearSum& b);

enum class Relation { kLess, kLessEqual, kGreater, kGreaterEqual, kEqual, kDifferent };

struct ExactFormula {
  struct Comparison {
    Relation relation;
    LinearSum left, right;
  };
  enum class Kind { kComparison, kAnd, kOr };

  static ExactFormula all_of(std::vector<ExactFormula> parts) { return {Kind::kAnd, {}, std::move(parts)}; }
  static ExactFormula any_of(std::vector<ExactFormula> parts) { return {Kind::kOr, {}, std::move(parts)}; }
  static ExactFormula of(Comparison comparison) { return {Kind::kComparison, std::move(comparison), {}}; }

  Kind kind = Kind::kAnd;
  std::optional<Comparison> comparison;
  std::vector<ExactFormula> parts;
};

bool holds_at(const ExactFormula& formula, std::span<const mpq_class> x, std::span<const mpq_class> y);

// The formula with every comparison relaxed by `amount`, or tightened if `amount` is negative; a tightened equality
// cannot be satisfied. If the answer does not change under both, it does not depend on rounding.
ExactFormula loosened(const ExactFormula& formula, const mpq_class& amount);

// sum <= 0, or sum < 0 if strict.
struct ExactConstraint {
  LinearSum sum;
  bool strict = false;
};
using ExactConjunction = std::vector<ExactConstraint>;

// The formula as a disjunction of conjunctions.
std::vector<ExactConjunction> conjunctions_of(const ExactFormula& formula);

// The number of these conjunctions, counted without building them.
std::size_t count_conjunctions(const ExactFormula& formula);

// An input at which the formula holds for the network's exact outputs; empty if there is none. Wherever the formula
// holds, every coordinate must have magnitude at most `reach`.
std::optional<std::vector<mpq_class>> exact_witness(const network::Network& network, const ExactFormula& formula,
                                                    const mpq_class& reach);

}  // namespace plumb::testing
