// input_assertions.h: which assertions of a property are about outputs, and the property without them.
//
// A property without its conditions on outputs is a region: the question is then about the values that the network
// takes there, not about whether it violates something.
#pragma once

#include "vnnlib/formula.h"

namespace plumb::vnnlib {

// Whether the comparison involves an output or a hidden value, perhaps beside inputs.
bool has_output(const Comparison& comparison);
bool mentions_outputs(const Formula& formula);

// The formula with every comparison that involves an output replaced by "true". Every input that satisfies the original
// formula with some outputs satisfies the result.
Formula about_inputs(Formula formula);

}  // namespace plumb::vnnlib
