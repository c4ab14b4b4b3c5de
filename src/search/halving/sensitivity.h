// sensitivity.h: which input to halve.
#pragma once

#include "lanes/row_source.h"

namespace plumb::search {

// The coordinate (input, or parameter of an affine image) whose width loosens the functional's bound most. It is found
// from the coordinate's coefficients in the bound itself and in the rows of the units whose relaxation loosens the
// bound.
std::int64_t most_sensitive(const lanes::RowSource& rows, std::int64_t functional);

}  // namespace plumb::search
