// write_mps.h: a program as free-format MPS text, which every solver reads.
//
// Numbers are written so that reading them back gives the same doubles. The one exception is a row with two finite
// sides: the format requires RANGES for it, which holds upper - lower, rounded. Integer variables are between MARKERs.
// The diagonal quadratic part is written as QUADOBJ, which holds the Hessian: twice the coefficients. The objective's
// offset is the cost of a variable ONE that is fixed at 1. Names are C<index> and R<index>, because MPS has no way to
// quote a name. Comment lines at the top say which name of the program each stands for, if it has one.
#pragma once

#include <string>

#include "program/program.h"

namespace plumb::program {

std::string write_mps(const Program& program);

}  // namespace plumb::program
