// parser.h: parses the text of a property.
//
// In:  the text of a property, VNN-LIB 1.0 or 2.0 (docs/vnnlib.md has the grammar). Out: its declarations and formula.
// Errors: DataError with line and column, what was expected and what was found instead.
// Bounds: formulas nest at most kMaxNesting deep, so that no text exhausts the stack; memory grows with the text.
#pragma once

#include <string>
#include <string_view>

#include "vnnlib/formula.h"

namespace plumb::vnnlib {

inline constexpr int kMaxNesting = 1000;

// `name` stands for the text in errors.
Script parse(std::string_view text, const std::string& name);

}  // namespace plumb::vnnlib
