// events.h: what a search reports while it runs. Audits are built on these reports.
//
// Out: the query, then claims, in an order in which each can be proven from the earlier ones and from the query: bounds
//      of every node over a piece of the region, bounds of single units by optimised slopes, functionals that these
//      prove positive, cuts with their proofs, trees of subproblems with the multipliers that close each of them,
//      halvings, witnesses. Then the verdict.
//
// A search may continue an earlier one (search/frontier.h). It then leaves out what the earlier search closed, and says
// so: closed_before() names conjunctions that are left out, and tree_begins() lists the subproblems that a tree starts
// from. A listener that did not hear the earlier search has a proof of the rest only.
//
// Everything is plain data: a listener needs none of the code that produced it. The numbers are hints for proving a
// bound again; a listener must not trust them. All events of a query come from one thread at a time, and a listener
// hears one query at a time.
//
// Most events are costly to assemble. If wants_details() returns false, only query_begins(), query_ends() and witness()
// are sure to be sent.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "network/network.h"
#include "property/query.h"
#include "property/region.h"
#include "verdict/verdict.h"

namespace plumb::events {

// Lines around a maximum y of members x_m: y >= x_below, and y <= sum_m slope_m x_m + t for some t, where m runs over
// `above`. If `above` has a single member, y is that member over the whole region.
struct MaximumClaim {
  std::int64_t below = 0;
  std::vector<std::int64_t> above;
  std::vector<double> slope;
};

// Bounds of a node's elements. For a ReLU or a maximum, also the lines that replace it when later nodes are bounded.
struct NodeClaim {
  network::NodeId node = 0;
  std::span<const double> lower, upper;
  std::span<const double> slope;  // of a ReLU's lower lines
  std::vector<MaximumClaim> maxima;
};

// An undecided unit of a UnitList: a ReLU, or a link of a maximum's chain.
struct UnitClaim {
  network::NodeId node = 0;
  std::int64_t element = 0;
  double lower = 0, upper = 0;  // of its argument
  double slope = 0;             // of its lower line, unless a later claim brings its own slopes
};

// A maximum as a chain of ReLUs: L_0 = x_first, L_j = L_(j-1) + relu(x_member - L_(j-1)), one link per j. Members that
// are left out never win.
struct MaximumChain {
  // The sign of the ReLU's argument: never positive, undecided, never negative.
  enum class Place : std::int8_t { kBelow, kUnit, kAbove };
  struct Link {
    std::int64_t member = 0;
    Place place = Place::kUnit;
    std::int32_t unit = -1;  // its number in UnitList::units, if its place is kUnit
  };
  network::NodeId node = 0;
  std::int64_t element = 0;
  std::int64_t first = 0;
  std::vector<Link> links;
};

// A coordinate u of the piece: the input (for an affine image, the parameter) number `input` is centre + radius u.
struct CoordinateClaim {
  std::int32_t input = 0;
  double centre = 0, radius = 1;
};

// The units, which later events refer to by their numbers. Units of one node come before those of later nodes.
struct UnitList {
  std::vector<UnitClaim> units;
  std::vector<MaximumChain> chains;          // of undecided maxima
  std::vector<NodeClaim> maxima;             // lines of all maximum nodes, without bounds
  bool maxima_are_chains = true;             // if false, undecided maxima are relaxed along their lines
  std::vector<CoordinateClaim> coordinates;  // in which cuts are written
};

struct UnitDecision {
  std::int32_t unit = 0;
  bool active = false;

  auto operator<=>(const UnitDecision&) const = default;
};

// A constraint in a proof: `factor` >= 0 times the functional of another inequality of the same conjunction.
// Functionals are numbered over all conjunctions. The product is at most zero wherever the conjunction is satisfied, so
// it may be added to the functional that is bounded.
struct ConstraintMultiplier {
  std::int64_t functional = 0;
  double factor = 0;
};

// The cut bounded . r <= on_coordinates . u + on_units . r + constant.
struct CutClaim {
  using Term = std::pair<std::int32_t, double>;
  std::vector<Term> bounded;
  std::vector<Term> on_coordinates, on_units;
  double constant = 0;

  // Whether it bounds anything but the value of one unit.
  bool is_joint() const { return bounded.size() != 1 || bounded[0].second != 1; }
};

// A part of the piece, given by its decisions from the first to the last, in which the right-hand side of a cut minus
// its left-hand side is not negative. All other members have one entry per unit. `above` is as in CutProof; slopes and
// multipliers are as in Closing.
struct CutCase {
  std::vector<UnitDecision> decisions;
  std::vector<double> slope, multiplier;
  std::vector<std::int64_t> above;
};

// Why a cut is valid. Any cut may be proven by cases, which must cover the piece: they are the leaves of a tree of
// decisions.
//
// Without cases, the cut belongs to one unit, and lies above zero and above the unit's argument. A plain cut lies above
// the argument over the box of coordinates and units. A composed cut does so after each unit of the argument has been
// replaced: from below by the lower line with this slope, from above by the unit's cut with this number, or by the
// upper line if the number is -1.
struct CutProof {
  bool composed = false;
  std::vector<double> slope;
  std::vector<std::int64_t> above;
  std::vector<CutCase> cases = {};
};

// A subproblem that a tree starts from. Without decisions it is the whole piece.
struct TreeRoot {
  std::size_t target = 0;
  std::vector<UnitDecision> decisions;
};

// How a subproblem of a tree is closed. There is one slope and one multiplier per unit (reduction/row_bound.h defines
// them), and one weight per cut of the tree: for a cut of one unit its share of the unit's negative coefficient, for a
// joint cut the multiple of (left-hand side - right-hand side) <= 0 that is added to the functional.
struct Closing {
  std::size_t target = 0;
  std::vector<UnitDecision> decisions;
  std::span<const double> slope, multiplier, weight;
  std::vector<ConstraintMultiplier> constraint_multiplier;
  double bound = 0;
};

// How a subproblem is closed by the multipliers of a linear program.
struct ProgramClosing {
  std::size_t target = 0;
  std::vector<UnitDecision> decisions;
  bool empty = false;          // the subproblem has no point; the proof does not use the functional
  std::vector<double> passed;  // per unit, the multiplier of the equation argument = row
  std::vector<ConstraintMultiplier> constraint_multiplier;
  std::vector<double> on_region;  // multipliers >= 0 of the inequalities of the piece's region
  double bound = 0;
};

// What hears of events. Every event must be handled by those that derive from it, so that one that is added cannot be
// forgotten where all of them matter. Whoever needs only some derives from Listener.
class EventSink {
 public:
  virtual ~EventSink() = default;

  // Whether more is needed than queries, verdicts and witnesses.
  virtual bool wants_details() const = 0;

  virtual void query_begins(const property::Query& query) = 0;
  // Not sent if the search ends with an exception.
  virtual void query_ends(const verdict::Verdict& verdict) = 0;

  virtual void piece_begins(const property::SimpleRegion& region, std::size_t part) = 0;
  // All nodes in order. Each was bounded with the lines of the nodes before it.
  virtual void bounded(std::span<const NodeClaim> nodes) = 0;
  // The piece contains no point: its bounds crossed. Of the claims only the lines are meaningful.
  virtual void region_is_empty(std::span<const NodeClaim> nodes) = 0;
  virtual void units_listed(const UnitList& list) = 0;
  // The unit's argument is at least `lower`, proven with `slope_below`, and at most `upper`, proven with `slope_above`.
  virtual void tightened(std::int32_t unit, double lower, std::span<const double> slope_below, double upper,
                         std::span<const double> slope_above) = 0;
  // The functional is positive over the piece (non-negative if its inequality is strict), proven with these slopes.
  virtual void refuted(std::int64_t functional, std::span<const double> slope, double bound) = 0;
  // An earlier search refuted this conjunction over the piece. It is left out.
  virtual void closed_before(std::size_t conjunction) = 0;

  virtual void cuts_begin() = 0;  // the cuts that follow are numbered from 0
  virtual void cut_found(std::int64_t number, const CutClaim& cut, const CutProof& proof) = 0;
  // The weighted mean of the cuts in `of`, which all bound the same.
  virtual void cut_merged(std::int64_t number, const CutClaim& cut, std::span<const std::int64_t> of,
                          std::span<const double> weights) = 0;

  // A tree begins. Target t of the tree is functionals[t]. `cuts` holds the numbers of the tree's cuts. The tree starts
  // from `roots`: for each target the whole piece, or what an earlier search left open of it. The latter may overlap,
  // and subproblems that bounds show to be empty are not among them.
  virtual void tree_begins(std::span<const std::int64_t> functionals, std::span<const std::int64_t> cuts,
                           std::span<const TreeRoot> roots) = 0;
  virtual void split(std::size_t target, const std::vector<UnitDecision>& decisions, std::int32_t unit) = 0;
  virtual void closed(const Closing& closing) = 0;
  virtual void closed_by_program(const ProgramClosing& closing) = 0;
  // A leaf for which neither a proof nor a witness was found.
  virtual void leaf_open(std::size_t target, const std::vector<UnitDecision>& decisions) = 0;
  virtual void tree_ends() = 0;

  // `holds`: the search claims that the piece contains no unsafe point.
  virtual void piece_ends(bool holds) = 0;
  virtual void halved(std::size_t part, const property::SimpleRegion& piece, const property::SimpleRegion& low,
                      const property::SimpleRegion& high) = 0;

  // A witness in this part of the region. `parameters` is empty unless the part is an affine image.
  virtual void witness(std::size_t part, std::span<const double> input, std::span<const double> parameters) = 0;
};

}  // namespace plumb::events
