// events.h: what a search reports while it runs. Audits are made from it, and certificates will be.
//
// Out: claims, in the order in which each can be proven from the earlier ones and from the query: bounds of every node
//      over a piece of the region, bounds of single units by optimised slopes, targets that these refute, trees of
//      subproblems with the multipliers that close each, cuts with what proves them, halvings, witnesses.
//
// Everything is plain data: whoever listens needs nothing of what made it. Numbers are hints of how to prove a bound
// again, never to be taken on trust. All of a query's events come from one thread at a time.
//
// Most events cost something to put together, and are sent only where wants_details() says so.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "network/network.h"
#include "property/region.h"

namespace plumb::events {

// y >= x_below; y <= sum_m slope_m x_m + t for some t, over the members in `above`. One member above: it always wins.
struct MaximumClaim {
  std::int64_t below = 0;
  std::vector<std::int64_t> above;
  std::vector<double> slope;
};

// Bounds of a node's elements, and the lines that take its place, if it is a ReLU or a maximum, where later ones are
// bounded.
struct NodeClaim {
  network::NodeId node = 0;
  std::span<const double> lower, upper;
  std::span<const double> slope;  // of a ReLU's lower lines
  std::vector<MaximumClaim> maxima;
};

// An undecided unit of a list: a ReLU, or a link of a maximum's chain.
struct UnitClaim {
  network::NodeId node = 0;
  std::int64_t element = 0;
  double lower = 0, upper = 0;  // of its argument
  double slope = 0;             // of its lower line, where nothing else is said
};

// A maximum as a chain: L_0 = x_first, L_j = L_(j-1) + relu(x_member - L_(j-1)); members that are left out never win.
struct MaximumChain {
  enum class Place : std::int8_t {
    kBelow,
    kUnit,
    kAbove
  };  // the relu's argument is never positive, either, never negative
  struct Link {
    std::int64_t member = 0;
    Place place = Place::kUnit;
    std::int32_t unit = -1;  // in the list
  };
  network::NodeId node = 0;
  std::int64_t element = 0;
  std::int64_t first = 0;
  std::vector<Link> links;
};

// A coordinate u of the piece: the input (parameter, of an affine image) number `input` is centre + radius u.
struct CoordinateClaim {
  std::int32_t input = 0;
  double centre = 0, radius = 1;
};

// The units that what follows numbers. Those of one node come before those of later nodes.
struct UnitList {
  std::vector<UnitClaim> units;
  std::vector<MaximumChain> chains;          // of undecided maxima
  std::vector<NodeClaim> maxima;             // the lines of all maximum nodes; without bounds
  bool maxima_are_chains = true;             // otherwise undecided ones are taken along their lines
  std::vector<CoordinateClaim> coordinates;  // that cuts are written in
};

struct UnitDecision {
  std::int32_t unit = 0;
  bool active = false;

  auto operator<=>(const UnitDecision&) const = default;
};

// What is at least zero where it counts: `factor` times minus the functional of an inequality (counted over all
// conjunctions) of the same conjunction.
struct ConstraintMultiplier {
  std::int64_t functional = 0;
  double factor = 0;
};

// r_owner <= on_coordinates . u + on_units . r + constant.
struct CutClaim {
  using Term = std::pair<std::int32_t, double>;
  std::int32_t owner = 0;
  std::vector<Term> on_coordinates, on_units;
  double constant = 0;
};

// A cut lies above zero, and above the owner's argument. Plain: over the box of coordinates and units. Composed: after
// each unit of the argument was replaced, along a lower line of this slope, or from above by the cut of that number
// (-1: its upper line).
struct CutProof {
  bool composed = false;
  std::vector<double> slope;
  std::vector<std::int64_t> above;
};

// How a subproblem of a tree is closed. One slope and one multiplier a unit (row_bound.h says what they mean), one
// weight a cut of the tree.
struct Closing {
  std::size_t target = 0;
  std::vector<UnitDecision> decisions;
  std::span<const double> slope, multiplier, weight;
  std::vector<ConstraintMultiplier> constraint_multiplier;
  double bound = 0;
};

// How a subproblem is closed by a linear program's multipliers.
struct ProgramClosing {
  std::size_t target = 0;
  std::vector<UnitDecision> decisions;
  bool empty = false;          // it has no point: the functional itself has no part in the proof
  std::vector<double> passed;  // to each unit's row: the multiplier of argument = row
  std::vector<ConstraintMultiplier> constraint_multiplier;
  std::vector<double> on_region;  // multipliers, at least 0, of the inequalities of the piece's region
  double bound = 0;
};

class EventSink {
 public:
  virtual ~EventSink();

  // Whether anyone listens to more than witnesses.
  virtual bool wants_details() const { return false; }

  virtual void piece_begins(const property::SimpleRegion& region, std::size_t part);
  // Nodes in order, each bounded with the lines of the ones before it.
  virtual void bounded(std::span<const NodeClaim> nodes);
  // Nothing lies in it: bounds crossed on the way. Of the claims only the lines mean anything.
  virtual void region_is_empty(std::span<const NodeClaim> nodes);
  virtual void units_listed(const UnitList& list);
  // The unit's argument is at least `lower` with the slopes that come with it, at most `upper` with the others.
  virtual void tightened(std::int32_t unit, double lower, std::span<const double> slope_below, double upper,
                         std::span<const double> slope_above);
  // A functional is positive (not negative, if its inequality is strict) over the piece, with these slopes.
  virtual void refuted(std::int64_t functional, std::span<const double> slope, double bound);

  virtual void cuts_begin();  // they are numbered from here on
  virtual void cut_found(std::int64_t number, const CutClaim& cut, const CutProof& proof);
  // The mean of some cuts of one unit, by these weights.
  virtual void cut_merged(std::int64_t number, const CutClaim& cut, std::span<const std::int64_t> of,
                          std::span<const double> weights);

  // A tree over these functionals (its targets), with these cuts.
  virtual void tree_begins(std::span<const std::int64_t> functionals, std::span<const std::int64_t> cuts);
  virtual void split(std::size_t target, const std::vector<UnitDecision>& decisions, std::int32_t unit);
  virtual void closed(const Closing& closing);
  virtual void closed_by_program(const ProgramClosing& closing);
  // A leaf that neither has a proven bound nor gave a witness.
  virtual void leaf_open(std::size_t target, const std::vector<UnitDecision>& decisions);
  virtual void tree_ends();

  // Whether nothing unsafe is in the piece, as the search says.
  virtual void piece_ends(bool holds);
  virtual void halved(std::size_t part, const property::SimpleRegion& piece, const property::SimpleRegion& low,
                      const property::SimpleRegion& high);

  // A point of a part of the region, as parameters if that is an affine image.
  virtual void witness(std::size_t part, std::span<const double> input, std::span<const double> parameters);
};

}  // namespace plumb::events
