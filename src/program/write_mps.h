// write_mps.h: a program as free-format MPS text, which every solver reads.
//
// Numbers are written so that reading them back gives the same doubles. Rows bounded on both sides are written with
// RANGES (upper - lower is rounded there: the format has no other way), integers between MARKERs, the diagonal
// quadratic as QUADOBJ (which holds the Hessian: twice the coefficient), the objective's offset as a variable ONE fixed
// at 1. Names are C<index> and R<index>, because MPS has no way to quote one; comment lines at the top say which name
// of the program each stands for, where it has one.
#pragma once

#include <string>

#include "program/program.h"

namespace plumb::program {

std::string write_mps(const Program& program);

}  // namespace plumb::program
