// satisfied.h: whether a point satisfies a program, for tests that choose the points themselves.
#pragma once

#include <span>

#include "program/program.h"

namespace plumb::testing {

// Checks bounds, rows and integrality, each within the tolerance.
inline bool satisfied(const program::Program& program, std::span<const double> point, double tolerance = 1e-9) {
  for (std::int32_t j = 0; j < program.variables(); ++j) {
    const double x = point[static_cast<std::size_t>(j)];
    if (x < program.lower(program::VariableId{j}) - tolerance || x > program.upper(program::VariableId{j}) + tolerance)
      return false;
    if (program.integrality(program::VariableId{j}) != program::Integrality::kContinuous && x != 0 && x != 1)
      return false;
  }
  for (std::int32_t i = 0; i < program.rows(); ++i) {
    const double activity = program.activity(program::RowId{i}, point);
    if (activity < program.lower(program::RowId{i}) - tolerance ||
        activity > program.upper(program::RowId{i}) + tolerance)
      return false;
  }
  return true;
}

// The coefficient of a variable in a row; zero if the row does not contain it.
inline double coefficient(const program::Program& program, program::RowId row, program::VariableId variable) {
  const program::Program::Row terms = program.row(row);
  for (std::size_t k = 0; k < terms.columns.size(); ++k) {
    if (terms.columns[k] == variable.index) return terms.coefficients[k];
  }
  return 0;
}

}  // namespace plumb::testing
