// region_digest.h: the name of a region in certificates.
#pragma once

#include <string>

#include "question.h"

namespace checker {

// The SHA-256 of these bytes, in hexadecimal digits: the kind as a letter ('b' box, 'o' ball, 'i' affine image, 'p'
// polytope), then the fields in order:
//   box           low, high
//   ball          norm as a byte (0 linf, 1 l1, 2 l2), centre, radius, domain: low, high; radii
//   affine image  offset, generator, parameters: low, high; inequalities
//   polytope      box: low, high; inequalities
// A list is its length, as 8 bytes, and its entries. A double is its 8 bytes, where -0 counts as 0. A rational is the
// list of the characters of p/q in lowest terms, or of p if q is 1. An inequality is the list of its coefficients, then
// its bound. Integers and doubles have their lowest byte first.
std::string region_digest(const Region& region);

}  // namespace checker
