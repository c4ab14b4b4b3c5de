// program.h: a mixed-integer program with a linear or diagonal quadratic objective, independent of any solver.
//
//     minimise    offset + c.x + sum_j q_j x_j^2          q_j >= 0: convex
//     subject to  row_lower_i <= a_i.x <= row_upper_i
//                 lower_j <= x_j <= upper_j,  x_j integer for some j
//
// Bounds may be infinite; coefficients are finite. The program stores exactly what it is given: nothing is scaled,
// rounded, summed or reordered. So a bound that is proven about the program (certified_bound.h) is about the caller's
// own numbers.
//
// Invariants: every function checks its arguments, and throws InternalError for NaN, infinite coefficients, bounds that
//             cross, an id of another program, a negative q_j, or a variable that occurs twice in one row or objective
//             (adding its coefficients would round, and only the caller knows which direction is safe). Coefficients
//             that are zero are left out. A Program that exists is valid.
#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "base/numbers.h"

namespace plumb::program {

// Ids count from 0 in the order of adding.
struct VariableId {
  std::int32_t index = -1;
  auto operator<=>(const VariableId&) const = default;
};
struct RowId {
  std::int32_t index = -1;
  auto operator<=>(const RowId&) const = default;
};

enum class Integrality : std::uint8_t { kContinuous, kBinary, kInteger };

struct Term {
  VariableId variable;
  double coefficient = 0;
};

class Program {
 public:
  // The sparse left side of a row: columns are variable indices, in the order in which they were given.
  struct Row {
    std::span<const std::int32_t> columns;
    std::span<const double> coefficients;
  };

  // Building. An empty name means x<index> or r<index>.
  VariableId add_variable(double lower, double upper, std::string name = "");
  VariableId add_binary(std::string name = "");
  VariableId add_integer(double lower, double upper, std::string name = "");

  RowId add_row(double lower, std::span<const Term> terms, double upper, std::string name = "");
  RowId add_row(double lower, std::initializer_list<Term> terms, double upper, std::string name = "") {
    return add_row(lower, std::span<const Term>(terms.begin(), terms.size()), upper, std::move(name));
  }

  // Replaces the linear part and the offset.
  void set_objective(std::span<const Term> terms, double offset = 0);
  void set_objective(std::initializer_list<Term> terms, double offset = 0) {
    set_objective(std::span<const Term>(terms.begin(), terms.size()), offset);
  }
  // Replaces the quadratic part: `coefficient` times the variable's square.
  void set_quadratic(std::span<const Term> squares);
  void set_quadratic(std::initializer_list<Term> squares) {
    set_quadratic(std::span<const Term>(squares.begin(), squares.size()));
  }

  // The bounds of a binary variable must stay within [0, 1].
  void set_bounds(VariableId variable, double lower, double upper);
  void set_bounds(RowId row, double lower, double upper);

  // The same program without integrality; bounds stay.
  Program relaxation() const;

  // Sizes.
  std::int32_t variables() const { return static_cast<std::int32_t>(lower_.size()); }
  std::int32_t rows() const { return static_cast<std::int32_t>(row_lower_.size()); }
  std::int64_t nonzeros() const { return static_cast<std::int64_t>(columns_.size()); }
  // Binary and other integer variables.
  std::int32_t integer_variables() const { return integer_variables_; }
  bool is_integer() const { return integer_variables_ > 0; }
  bool is_quadratic() const { return quadratic_terms_ > 0; }

  // One variable, one row.
  double lower(VariableId variable) const { return lower_[at(variable)]; }
  double upper(VariableId variable) const { return upper_[at(variable)]; }
  Integrality integrality(VariableId variable) const { return integrality_[at(variable)]; }
  double cost(VariableId variable) const { return cost_[at(variable)]; }
  double quadratic(VariableId variable) const { return quadratic_[at(variable)]; }
  std::string name(VariableId variable) const;
  double lower(RowId row) const { return row_lower_[at(row)]; }
  double upper(RowId row) const { return row_upper_[at(row)]; }
  Row row(RowId row) const;
  std::string name(RowId row) const;

  // Everything, as solvers take it: compressed rows (row i is [row_starts[i], row_starts[i + 1])), one number per
  // variable.
  std::span<const double> lowers() const { return lower_; }
  std::span<const double> uppers() const { return upper_; }
  std::span<const Integrality> integralities() const { return integrality_; }
  std::span<const double> costs() const { return cost_; }
  std::span<const double> quadratics() const { return quadratic_; }
  double offset() const { return offset_; }
  std::span<const double> row_lowers() const { return row_lower_; }
  std::span<const double> row_uppers() const { return row_upper_; }
  std::span<const std::int32_t> row_starts() const { return row_starts_; }
  std::span<const std::int32_t> columns() const { return columns_; }
  std::span<const double> coefficients() const { return coefficients_; }

  // At a point, in plain double arithmetic.
  double objective(std::span<const double> point) const;
  double activity(RowId row, std::span<const double> point) const;

 private:
  std::size_t at(VariableId variable) const;
  std::size_t at(RowId row) const;
  VariableId add(double lower, double upper, Integrality integrality, std::string name);
  void check_terms(std::span<const Term> terms, const char* where);
  static void check_bounds(double lower, double upper, const std::string& name);

  std::vector<double> lower_, upper_, cost_, quadratic_;
  std::vector<Integrality> integrality_;
  std::vector<std::string> names_;
  std::vector<double> row_lower_, row_upper_;
  std::vector<std::string> row_names_;
  std::vector<std::int32_t> row_starts_ = {0};
  std::vector<std::int32_t> columns_;
  std::vector<double> coefficients_;
  double offset_ = 0;
  std::int32_t integer_variables_ = 0, quadratic_terms_ = 0;
  // The number of the list of terms in which each variable was last seen: finds repetitions without a search.
  std::vector<std::int64_t> last_list_;
  std::int64_t lists_ = 0;
};

}  // namespace plumb::program
