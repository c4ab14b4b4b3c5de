// vnnlib.h: VNN-LIB properties, as docs/vnnlib.md defines them: version 1.0, and version 2.0 for one network without
// hidden values.
//
// A property describes what must not happen. Its numbers are exact. The queries that it becomes are rounded: every
// point that satisfies the property lies in the region of a query and satisfies a conjunction of it.
#pragma once

#include <gmpxx.h>

#include <compare>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "network.h"
#include "question.h"

namespace checker {

// An element of the inputs or of the outputs, which are counted over all tensors.
struct Variable {
  bool is_output = false;
  std::int64_t index = 0;

  auto operator<=>(const Variable&) const = default;
};

// A linear function; no coefficient is zero.
struct Form {
  std::map<Variable, mpq_class> terms;
  mpq_class constant;
};

// A comparison form <= 0 (< 0 if strict), or the parts joined by "and" or "or".
struct Formula {
  enum class Kind { kComparison, kAnd, kOr };

  Kind kind = Kind::kAnd;
  Form form;
  bool strict = false;
  std::vector<Formula> parts;
};

// All assertions, joined by "and". Throws BadFile; `name` stands for the text there.
Formula parse_property(std::string_view text, const std::string& name, const Network& network);

// Throws BadFile for inputs without bounds, coefficients that cannot be made doubles, and properties of too many parts.
std::vector<Query> queries_of(const Formula& property, const Network& network);

// Whether a point with these inputs, whose outputs lie in the intervals, certainly satisfies the property.
bool satisfies(const Formula& property, const std::vector<mpq_class>& inputs, const std::vector<Interval>& outputs);

}  // namespace checker
