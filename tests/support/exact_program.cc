#include "support/exact_program.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace plumb::testing {
namespace {

using Vector = std::vector<mpq_class>;

// a . x = side
struct Plane {
  Vector a;
  mpq_class side;
};

// The unique solution of a square system; empty if there is none.
std::optional<Vector> solved(std::vector<Vector> matrix, Vector right) {
  const std::size_t n = right.size();
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    while (pivot < n && matrix[pivot][column] == 0) ++pivot;
    if (pivot == n) return std::nullopt;
    std::swap(matrix[pivot], matrix[column]);
    std::swap(right[pivot], right[column]);
    for (std::size_t row = 0; row < n; ++row) {
      if (row == column || matrix[row][column] == 0) continue;
      const mpq_class factor = matrix[row][column] / matrix[column][column];
      for (std::size_t k = column; k < n; ++k) matrix[row][k] -= factor * matrix[column][k];
      right[row] -= factor * right[column];
    }
  }
  for (std::size_t k = 0; k < n; ++k) right[k] /= matrix[k][k];
  return right;
}

class Enumeration {
 public:
  explicit Enumeration(const program::Program& program) : program_(program) {
    for (std::int32_t j = 0; j < program.variables(); ++j) {
      if (program.integrality(program::VariableId{j}) == program::Integrality::kContinuous) free_.push_back(j);
    }
  }

  std::optional<mpq_class> minimum() {
    point_.assign(static_cast<std::size_t>(program_.variables()), 0);
    assign_integers(0);
    return best_;
  }

 private:
  void assign_integers(std::int32_t j) {
    if (j == program_.variables()) {
      list_planes();
      std::vector<std::size_t> active;
      choose_active(0, active);
      return;
    }
    const program::VariableId id{j};
    if (program_.integrality(id) == program::Integrality::kContinuous) return assign_integers(j + 1);
    for (double value = std::ceil(program_.lower(id)); value <= program_.upper(id); ++value) {
      point_[static_cast<std::size_t>(j)] = value;
      assign_integers(j + 1);
    }
  }

  // Writes every side of a row or bound as an equation over the continuous variables, with the integers fixed.
  void list_planes() {
    planes_.clear();
    for (std::size_t k = 0; k < free_.size(); ++k) {
      for (const double side :
           {program_.lower(program::VariableId{free_[k]}), program_.upper(program::VariableId{free_[k]})}) {
        Plane plane{Vector(free_.size()), side};
        plane.a[k] = 1;
        planes_.push_back(plane);
      }
    }
    for (std::int32_t i = 0; i < program_.rows(); ++i) {
      const program::Program::Row row = program_.row(program::RowId{i});
      Plane plane{Vector(free_.size()), 0};
      mpq_class fixed = 0;
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        const auto place = std::find(free_.begin(), free_.end(), row.columns[k]);
        if (place == free_.end())
          fixed += mpq_class(row.coefficients[k]) * point_[static_cast<std::size_t>(row.columns[k])];
        else
          plane.a[static_cast<std::size_t>(place - free_.begin())] = row.coefficients[k];
      }
      for (const double side : {program_.lower(program::RowId{i}), program_.upper(program::RowId{i})}) {
        if (!std::isfinite(side)) continue;
        plane.side = mpq_class(side) - fixed;
        planes_.push_back(plane);
      }
    }
  }

  void choose_active(std::size_t next, std::vector<std::size_t>& active) {
    consider(active);
    if (active.size() == free_.size()) return;
    for (std::size_t k = next; k < planes_.size(); ++k) {
      active.push_back(k);
      choose_active(k + 1, active);
      active.pop_back();
    }
  }

  // The stationary point on the active planes: 2 Q x + c = A^T y, A x = side.
  void consider(const std::vector<std::size_t>& active) {
    const std::size_t n = free_.size(), m = active.size();
    if (m < n && !program_.is_quadratic()) return;  // singular
    std::vector<Vector> matrix(n + m, Vector(n + m));
    Vector right(n + m);
    for (std::size_t k = 0; k < n; ++k) {
      const program::VariableId id{free_[k]};
      matrix[k][k] = 2 * mpq_class(program_.quadratic(id));
      right[k] = -mpq_class(program_.cost(id));
      for (std::size_t r = 0; r < m; ++r) {
        matrix[k][n + r] = -planes_[active[r]].a[k];
        matrix[n + r][k] = planes_[active[r]].a[k];
      }
    }
    for (std::size_t r = 0; r < m; ++r) right[n + r] = planes_[active[r]].side;
    const auto solution = solved(std::move(matrix), std::move(right));
    if (!solution) return;
    for (std::size_t k = 0; k < n; ++k) point_[static_cast<std::size_t>(free_[k])] = (*solution)[k];
    if (!is_feasible()) return;
    const mpq_class objective = objective_at_point();
    if (!best_ || objective < *best_) best_ = objective;
  }

  bool is_feasible() const {
    const auto is_within = [](const mpq_class& value, double lower, double upper) {
      return (!std::isfinite(lower) || value >= lower) && (!std::isfinite(upper) || value <= upper);
    };
    for (std::size_t j = 0; j < point_.size(); ++j) {
      if (!is_within(point_[j], program_.lowers()[j], program_.uppers()[j])) return false;
    }
    for (std::int32_t i = 0; i < program_.rows(); ++i) {
      const program::Program::Row row = program_.row(program::RowId{i});
      mpq_class sum = 0;
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        sum += mpq_class(row.coefficients[k]) * point_[static_cast<std::size_t>(row.columns[k])];
      }
      if (!is_within(sum, program_.lower(program::RowId{i}), program_.upper(program::RowId{i}))) return false;
    }
    return true;
  }

  mpq_class objective_at_point() const {
    mpq_class sum = program_.offset();
    for (std::size_t j = 0; j < point_.size(); ++j) {
      sum += (mpq_class(program_.costs()[j]) + mpq_class(program_.quadratics()[j]) * point_[j]) * point_[j];
    }
    return sum;
  }

  const program::Program& program_;
  std::vector<std::int32_t> free_;
  Vector point_;
  std::vector<Plane> planes_;
  std::optional<mpq_class> best_;
};

}  // namespace

std::optional<mpq_class> exact_minimum(const program::Program& program) { return Enumeration(program).minimum(); }

}  // namespace plumb::testing
