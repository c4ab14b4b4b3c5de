// repeated_units.h: units of one layer whose rows are equal, or exact negatives of each other.
//
// In:  the affine map before a ReLU.
// Out: the map without the rows that repeat earlier ones, and where the values of all units are then found:
//
//          relu(z)  = the unit of the earlier row, if the rows are equal;
//          relu(-z) = relu(z) - z, if one is the negative of the other.
//
// A pair of opposite units that adds up to something affine, as tools that split units make them, is affine again: what
// its ReLU adds cancels where the pair is read. Linear bounds of an opposite unit are those of its own triangle;
// intervals of the difference are wider.
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
  // For each unit the element of the smaller ReLU that it equals, and the element of the smaller map that is to be
  // subtracted (-1: none).
  std::vector<std::int32_t> relu, subtracted;
  std::int64_t kept = 0;  // elements of the smaller map
  bool has_opposite = false;
};

// nullopt if too few rows repeat others to be worth the operations that reading them takes.
std::optional<RepeatedUnits> repeated_units(const Op& affine);

}  // namespace plumb::network
