// exact_polytope.h: small linear programs and projections in rational arithmetic, for the oracles of the tests.
//
// A polytope is a box with constraints f(x) <= 0, f affine. It is never empty: a constraint is added only at a vertex
// that satisfies it. Hence there is no first phase: whether a constraint can be satisfied is itself a minimisation. The
// code is exact, and fast enough for a handful of variables and some dozens of constraints.
#pragma once

#include <gmpxx.h>

#include <optional>
#include <span>
#include <vector>

#include "support/exact_evaluator.h"

namespace plumb::testing {

// constant + coefficients . x. Trailing coefficients may be missing; they are zero.
struct ExactAffine {
  ExactAffine() = default;
  // A constant. The interval must be a single number.
  explicit ExactAffine(const ExactInterval& value);
  ExactAffine(std::vector<mpq_class> linear, mpq_class shift)
      : coefficients(std::move(linear)), constant(std::move(shift)) {}
  static ExactAffine variable(std::size_t i);

  mpq_class at(std::span<const mpq_class> x) const;
  bool is_constant() const;

  std::vector<mpq_class> coefficients;
  mpq_class constant = 0;
};
ExactAffine operator+(const ExactAffine& a, const ExactAffine& b);
ExactAffine operator-(const ExactAffine& a, const ExactAffine& b);
ExactAffine operator*(const mpq_class& c, const ExactAffine& f);
ExactAffine operator*(const ExactInterval& c, const ExactAffine& f);  // c must be a single number

class ExactPolytope {
 public:
  // Starts at the lower corner.
  ExactPolytope(std::vector<mpq_class> lower, std::vector<mpq_class> upper);

  // Adds a variable with values in [0, upper] and returns its index.
  std::size_t add_variable(const mpq_class& upper);

  // Moves to a vertex at which f is least, and returns the value of f there.
  mpq_class minimize(const ExactAffine& f);

  // Adds f <= 0 and moves to a vertex that satisfies it. If there is none, returns false and adds nothing.
  bool restrict_to(const ExactAffine& f);

  // The current vertex.
  std::vector<mpq_class> point() const;

  // All constraints f <= 0, including the sides of the box.
  const std::vector<ExactAffine>& constraints() const { return constraints_; }

 private:
  // basic = constant + sum_j coefficients_j * (nonbasic variable j). All variables are >= 0: first the distances from
  // the lower corner, then a slack for each further constraint.
  struct Row {
    std::size_t basic = 0;
    mpq_class constant = 0;
    std::vector<mpq_class> coefficients;
  };

  Row express(const ExactAffine& f) const;
  void add_slack(const ExactAffine& f);
  std::optional<std::size_t> leaving(std::size_t entering) const;
  void pivot(std::size_t leaving, std::size_t entering, Row& objective);

  std::vector<mpq_class> lower_;
  std::vector<std::size_t> structural_;  // index of each coordinate of x among all variables
  std::vector<std::size_t> nonbasic_;
  std::vector<Row> rows_;
  std::size_t variables_ = 0;
  std::vector<ExactAffine> constraints_;
};

// A point of the polytope at which every function of `strict` is negative; empty if there is none. (If each of them can
// be negative, all can be negative at once: at the mean of the points, since the polytope is convex.)
std::optional<std::vector<mpq_class>> strictly_inside(const ExactPolytope& polytope,
                                                      std::span<const ExactAffine> strict);

// The point of {x : f(x) <= 0 for all constraints} that is nearest to `centre` in l2, with the square of its distance.
// Empty if there is no such point.
struct ExactNearest {
  std::vector<mpq_class> point;
  mpq_class squared_distance;
};
std::optional<ExactNearest> nearest_point(const std::vector<mpq_class>& centre,
                                          const std::vector<ExactAffine>& constraints);

}  // namespace plumb::testing
