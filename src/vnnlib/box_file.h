// box_file.h: a box as plain text: one line "LO,HI" per input.
//
// In:  lines of two decimal numbers, separated by a comma or blanks; '#' begins a comment, empty lines do not count. A
//      single line stands for all inputs.
// Out: the same as a property that asserts LO <= X_i <= HI and nothing about outputs, so that its numbers are exact and
//      are rounded like those of every property.
// Errors: DataError, with the line, for text that cannot be read, for a lower number above the upper one, and for a
//         number of lines that does not fit.
#pragma once

#include <string>
#include <string_view>

#include "vnnlib/formula.h"

namespace plumb::vnnlib {

// `name` stands for the text in errors; `inputs` is the number of the network's inputs.
Script parse_box(std::string_view text, const std::string& name, std::int64_t inputs);

}  // namespace plumb::vnnlib
