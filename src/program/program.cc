#include "program/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace plumb::program {
namespace {

std::size_t checked_index(std::int32_t index, std::int32_t size, const char* what) {
  if (index < 0 || index >= size) {
    throw InternalError("program",
                        fmt::format("{} {} of {}: the id does not belong to this program", what, index, size));
  }
  return static_cast<std::size_t>(index);
}

}  // namespace

std::size_t Program::at(VariableId variable) const { return checked_index(variable.index, variables(), "variable"); }
std::size_t Program::at(RowId row) const { return checked_index(row.index, rows(), "row"); }

void Program::check_bounds(double lower, double upper, const std::string& name) {
  // NaN fails every comparison. The intervals [inf, inf] and [-inf, -inf] contain no real number.
  if (lower <= upper && lower < kInfinity && upper > -kInfinity) return;
  throw InternalError("program", fmt::format("'{}' has the bounds [{}, {}]", name, lower, upper));
}

VariableId Program::add(double lower, double upper, Integrality integrality, std::string name) {
  check_bounds(lower, upper, name);
  if (lower_.size() >= std::numeric_limits<std::int32_t>::max()) throw InternalError("program", "too many variables");
  const VariableId id{variables()};
  lower_.push_back(lower);
  upper_.push_back(upper);
  cost_.push_back(0);
  quadratic_.push_back(0);
  integrality_.push_back(integrality);
  names_.push_back(std::move(name));
  last_list_.push_back(0);
  if (integrality != Integrality::kContinuous) ++integer_variables_;
  return id;
}

VariableId Program::add_variable(double lower, double upper, std::string name) {
  return add(lower, upper, Integrality::kContinuous, std::move(name));
}

VariableId Program::add_binary(std::string name) { return add(0, 1, Integrality::kBinary, std::move(name)); }

VariableId Program::add_integer(double lower, double upper, std::string name) {
  return add(lower, upper, Integrality::kInteger, std::move(name));
}

void Program::check_terms(std::span<const Term> terms, const char* where) {
  ++lists_;
  for (const Term& term : terms) {
    const std::size_t variable = at(term.variable);
    if (!std::isfinite(term.coefficient)) {
      throw InternalError("program",
                          fmt::format("{}: '{}' has the coefficient {}", where, name(term.variable), term.coefficient));
    }
    if (last_list_[variable] == lists_) {
      throw InternalError("program", fmt::format("{}: '{}' occurs twice", where, name(term.variable)));
    }
    last_list_[variable] = lists_;
  }
}

RowId Program::add_row(double lower, std::span<const Term> terms, double upper, std::string name) {
  check_bounds(lower, upper, name);
  check_terms(terms, name.c_str());
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
  if (columns_.size() + terms.size() > kMost || row_lower_.size() >= kMost) {
    throw InternalError("program", "too many coefficients");
  }
  for (const Term& term : terms) {
    if (term.coefficient == 0) continue;
    columns_.push_back(term.variable.index);
    coefficients_.push_back(term.coefficient);
  }
  const RowId id{rows()};
  row_starts_.push_back(static_cast<std::int32_t>(columns_.size()));
  row_lower_.push_back(lower);
  row_upper_.push_back(upper);
  row_names_.push_back(std::move(name));
  return id;
}

void Program::set_objective(std::span<const Term> terms, double offset) {
  check_terms(terms, "objective");
  if (!std::isfinite(offset)) throw InternalError("program", fmt::format("the objective's offset is {}", offset));
  std::fill(cost_.begin(), cost_.end(), 0.0);
  for (const Term& term : terms) cost_[at(term.variable)] = term.coefficient;
  offset_ = offset;
}

void Program::set_quadratic(std::span<const Term> squares) {
  check_terms(squares, "quadratic objective");
  for (const Term& term : squares) {
    if (term.coefficient < 0) {
      throw InternalError("program", fmt::format("the square of '{}' has the coefficient {}, which is not convex",
                                                 name(term.variable), term.coefficient));
    }
  }
  std::fill(quadratic_.begin(), quadratic_.end(), 0.0);
  for (const Term& term : squares) quadratic_[at(term.variable)] = term.coefficient;
  quadratic_terms_ =
      static_cast<std::int32_t>(std::count_if(quadratic_.begin(), quadratic_.end(), [](double q) { return q != 0; }));
}

void Program::set_bounds(VariableId variable, double lower, double upper) {
  const std::size_t i = at(variable);
  check_bounds(lower, upper, names_[i]);
  if (integrality_[i] == Integrality::kBinary && (lower < 0 || upper > 1)) {
    throw InternalError("program", fmt::format("binary '{}' has the bounds [{}, {}]", name(variable), lower, upper));
  }
  lower_[i] = lower;
  upper_[i] = upper;
}

void Program::set_bounds(RowId row, double lower, double upper) {
  const std::size_t i = at(row);
  check_bounds(lower, upper, row_names_[i]);
  row_lower_[i] = lower;
  row_upper_[i] = upper;
}

Program Program::relaxation() const {
  Program relaxed = *this;
  std::fill(relaxed.integrality_.begin(), relaxed.integrality_.end(), Integrality::kContinuous);
  relaxed.integer_variables_ = 0;
  return relaxed;
}

std::string Program::name(VariableId variable) const {
  const std::string& given = names_[at(variable)];
  return given.empty() ? fmt::format("x{}", variable.index) : given;
}

std::string Program::name(RowId row) const {
  const std::string& given = row_names_[at(row)];
  return given.empty() ? fmt::format("r{}", row.index) : given;
}

Program::Row Program::row(RowId row) const {
  const std::size_t i = at(row);
  const auto first = static_cast<std::size_t>(row_starts_[i]), last = static_cast<std::size_t>(row_starts_[i + 1]);
  return {columns().subspan(first, last - first), coefficients().subspan(first, last - first)};
}

double Program::objective(std::span<const double> point) const {
  double sum = offset_;
  for (std::size_t j = 0; j < cost_.size(); ++j) sum += (cost_[j] + quadratic_[j] * point[j]) * point[j];
  return sum;
}

double Program::activity(RowId row, std::span<const double> point) const {
  const Row sides = this->row(row);
  double sum = 0;
  for (std::size_t k = 0; k < sides.columns.size(); ++k) {
    sum += sides.coefficients[k] * point[static_cast<std::size_t>(sides.columns[k])];
  }
  return sum;
}

}  // namespace plumb::program
