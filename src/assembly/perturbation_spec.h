// perturbation_spec.h: a perturbation as users write it.
//
// In:  linf:R  l1:R  l2:R  blur:HxW  brightness:LO,HI  contrast:LO,HI[,PIVOT]  patch:ROW,COL,H,W  FILE.json
//      or several joined by '+' (not the one of an exponent), whose union is meant.
// Out: the families (property/perturbation.h). Numbers are kept as exactly as they were written.
//
// docs/perturbations.md describes the file.
#pragma once

#include <string>
#include <vector>

#include "property/perturbation.h"

namespace plumb::assembly {

// Throws UsageError if the text cannot be understood, FileError or DataError if a file cannot be used.
std::vector<property::Perturbation> parse_perturbations(const std::string& text);

// The content of a file; `name` stands in errors for it. Throws DataError.
property::Directions parse_directions(const std::string& json, const std::string& name);

}  // namespace plumb::assembly
