// write_lp.h: a program as CPLEX LP text, for people to read and for solvers that take it.
//
// Numbers are written so that reading them back gives the same doubles. A name is x or r, the index, and the program's
// own name, in which '_' replaces the characters that the format does not allow. The index keeps names distinct. The
// objective's offset is the cost of a variable ONE that is fixed at 1.
#pragma once

#include <string>

#include "program/program.h"

namespace plumb::program {

std::string write_lp(const Program& program);

}  // namespace plumb::program
