// op_kind.h: questions about operations that several folders ask.
//
// Whoever adds an operation to Op has to answer them for it: nothing here has a fallback, so that the compiler names
// every question that is open. Rules elsewhere visit Op in the same way and name every alternative; AffineOp and
// OpWithoutUnits name several at once. A test for a single operation (std::get_if) would silently take a new one for
// something else, so tests/build/operations.py keeps such tests out.
#pragma once

#include <concepts>

#include "network/op.h"

namespace plumb::network {

template <class T, class... Types>
concept OneOf = (std::same_as<T, Types> || ...);

// Every element of the result is an affine function of the arguments' elements.
template <class T>
concept AffineOp = OneOf<T, Constant, Dense, Convolution, TransposedConvolution, ScaleShift, IndexMap, Sum>;

// No element of the result depends on a unit of this operation.
template <class T>
concept OpWithoutUnits = AffineOp<T> || OneOf<T, Input>;

// Whether the operation has units. It then has one argument, whose bounds decide them.
bool has_units(const Op& op);

// Whether the operation computes nothing: it has no arguments, and its values are given.
bool is_given(const Op& op);

// nullptr if the operation is not an input of the network.
const Input* as_input(const Op& op);
inline bool is_input(const Op& op) { return as_input(op) != nullptr; }

}  // namespace plumb::network
