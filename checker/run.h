// run.h: checks all certificates of a run of `plumb accuracy`, and says what they prove of its error.
#pragma once

#include "command_line.h"

namespace checker {

// What was checked before is not checked again, unless its certificate has other bytes now, it was checked by another
// version, or it is to be checked exactly and was not. Prints a line for each certificate that is rejected or missing,
// and last, for each radius, what is proven of the adversarial error. Returns the exit code: 1 if there is such a line.
// Throws BadFile if the store, the network or the data cannot be used.
int check_run(const Arguments& arguments);

}  // namespace checker
