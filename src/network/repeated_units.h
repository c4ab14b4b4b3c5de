// repeated_units.h: units of one layer whose rows are equal, or exact negatives of each other.
//
// In:  the affine map before a ReLU.
// Out: the map without the rows that repeat earlier ones, and where the values of all units are then found:
//
//          relu(z)  = the unit of the earlier row, if the rows are equal;
//          relu(-z) = relu(z) - z, if the earlier row is z and this one is -z.
//
// Some tools write an affine value z as relu(z) - relu(-z). That reads relu(z) - (relu(z) - z) then, in which relu(z)
// cancels. Linear bounds of an opposite unit are the same as if it were relaxed alone; interval arithmetic on
// relu(z) - z gives wider ones.
//
// Sound: rows count as equal (opposite) only if all coefficients are, bit by bit, and none of them was rounded.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "network/op.h"

namespace plumb::network {

struct RepeatedUnits {
  Op affine;  // without repeated rows
  // For each unit the element of the smaller ReLU from which it is computed, and the element of the smaller map that is
  // to be subtracted from that (-1: none).
  std::vector<std::int32_t> relu, subtracted;
  std::int64_t kept = 0;  // elements of the smaller map
  bool has_opposite = false;
};

// nullopt if so few rows repeat others that the additional operations cost more than they save.
std::optional<RepeatedUnits> repeated_units(const Op& affine);

}  // namespace plumb::network
