// formula.h: a property after parsing: what it declares, and one formula over inputs, outputs and hidden values.
//
// The formula is the conjunction of everything that the text asserts. The question is whether it can be satisfied.
// Comparisons are linear and exact. All of them are brought to the forms "form <= 0" and "form < 0": a == b becomes two
// such comparisons, a >= b becomes b - a <= 0, and a != b becomes a choice between two strict ones.
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

// One element of an input or an output. Inputs are numbered consecutively over all declared networks, and so are
// outputs. Hidden values are outputs, numbered after the other outputs of their network.
struct Variable {
  bool output = false;
  std::int64_t index = 0;

  auto operator<=>(const Variable&) const = default;
};

struct Term {
  Variable variable;
  Decimal coefficient;  // not zero
};

// Terms in the order of their variables; each variable occurs at most once.
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
  std::vector<Formula> parts;  // the operands of "and" and "or"
};

struct Tensor {
  std::string name;
  std::string type;  // as written: real, float32, ...
  tensor::Shape shape;
  Position at;
  std::int64_t first = 0;                     // number of its first element, among inputs or among outputs
  std::optional<std::string> onnx_name = {};  // its name in the ONNX file, if the property gives it
};

struct DeclaredNetwork {
  std::string name;
  std::optional<std::string> equal_to, isomorphic_to;
  std::vector<Tensor> inputs, hidden, outputs;  // hidden ones always have an ONNX name
  Position at;
};

struct Script {
  int version = 1;  // 1 or 2
  // Version 1 declares single elements. They become one network without a name, with the input X and the output Y.
  std::vector<DeclaredNetwork> networks;
  Formula assertions;                    // an "and" of all assertions
  std::int64_t inputs = 0, outputs = 0;  // of the network that the formula is about
  // Where inputs are shared (joined_networks.h): for each declared input, the input of the network that it is. If
  // empty, the two are the same.
  std::vector<std::int64_t> input_places;
};

}  // namespace plumb::vnnlib
