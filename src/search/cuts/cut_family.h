// cut_family.h: a kind of cuts: how cuts of it are found, and what proves them.
//
// A family is given a point of the relaxation, and finds cuts that the point violates. cut_rounds.h asks all families
// that its options name, and treats their cuts alike. What a cut bounds (reduction/cuts.h) decides how its weight
// enters a lane (lanes/lanes.h): cuts of one unit share the unit's negative coefficient, and of joint cuts multiples
// are added to what is bounded.
//
// Sound: a family is responsible for the validity of its cuts. The checker proves each again, from its claim and the
//        CutProof that comes with it. For any coefficients, reduction/row_bound.h bounds what the constant must be,
//        case by case, and its choices are what an events::CutCase consists of.
#pragma once

#include <span>

#include "base/limits.h"
#include "events/events.h"
#include "reduction/cuts.h"
#include "reduction/reduced_network.h"

namespace plumb::search {

// A point of the relaxation: coordinates u, values r of the units, and their arguments z computed from their rows.
struct RelaxationPoint {
  std::vector<double> u, r, z;
};

RelaxationPoint relaxation_point(const reduction::ReducedNetwork& network, std::vector<double> u,
                                 std::vector<double> r);

// A row's value at a point, in plain double arithmetic.
double value_at(const reduction::LooseRow& row, const RelaxationPoint& point);

// A cut, and its number in events.
struct NumberedCut {
  reduction::Cut cut;
  std::int64_t number = 0;
};

// A cut that was found, and why it is valid.
struct SeparatedCut {
  reduction::Cut cut;
  events::CutProof proof;  // left empty unless proofs are wanted
};

// About one functional.
struct SeparationQuestion {
  const reduction::ReducedNetwork& network;  // over a cube
  const RelaxationPoint& point;              // the relaxation's minimiser
  std::span<const float> on_value;       // the coefficient of each unit's value; only negative ones use upper bounds
  std::span<const NumberedCut> present;  // of all families; proofs may rest on them
  bool proofs_wanted = false;
  const Budget& budget;  // at its limits, the family returns what it has found so far
};

class CutFamily {
 public:
  virtual ~CutFamily() = default;
  virtual std::vector<SeparatedCut> separate(const SeparationQuestion& question) const = 0;
};

// The cut as events report it.
events::CutClaim claim_of(const reduction::Cut& cut);

// Merges several cuts that bound the same into one: their weighted mean. The weights must not all be zero.
reduction::Cut merged(const reduction::ReducedNetwork& network, std::span<const reduction::Cut* const> cuts,
                      std::span<const double> weights);

}  // namespace plumb::search
