#include "support/exact_polytope.h"

#include <algorithm>
#include <stdexcept>

namespace plumb::testing {
namespace {

const mpq_class& exactly_known(const ExactInterval& value) {
  if (value.low != value.high) throw std::logic_error("the oracle needs coefficients without errors");
  return value.low;
}

mpq_class dot(std::span<const mpq_class> a, std::span<const mpq_class> b) {
  mpq_class sum = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] != 0 && b[i] != 0) sum += a[i] * b[i];
  }
  return sum;
}

void add_multiple(std::vector<mpq_class>& to, const mpq_class& c, std::span<const mpq_class> from) {
  if (to.size() < from.size()) to.resize(from.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] != 0) to[i] += c * from[i];
  }
}

}  // namespace

ExactAffine::ExactAffine(const ExactInterval& value) : constant(exactly_known(value)) {}

ExactAffine ExactAffine::variable(std::size_t i) {
  ExactAffine f;
  f.coefficients.resize(i + 1, 0);
  f.coefficients[i] = 1;
  return f;
}

mpq_class ExactAffine::at(std::span<const mpq_class> x) const { return constant + dot(coefficients, x); }

bool ExactAffine::is_constant() const {
  return std::all_of(coefficients.begin(), coefficients.end(), [](const mpq_class& c) { return c == 0; });
}

ExactAffine operator+(const ExactAffine& a, const ExactAffine& b) {
  ExactAffine sum = a;
  add_multiple(sum.coefficients, 1, b.coefficients);
  sum.constant += b.constant;
  return sum;
}

ExactAffine operator-(const ExactAffine& a, const ExactAffine& b) { return a + mpq_class(-1) * b; }

ExactAffine operator*(const mpq_class& c, const ExactAffine& f) {
  ExactAffine product;
  if (c == 0) return product;
  add_multiple(product.coefficients, c, f.coefficients);
  product.constant = c * f.constant;
  return product;
}

ExactAffine operator*(const ExactInterval& c, const ExactAffine& f) { return exactly_known(c) * f; }

ExactPolytope::ExactPolytope(std::vector<mpq_class> lower, std::vector<mpq_class> upper) {
  for (std::size_t i = 0; i < lower.size(); ++i) {
    if (lower[i] > upper[i]) throw std::logic_error("an empty box");
    const std::size_t k = add_variable(upper[i] - lower[i]);
    lower_[k] = lower[i];
    constraints_[2 * i].constant = lower[i];
    constraints_[2 * i + 1].constant = -upper[i];
  }
}

std::size_t ExactPolytope::add_variable(const mpq_class& upper) {
  const std::size_t k = lower_.size();
  lower_.push_back(0);
  structural_.push_back(variables_);
  nonbasic_.push_back(variables_++);
  for (Row& row : rows_) row.coefficients.push_back(0);
  constraints_.push_back(mpq_class(-1) * ExactAffine::variable(k));
  ExactAffine below_upper = ExactAffine::variable(k);
  below_upper.constant = -upper;
  constraints_.push_back(below_upper);
  add_slack(below_upper);
  return k;
}

// f as a function of the nonbasic variables.
ExactPolytope::Row ExactPolytope::express(const ExactAffine& f) const {
  Row result{0, f.constant, std::vector<mpq_class>(nonbasic_.size(), 0)};
  for (std::size_t k = 0; k < f.coefficients.size(); ++k) {
    const mpq_class& c = f.coefficients[k];
    if (c == 0) continue;
    result.constant += c * lower_[k];
    const auto column = std::find(nonbasic_.begin(), nonbasic_.end(), structural_[k]);
    if (column != nonbasic_.end()) {
      result.coefficients[static_cast<std::size_t>(column - nonbasic_.begin())] += c;
      continue;
    }
    const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) { return r.basic == structural_[k]; });
    result.constant += c * row->constant;
    add_multiple(result.coefficients, c, row->coefficients);
  }
  return result;
}

// Adds a slack variable -f >= 0. The current vertex must satisfy it.
void ExactPolytope::add_slack(const ExactAffine& f) {
  Row slack = express(mpq_class(-1) * f);
  if (slack.constant < 0) throw std::logic_error("a constraint that the vertex violates");
  slack.basic = variables_++;
  rows_.push_back(std::move(slack));
}

// Uses Bland's rule for both the entering and the leaving variable (smallest index first), so that it terminates.
mpq_class ExactPolytope::minimize(const ExactAffine& f) {
  Row objective = express(f);
  for (;;) {
    std::optional<std::size_t> entering;
    for (std::size_t j = 0; j < nonbasic_.size(); ++j) {
      if (objective.coefficients[j] < 0 && (!entering || nonbasic_[j] < nonbasic_[*entering])) entering = j;
    }
    if (!entering) return objective.constant;
    const std::optional<std::size_t> row = leaving(*entering);
    if (!row) throw std::logic_error("a variable without an upper bound");
    pivot(*row, *entering, objective);
  }
}

// The row whose basic variable is the first to become zero as the entering variable grows.
std::optional<std::size_t> ExactPolytope::leaving(std::size_t entering) const {
  std::optional<std::size_t> first;
  mpq_class least;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const mpq_class& rate = rows_[r].coefficients[entering];
    if (rate >= 0) continue;
    const mpq_class ratio = -rows_[r].constant / rate;
    if (!first || ratio < least || (ratio == least && rows_[r].basic < rows_[*first].basic)) {
      first = r;
      least = ratio;
    }
  }
  return first;
}

// Solves the leaving row for the entering variable and substitutes it everywhere.
void ExactPolytope::pivot(std::size_t leaving, std::size_t entering, Row& objective) {
  Row& solved = rows_[leaving];
  const mpq_class factor = -1 / solved.coefficients[entering];
  solved.coefficients[entering] = -1;
  solved.constant *= factor;
  for (mpq_class& c : solved.coefficients) c *= factor;
  std::swap(solved.basic, nonbasic_[entering]);
  const auto substitute = [&](Row& row) {
    const mpq_class c = row.coefficients[entering];
    if (c == 0) return;
    row.coefficients[entering] = 0;
    row.constant += c * solved.constant;
    add_multiple(row.coefficients, c, solved.coefficients);
  };
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    if (r != leaving) substitute(rows_[r]);
  }
  substitute(objective);
}

bool ExactPolytope::restrict_to(const ExactAffine& f) {
  if (minimize(f) > 0) return false;
  constraints_.push_back(f);
  if (!f.is_constant()) add_slack(f);
  return true;
}

std::vector<mpq_class> ExactPolytope::point() const {
  std::vector<mpq_class> x;
  for (std::size_t k = 0; k < lower_.size(); ++k) x.push_back(express(ExactAffine::variable(k)).constant);
  return x;
}

std::optional<std::vector<mpq_class>> strictly_inside(const ExactPolytope& polytope,
                                                      std::span<const ExactAffine> strict) {
  std::vector<mpq_class> sum = polytope.point();
  mpq_class points = 1;
  for (const ExactAffine& f : strict) {
    ExactPolytope where = polytope;
    if (where.minimize(f) >= 0) return std::nullopt;
    const std::vector<mpq_class> least = where.point();
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += least[i];
    points += 1;
  }
  for (mpq_class& x : sum) x /= points;
  return sum;
}

namespace {

// The affine subspace on which some constraints are tight: its point nearest to the centre, and orthogonal vectors that
// span the normals.
struct Subspace {
  std::vector<mpq_class> nearest;
  std::vector<std::vector<mpq_class>> normals;

  // Empty if f is constant on the subspace.
  std::optional<Subspace> with_zero_of(const ExactAffine& f) const {
    std::vector<mpq_class> normal = f.coefficients;
    normal.resize(nearest.size(), 0);
    for (const auto& other : normals) add_multiple(normal, -dot(normal, other) / dot(other, other), other);
    const mpq_class square = dot(normal, normal);
    if (square == 0) return std::nullopt;
    Subspace result = *this;
    add_multiple(result.nearest, -f.at(nearest) / square, normal);
    result.normals.push_back(std::move(normal));
    return result;
  }
};

// Seidel's algorithm: if the best point for the first k constraints violates the next constraint, that constraint is
// tight at the best point for all k + 1.
std::optional<std::vector<mpq_class>> nearest_in(const Subspace& space, std::span<const ExactAffine> constraints) {
  std::vector<mpq_class> best = space.nearest;
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    if (constraints[k].at(best) <= 0) continue;
    const std::optional<Subspace> tight = space.with_zero_of(constraints[k]);
    if (!tight) return std::nullopt;
    auto next = nearest_in(*tight, constraints.first(k));
    if (!next) return std::nullopt;
    best = std::move(*next);
  }
  return best;
}

}  // namespace

std::optional<ExactNearest> nearest_point(const std::vector<mpq_class>& centre,
                                          const std::vector<ExactAffine>& constraints) {
  auto point = nearest_in({centre, {}}, constraints);
  if (!point) return std::nullopt;
  std::vector<mpq_class> apart = *point;
  add_multiple(apart, -1, centre);
  return ExactNearest{std::move(*point), dot(apart, apart)};
}

}  // namespace plumb::testing
