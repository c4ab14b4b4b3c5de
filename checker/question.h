// question.h: what is to be proven: that no point of some regions is unsafe.
//
// In:  the user's words: a VNN-LIB file, or a sample of a data set and a perturbation.
// Out: queries. The question holds if every query holds: no point of its region satisfies all inequalities of one of
//      its conjunctions.
//
// The question never comes from the certificate. Numbers that are not doubles are rounded so that regions and unsafe
// sets only grow; the radius of a ball stays the exact rational.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "network.h"

namespace checker {

struct Box {
  std::vector<double> low, high;
};

enum class Norm { kLinf, kL1, kL2 };

// {x in domain : |x - centre|_norm <= radius}.
struct Ball {
  Norm norm = Norm::kLinf;
  std::vector<double> centre;
  mpq_class radius;
  Box domain;
  std::vector<mpq_class> radii = {};  // only for l-infinity: one per input, instead of `radius`; empty otherwise
};

// terms . x <= bound.
struct InputInequality {
  std::vector<double> coefficients;
  double bound = 0;
};

// {offset + G z : z in parameters, every inequality holds at z}; G is row-major, inputs x parameters.
struct AffineImage {
  std::vector<double> offset, generator;
  Box parameters;
  std::vector<InputInequality> inequalities;
};

struct Polytope {
  Box box;
  std::vector<InputInequality> inequalities;
};

using Region = std::variant<Box, Ball, AffineImage, Polytope>;

// outputs . y + inputs . x <= bound, or < bound if strict. Terms are (position, coefficient), in ascending order of
// positions, without zeros.
struct Inequality {
  using Term = std::pair<std::int64_t, double>;
  std::vector<Term> outputs, inputs;
  double bound = 0;
  bool strict = false;

  bool operator==(const Inequality&) const = default;
};
using Conjunction = std::vector<Inequality>;

struct Query {
  Region region;
  std::vector<Conjunction> unsafe;
};

struct Question {
  std::vector<Query> queries;
  std::string statement;  // in words, for the line that is printed: "sample 7 of mnist:DIR (label 9), linf 0.1"
};

// The name of a region in certificates: the SHA-256, in hexadecimal digits, of the bytes that docs/certificates.md
// names ("Digest of a region").
std::string region_digest(const Region& region);

// The smallest box of doubles around the ball, inside its domain.
Box box_around(const Ball& ball);

// The least double that is not below the radius.
double radius_up(const Ball& ball);

}  // namespace checker
