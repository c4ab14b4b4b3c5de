// write_lp.h: a program as CPLEX LP text, for people to read and for solvers that take it.
//
// Numbers are written so that reading them back gives the same doubles. The program's own names are used with the
// characters that the format does not allow replaced by '_' and the index added, so that they stay apart. The
// objective's offset is a variable ONE fixed at 1.
#pragma once

#include <string>

#include "program/program.h"

namespace plumb::program {

std::string write_lp(const Program& program);

}  // namespace plumb::program
