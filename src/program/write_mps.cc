#include "program/write_mps.h"

#include <fmt/format.h>

#include <vector>

#include "program/text.h"

namespace plumb::program {
namespace {

// A comment ends with its line.
std::string on_one_line(std::string name) {
  for (char& c : name) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return name;
}

void put_names(const Program& program, Text& text) {
  for (std::int32_t j = 0; j < program.variables(); ++j) {
    const std::string name = program.name(VariableId{j});
    if (name != fmt::format("x{}", j)) print(text, "* C{} is {}\n", j, on_one_line(name));
  }
  for (std::int32_t i = 0; i < program.rows(); ++i) {
    const std::string name = program.name(RowId{i});
    if (name != fmt::format("r{}", i)) print(text, "* R{} is {}\n", i, on_one_line(name));
  }
}

// E, G or L; N for a row without a finite side. A row with two finite sides is G with a range.
char kind_of(double lower, double upper) {
  if (lower == upper) return 'E';
  if (lower > -kInfinity) return 'G';
  return upper < kInfinity ? 'L' : 'N';
}

void put_row_kinds(const Program& program, Text& text) {
  text += "ROWS\n N COST\n";
  for (std::int32_t i = 0; i < program.rows(); ++i) {
    print(text, " {} R{}\n", kind_of(program.lower(RowId{i}), program.upper(RowId{i})), i);
  }
}

// MPS lists coefficients by column.
struct Entry {
  std::int32_t row;
  double value;
};

std::vector<std::vector<Entry>> columns_of(const Program& program) {
  std::vector<std::vector<Entry>> columns(static_cast<std::size_t>(program.variables()));
  for (std::int32_t i = 0; i < program.rows(); ++i) {
    const Program::Row row = program.row(RowId{i});
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      columns[static_cast<std::size_t>(row.columns[k])].push_back({i, row.coefficients[k]});
    }
  }
  return columns;
}

void put_columns(const Program& program, Text& text) {
  text += "COLUMNS\n";
  const auto columns = columns_of(program);
  bool in_integers = false;
  int markers = 0;
  const auto switch_to = [&](bool integers) {
    if (integers == in_integers) return;
    print(text, " M{} 'MARKER' '{}'\n", markers++, integers ? "INTORG" : "INTEND");
    in_integers = integers;
  };
  for (std::int32_t j = 0; j < program.variables(); ++j) {
    const VariableId id{j};
    switch_to(program.integrality(id) != Integrality::kContinuous);
    // The cost is written even if it is zero: a column exists only through its entries.
    print(text, " C{} COST {}\n", j, program.cost(id));
    for (const Entry& entry : columns[static_cast<std::size_t>(j)])
      print(text, " C{} R{} {}\n", j, entry.row, entry.value);
  }
  switch_to(false);
  // Readers differ on the sign of an objective's right side; a variable that is always 1 means the same to all.
  if (program.offset() != 0) print(text, " ONE COST {}\n", program.offset());
}

void put_right_sides(const Program& program, Text& text) {
  text += "RHS\n";
  for (std::int32_t i = 0; i < program.rows(); ++i) {
    const double lower = program.lower(RowId{i}), upper = program.upper(RowId{i});
    const double side = lower > -kInfinity ? lower : upper;
    if (side != 0 && side < kInfinity) print(text, " RHS R{} {}\n", i, side);
  }
  bool titled = false;
  for (std::int32_t i = 0; i < program.rows(); ++i) {
    const double lower = program.lower(RowId{i}), upper = program.upper(RowId{i});
    if (lower == upper || lower == -kInfinity || upper == kInfinity) continue;
    if (!titled) text += "RANGES\n";
    titled = true;
    print(text, " RNG R{} {}\n", i, upper - lower);
  }
}

void put_variable_bounds(const Program& program, Text& text) {
  text += "BOUNDS\n";
  if (program.offset() != 0) text += " FX BND ONE 1\n";
  for (std::int32_t j = 0; j < program.variables(); ++j) {
    const double lower = program.lower(VariableId{j}), upper = program.upper(VariableId{j});
    if (lower == upper) {
      print(text, " FX BND C{} {}\n", j, lower);
    } else if (lower == -kInfinity && upper == kInfinity) {
      print(text, " FR BND C{}\n", j);
    } else {
      // Both sides are always written: readers differ in what a missing one means for integers and for negative upper
      // bounds.
      if (lower == -kInfinity)
        print(text, " MI BND C{}\n", j);
      else
        print(text, " LO BND C{} {}\n", j, lower);
      if (upper == kInfinity)
        print(text, " PL BND C{}\n", j);
      else
        print(text, " UP BND C{} {}\n", j, upper);
    }
  }
}

void put_quadratic(const Program& program, Text& text) {
  if (!program.is_quadratic()) return;
  text += "QUADOBJ\n";
  for (std::int32_t j = 0; j < program.variables(); ++j) {
    const double q = program.quadratic(VariableId{j});
    if (q != 0) print(text, " C{} C{} {}\n", j, j, 2 * q);
  }
}

}  // namespace

std::string write_mps(const Program& program) {
  Text text;
  put_names(program, text);
  text += "NAME plumb\n";
  put_row_kinds(program, text);
  put_columns(program, text);
  put_right_sides(program, text);
  put_variable_bounds(program, text);
  put_quadratic(program, text);
  text += "ENDATA\n";
  return text;
}

}  // namespace plumb::program
