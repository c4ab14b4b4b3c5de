// certificate.h: the records of a certificate (docs/certificates.md).
//
// Each record is a struct whose fields() names its fields in the order of the file, so that reading (reader.h) and
// printing (print.cc) need no further description. Nothing here says whether what a record claims is true.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "question.h"

namespace checker {

using Index = std::int64_t;
using Terms = std::vector<std::pair<Index, double>>;
struct PerUnit : std::vector<double> {};  // as many numbers as units are listed
struct PerCut : std::vector<double> {};   // as many numbers as the tree has cuts

struct Decision {
  Index unit = 0;
  bool active = false;
};

struct Choices {
  PerUnit slope, multiplier;
  PerCut weight;
  Terms constraints;  // functionals and their factors
  void fields(auto& io) { io(slope, multiplier, weight, constraints); }
};

// Records of the same fields, told apart by their number.
template <int kNumber>
struct Plain {
  void fields(auto&) {}
};
template <int kNumber>
struct OfSubproblem {
  Index subproblem = 0;
  void fields(auto& io) { io(subproblem); }
};
template <int kNumber>
struct WithChoices {
  Index subproblem = 0;
  Choices choices;
  void fields(auto& io) { io(subproblem, choices); }
};
using Empty = Plain<7>;
using CutsBegin = Plain<12>;
using Forget = OfSubproblem<19>;
using Close = WithChoices<20>;
using Bare = OfSubproblem<21>;
using TreeEnd = Plain<23>;
using BoundBelow = WithChoices<25>;
using ElementsEnd = Plain<26>;
using Proven = Plain<28>;
using End = Plain<30>;

struct Answer {
  bool violated = false;
  std::string arithmetic;
  void fields(auto& io) { io(violated, arithmetic); }
};
struct NetworkHash {
  std::string sha256;
  void fields(auto& io) { io(sha256); }
};
struct Name {
  std::string tensor;
  Index number = 0;
  void fields(auto& io) { io(tensor, number); }
};
struct Unsafe {
  std::vector<Conjunction> conjunctions;
  void fields(auto& io) { io(conjunctions); }
};
struct Part {
  std::string digest;
  void fields(auto& io) { io(digest); }
};
struct BeginPiece {
  Index piece = 0;
  void fields(auto& io) { io(piece); }
};
struct Units {
  struct Unit {
    Index name = 0, element = 0;
    void fields(auto& io) { io(name, element); }
  };
  enum Place : Index { kBelow, kUnit, kAbove };
  struct Link {
    Index member = 0, place = 0, unit = -1;
    void fields(auto& io) {
      io(member, place);
      if (place == kUnit) io(unit);
    }
  };
  struct Chain {
    Index name = 0, element = 0, first = 0;
    std::vector<Link> links;
    void fields(auto& io) { io(name, element, first, links); }
  };
  std::vector<Unit> units;
  std::vector<Chain> chains;
  void fields(auto& io) { io(units, chains); }
};
struct Coordinates {
  struct Coordinate {
    Index input = 0;
    double centre = 0, radius = 0;
    void fields(auto& io) { io(input, centre, radius); }
  };
  std::vector<Coordinate> coordinates;
  void fields(auto& io) { io(coordinates); }
};
struct Tight {
  Index unit = 0;
  PerUnit slope_below, slope_above;
  void fields(auto& io) { io(unit, slope_below, slope_above); }
};
struct Refuted {
  Index functional = 0;
  std::optional<PerUnit> slope;
  void fields(auto& io) { io(functional, slope); }
};
// bounded . r <= coordinates . u + units . r + constant
struct CutRow {
  Terms bounded, coordinates, units;
  double constant = 0;
  void fields(auto& io) { io(bounded, coordinates, units, constant); }
};
struct CutFound {
  enum Proof : Index { kPlain, kComposed, kCases };
  struct Case {
    std::vector<Decision> decisions;
    PerUnit slope, multiplier;
    std::vector<std::pair<Index, Index>> above;  // units and their cuts
    void fields(auto& io) { io(decisions, slope, multiplier, above); }
  };
  CutRow row;
  Index proof = kPlain;
  Case composed;
  std::vector<Case> cases;
  void fields(auto& io) {
    io(row, proof);
    if (proof == kComposed) io(composed.slope, composed.above);
    if (proof == kCases) io(cases);
  }
};
struct Merged {
  CutRow row;
  Terms of;  // cuts and their weights
  void fields(auto& io) { io(row, of); }
};
struct Tree {
  std::vector<Index> functionals, cuts;
  void fields(auto& io) { io(functionals, cuts); }
};
struct Split {
  Index subproblem = 0, unit = 0;
  void fields(auto& io) { io(subproblem, unit); }
};
struct Narrow {
  struct End {
    Index unit_and_side = 0;  // twice the unit, plus 1 for an upper end
    double factor = 0, claimed = 0;
    void fields(auto& io) { io(unit_and_side, factor, claimed); }
  };
  Index subproblem = 0;
  Choices choices;
  std::vector<End> ends;
  void fields(auto& io) { io(subproblem, choices, ends); }
};
struct Imply {
  enum From : Index { kArgument, kUpperEnd, kLowerEnd, kFunctional };
  enum About : Index { kCoordinate, kUnit, kContradiction };
  struct Implication {
    Index from = 0, premise = 0, about = 0, number = 0;
    bool upper = false;
    double coefficient = 0, claimed = 0;
    std::optional<PerUnit> slope;
    void fields(auto& io) { io(from, premise, about, number, upper, coefficient, claimed, slope); }
  };
  Index subproblem = 0;
  std::vector<Implication> implications;
  void fields(auto& io) { io(subproblem, implications); }
};
struct Program {
  Index subproblem = 0;
  bool empty = false;
  PerUnit passed;
  Terms constraints;
  std::vector<double> on_region;
  void fields(auto& io) { io(subproblem, empty, passed, constraints, on_region); }
};
struct Elements {
  Index name = 0;
  std::vector<Index> elements;
  void fields(auto& io) { io(name, elements); }
};
struct Halved {
  Index piece = 0, input = 0;
  double low_end = 0, high_start = 0;
  void fields(auto& io) { io(piece, input, low_end, high_start); }
};
struct Witness {
  std::vector<double> input, parameters;
  void fields(auto& io) { io(input, parameters); }
};
struct RefutedByValues {
  Index functional = 0;
  void fields(auto& io) { io(functional); }
};

// In the order of their numbers in the file, from 1.
using Record =
    std::variant<Answer, NetworkHash, Name, Unsafe, Part, BeginPiece, Empty, Units, Coordinates, Tight, Refuted,
                 CutsBegin, CutFound, Merged, Tree, Split, Narrow, Imply, Forget, Close, Bare, Program, TreeEnd,
                 Elements, BoundBelow, ElementsEnd, Halved, Proven, Witness, End, RefutedByValues>;
inline constexpr const char* kRecordNames[] = {
    "ANSWER",      "NETWORK",      "NAME",    "UNSAFE", "PART",    "PIECE",   "EMPTY",    "UNITS",
    "COORDINATES", "TIGHT",        "REFUTED", "CUTS",   "CUT",     "MERGED",  "TREE",     "SPLIT",
    "NARROW",      "IMPLY",        "FORGET",  "CLOSE",  "BARE",    "PROGRAM", "TREE_END", "ELEMENTS",
    "BOUND",       "ELEMENTS_END", "HALVED",  "PROVEN", "WITNESS", "END",     "VALUES"};

}  // namespace checker
