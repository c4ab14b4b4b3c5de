#include "program/write_lp.h"

#include <fmt/format.h>

#include <cmath>

#include "program/text.h"

namespace plumb::program {
namespace {

// A letter first (not e or E, which may begin an exponent), then what every reader allows.
std::string plain(const std::string& name, char kind, std::int32_t index) {
  std::string text = fmt::format("{}{}", kind, index);
  if (name == text) return text;
  text += '_';
  for (const char c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    text += is_plain ? c : '_';
  }
  return text;
}
std::string name_of(const Program& program, VariableId id) { return plain(program.name(id), 'x', id.index); }
std::string name_of(const Program& program, RowId id) { return plain(program.name(id), 'r', id.index); }

void put_term(Text& text, double coefficient, const std::string& name) {
  print(text, "\n  {} {} {}", coefficient < 0 ? '-' : '+', std::abs(coefficient), name);
}

void put_objective(const Program& program, Text& text) {
  text += "Minimize\n obj:";
  bool is_empty = true;
  for (std::int32_t j = 0; j < program.variables(); ++j) {
    const double cost = program.cost(VariableId{j});
    if (cost == 0) continue;
    put_term(text, cost, name_of(program, VariableId{j}));
    is_empty = false;
  }
  if (program.offset() != 0) {
    put_term(text, program.offset(), "ONE");  // not every reader takes a plain number
    is_empty = false;
  }
  if (program.is_quadratic()) {
    text += " + [";
    for (std::int32_t j = 0; j < program.variables(); ++j) {
      const double q = program.quadratic(VariableId{j});
      if (q != 0) put_term(text, 2 * q, name_of(program, VariableId{j}) + " ^ 2");
    }
    text += " ] / 2";
  } else if (is_empty && program.variables() > 0) {
    put_term(text, 0, name_of(program, VariableId{0}));  // some readers require at least one term
  }
  text += "\n";
}

void put_side(const Program& program, Text& text, RowId id, const char* suffix, const char* relation, double side) {
  print(text, " {}{}:", name_of(program, id), suffix);
  const Program::Row row = program.row(id);
  for (std::size_t k = 0; k < row.columns.size(); ++k) {
    put_term(text, row.coefficients[k], name_of(program, VariableId{row.columns[k]}));
  }
  if (row.columns.empty() && program.variables() > 0) put_term(text, 0, name_of(program, VariableId{0}));
  print(text, " {} {}\n", relation, side);
}

// A row with two finite sides is written twice: readers differ in which form of a range they take.
void put_rows(const Program& program, Text& text) {
  text += "Subject To\n";
  for (std::int32_t i = 0; i < program.rows(); ++i) {
    const double lower = program.lower(RowId{i}), upper = program.upper(RowId{i});
    if (lower == upper) {
      put_side(program, text, RowId{i}, "", "=", lower);
      continue;
    }
    const bool both = lower > -kInfinity && upper < kInfinity;
    if (lower > -kInfinity) put_side(program, text, RowId{i}, both ? "_lower" : "", ">=", lower);
    if (upper < kInfinity) put_side(program, text, RowId{i}, both ? "_upper" : "", "<=", upper);
  }
}

std::string side(double value) {
  if (std::isinf(value)) return value < 0 ? "-inf" : "+inf";
  return fmt::format("{}", value);
}

void put_bounds(const Program& program, Text& text) {
  text += "Bounds\n";
  if (program.offset() != 0) text += " ONE = 1\n";
  for (std::int32_t j = 0; j < program.variables(); ++j) {
    const VariableId id{j};
    const double lower = program.lower(id), upper = program.upper(id);
    if (lower == -kInfinity && upper == kInfinity)
      print(text, " {} free\n", name_of(program, id));
    else if (lower == upper)
      print(text, " {} = {}\n", name_of(program, id), lower);
    else
      print(text, " {} <= {} <= {}\n", side(lower), name_of(program, id), side(upper));
  }
}

// Binary variables are written as integers with their bounds: a Binary section would reset the bounds of fixed ones.
void put_integers(const Program& program, Text& text) {
  if (!program.is_integer()) return;
  text += "General\n";
  for (std::int32_t j = 0; j < program.variables(); ++j) {
    if (program.integrality(VariableId{j}) != Integrality::kContinuous)
      print(text, " {}\n", name_of(program, VariableId{j}));
  }
}

}  // namespace

std::string write_lp(const Program& program) {
  Text text = "\\ written by Plumb\n";
  put_objective(program, text);
  put_rows(program, text);
  put_bounds(program, text);
  put_integers(program, text);
  text += "End\n";
  return text;
}

}  // namespace plumb::program
