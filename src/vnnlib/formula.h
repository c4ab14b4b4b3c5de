// formula.h: a property as it was read: what it declares, and one formula over inputs, outputs and hidden values.
//
// The formula is what the text asserts: can all of it hold at once? Comparisons are linear and exact. Everything is
// brought to "form <= 0" and "form < 0": a >= b is b - a <= 0, a == b two of them, a != b one of two strict ones.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tensor/shape.h"
#include "vnnlib/decimal.h"
#include "vnnlib/lexer.h"

namespace plumb::vnnlib {

// One element of an input or an output. Inputs of all declared networks are counted through, outputs too; hidden values
// are outputs, counted after those of their network.
struct Variable {
  bool output = false;
  std::int64_t index = 0;

  auto operator<=>(const Variable&) const = default;
};

struct Term {
  Variable variable;
  Decimal coefficient;  // not zero
};

// Terms in the order of their variables, each once.
struct LinearForm {
  std::vector<Term> terms;
  Decimal constant;
};

// form <= 0, or form < 0 if strict.
struct Comparison {
  LinearForm form;
  bool strict = false;
  Position at;
};

struct Formula {
  enum class Kind { kComparison, kAnd, kOr };

  Kind kind = Kind::kAnd;
  Comparison comparison;
  std::vector<Formula> parts;  // of "and" and "or"
};

struct Tensor {
  std::string name;
  std::string type;  // as written: real, float32, ...
  tensor::Shape shape;
  Position at;
  std::int64_t first = 0;                     // number of its first element, among inputs or among outputs
  std::optional<std::string> onnx_name = {};  // what the ONNX file calls it, if the property says so
};

struct DeclaredNetwork {
  std::string name;
  std::optional<std::string> equal_to, isomorphic_to;
  std::vector<Tensor> inputs, hidden, outputs;  // hidden ones have their ONNX names
  Position at;
};

struct Script {
  int version = 1;  // 1 or 2
  // Version 1 declares single elements: here they are one network without a name, inputs X and outputs Y.
  std::vector<DeclaredNetwork> networks;
  Formula assertions;                    // an "and" of all of them
  std::int64_t inputs = 0, outputs = 0;  // of the network that the formula is about
  // Where inputs are shared (joined_networks.h): the network's input that each declared one is. Empty: the same.
  std::vector<std::int64_t> input_places;
};

}  // namespace plumb::vnnlib
