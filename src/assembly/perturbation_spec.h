// perturbation_spec.h: a perturbation as users write it.
//
// In:  linf:R  l1:R  l2:R  blur:HxW  brightness:LO,HI  contrast:LO,HI[,PIVOT]  patch:ROW,COL,H,W  FILE.json
//      or several of these joined by '+', which means their union. The '+' of an exponent (1e+3) joins nothing.
// Out: the families (property/perturbation.h). Numbers in the text are kept exactly; those in a file are doubles.
//
// docs/perturbations.md describes the file.
#pragma once

#include <string>
#include <vector>

#include "property/perturbation.h"

namespace plumb::assembly {

// Throws ArgumentError if the text cannot be understood, FileError or DataError if a file cannot be used.
std::vector<property::Perturbation> parse_perturbations(const std::string& text);

// Parses the content of a file, which errors call `name`. Throws DataError.
property::Directions parse_directions(const std::string& json, const std::string& name);

}  // namespace plumb::assembly
