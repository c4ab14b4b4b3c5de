// events.h: what a search reports while it runs. Audits are built on these reports.
//
// Out: the query, then claims, in an order in which each can be proven from the earlier ones and from the query: bounds
//      of every node over a piece of the region, bounds of single units by optimised slopes, functionals that these
//      prove positive, cuts with their proofs, trees of subproblems with narrower ranges of units and the multipliers
//      that close each of them, halvings, witnesses. Then the verdict.
//
// A search may continue an earlier one (search/frontier.h). It then leaves out what the earlier search closed, and says
// so: closed_before() names conjunctions that are left out, and tree_begins() lists the subproblems that a tree starts
// from. A listener that did not hear the earlier search has a proof of the rest only.
//
// Everything is plain data: a listener needs none of the code that produced it. The numbers are hints for proving a
// bound again; a listener must not trust them. All events of a query come from one thread at a time, and a listener
// hears one query at a time. Spans and references are valid during the call only: a listener copies what it keeps. A
// listener may throw; the search then ends with that exception.
//
// Most events are costly to assemble. If wants_details() returns false, only query_begins(), query_ends() and witness()
// are sure to be sent. Others may come or not; their order means nothing.
//
// Order, with details (x* means any number of x, x? one or none, x | y one of the two):
//
//     query    = query_begins part* query_ends
//     part     = piece (piece | halved)*
//     piece    = piece_begins (region_is_empty | bounded refuted_by_values* | claims?) piece_ends
//     claims   = bounded list refuted* closed_before* witness* tree* refuted* (list tightened* list?)? turn*
//     turn     = tree? (cuts tree*)* layer* (list refuted*)?
//     layer    = list element_trees_begin (step | subproblem_bounded)* element_trees_end
//     list     = units_listed
//     cuts     = cuts_begin cut_found* cut_merged*
//     tree     = tree_begins (step | witness)* tree_ends
//     step     = split | narrowed | implied | ranges_forgotten | closed | closed_by_program | closed_by_ranges |
//     leaf_open
//
// A piece may stop after any of its claims, at a limit or with a verdict, and then piece_ends() follows. In particular:
//   - Parts come in order, and none after one with a witness. If the unsafe set has no conjunctions, no parts are
//   reported.
//   - A piece may begin again: if splitting units does not decide a part quickly, it begins once more before it is
//   halved.
//     What was claimed about it before does not count. A piece that is a ball may begin again as a box around it.
//   - halved() follows the piece_ends(false) of its piece, perhaps after other pieces. Its halves become pieces later,
//     or never if the search ends before.
//   - units_listed() is sent several times per piece. Each list replaces the one before: units get new numbers, and
//     cuts are void. Bounds that were proven of elements stay.
//   - A tree may end with subproblems open, at a limit or because it grew too large. Another tree may then start, for
//     the same targets with cuts, from the same roots: what the first one closed does not count for it. Only a target
//     whose subproblems are all closed when its tree ends is refuted.
//   - If a number overflows, the piece breaks off: neither tree_ends() nor piece_ends() is sent, and the next event is
//     that of another part, or query_ends(). If the search ends with an exception, nothing more is sent at all.
//
// Numbers: nodes are named by their ids in the network. Conjunctions are numbered as in the query's unsafe set.
// Functionals are the inequalities of all conjunctions, numbered one conjunction after the other. Units are numbered by
// the last UnitList, cuts since the last cuts_begin(), targets within their tree, parts as in the query's region.
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
// `above`, and slope[i] belongs to member above[i]. If `above` has a single member, y is that member over the whole
// region. If `above` is empty, y <= t. Members are elements of the maximum's argument.
struct MaximumClaim {
  std::int64_t below = 0;
  std::vector<std::int64_t> above;
  std::vector<double> slope;
};

// Bounds of a node's elements, one per element. For a ReLU or a maximum, also the lines that replace it when later
// nodes are bounded.
struct NodeClaim {
  network::NodeId node = 0;
  std::span<const double> lower, upper;
  std::span<const double> slope;     // of a ReLU's lower lines, one per element; empty for other nodes
  std::vector<MaximumClaim> maxima;  // of a maximum, one per element; empty for other nodes
};

// An undecided unit of a UnitList: element `element` of a ReLU node, or a link of the chain of that element of a
// maximum node.
struct UnitClaim {
  network::NodeId node = 0;
  std::int64_t element = 0;
  double lower = 0, upper = 0;  // of its argument
  double slope = 0;             // of its lower line, unless a later claim brings its own slopes
};

// A maximum as a chain of ReLUs. Link j = 1, 2, ... is links[j - 1]; L_j is the maximum of the members up to it:
// L_0 = x_first, L_j = L_(j-1) + relu(x_member - L_(j-1)). The value of the last L is that of the maximum. Members that
// are left out never win.
struct MaximumChain {
  // The sign of the ReLU's argument over the piece: never positive, undecided, never negative.
  enum class Place : std::int8_t { kBelow, kUnit, kAbove };
  struct Link {
    std::int64_t member = 0;
    Place place = Place::kUnit;
    std::int32_t unit = -1;  // its number in UnitList::units, if its place is kUnit
  };
  network::NodeId node = 0;
  std::int64_t element = 0;
  std::int64_t first = 0;  // a member: an element of the maximum's argument, as Link::member is
  std::vector<Link> links;
};

// A coordinate u of the piece: the input (for an affine image, the parameter) number `input` is centre + radius u. The
// inputs are concatenated.
struct CoordinateClaim {
  std::int32_t input = 0;
  double centre = 0, radius = 1;
};

// The units, which later events refer to by their positions in `units`. Units of one node come before those of later
// nodes.
struct UnitList {
  std::vector<UnitClaim> units;
  std::vector<MaximumChain> chains;          // of undecided maxima
  std::vector<NodeClaim> maxima;             // lines of all maximum nodes, without bounds
  bool maxima_are_chains = true;             // if false, undecided maxima are relaxed along their lines
  std::vector<CoordinateClaim> coordinates;  // in which cuts are written; empty if there can be none
};

// Active: the unit's argument is at least zero. Inactive: at most zero.
struct UnitDecision {
  std::int32_t unit = 0;
  bool active = false;

  auto operator<=>(const UnitDecision&) const = default;
};

// A constraint in a proof: `factor` >= 0 times the functional of another inequality of the same conjunction. The
// product is at most zero wherever the conjunction is satisfied, so it may be added to the functional that is bounded.
struct ConstraintMultiplier {
  std::int64_t functional = 0;
  double factor = 0;
};

// The cut bounded . r <= on_coordinates . u + on_units . r + constant, where r_k is the value of unit k and u are the
// coordinates of the last UnitList. A term is a number of a coordinate or unit, and its coefficient. In a cut of one
// unit, the units of `on_units` come before it.
struct CutClaim {
  using Term = std::pair<std::int32_t, double>;
  std::vector<Term> bounded;
  std::vector<Term> on_coordinates, on_units;
  double constant = 0;

  // Whether it bounds anything but the value of one unit.
  bool is_joint() const { return bounded.size() != 1 || bounded[0].second != 1; }
};

// A subproblem of the piece, its decisions in the order in which they were made, in which the right-hand side of a cut
// minus its left-hand side is not negative. All other members have one entry per unit. `above` is as in CutProof;
// slopes and multipliers are as in Closing.
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
  std::vector<double> slope;        // one per unit; empty for a plain cut
  std::vector<std::int64_t> above;  // one per unit, a cut of that unit; empty for a plain cut
  std::vector<CutCase> cases = {};
};

// A subproblem that a tree starts from. Without decisions it is the whole piece.
struct TreeRoot {
  std::size_t target = 0;
  std::vector<UnitDecision> decisions;
};

// How a subproblem of a tree is closed: these choices give the functional of the target, with the constraints added, a
// positive lower bound over the subproblem. There is one slope and one multiplier per unit (reduction/row_bound.h
// defines them), and one weight per cut of the tree, in the order of tree_begins(): for a cut of one unit its share of
// the unit's negative coefficient, for a joint cut the multiple of (left-hand side - right-hand side) <= 0 that is
// added to the functional. A subproblem is identified by its target and its decisions; the order of the decisions does
// not matter.
//
// The bound is that under the ranges of the subproblem (Narrowing): a unit whose range lies above zero counts as
// active, and one whose range lies below zero as inactive, each with its multiplier. Other open units have the upper
// line of their range.
struct Closing {
  std::size_t target = 0;
  std::vector<UnitDecision> decisions;
  std::span<const double> slope, multiplier, weight;
  std::vector<ConstraintMultiplier> constraint_multiplier;
  double bound = 0;
  // Per unit, 1 if its coefficient was negative, so that an open unit has its upper line; empty if that is not known.
  // Slopes of such units have no effect, nor have ranges of the other ones unless they decide them.
  std::span<const std::uint8_t> on_upper_line = {};
};

// A new end of the range of a unit's argument z. The function that proves it is the affine lower bound of z (of -z, for
// an upper end) over the whole piece, along the lines and slopes of the UnitList and without cuts, plus `factor` >= 0
// times the affine function of the Narrowing. Its minimum over the piece is at least `bound` (-bound, for an upper
// end).
struct NarrowedRange {
  std::int32_t unit = 0;
  bool upper = false;
  double factor = 0;
  double bound = 0;
};

// Narrower ranges of units at the unsafe points of an open subproblem. With these choices, which have the form of those
// of a Closing and are evaluated under the ranges that the subproblem has so far, the functional with the constraints
// added is at least an affine function g . u + b over the subproblem. So g . u + b <= 0 at each of its unsafe points,
// and the ranges below follow. They hold for this subproblem and those that it is split into, and replace earlier
// ranges that are wider.
struct Narrowing {
  std::size_t target = 0;
  std::vector<UnitDecision> decisions;
  std::span<const double> slope, multiplier, weight;
  std::vector<ConstraintMultiplier> constraint_multiplier;
  std::vector<NarrowedRange> ranges;
  std::span<const std::uint8_t> on_upper_line = {};  // as in a Closing
};

// What an inequality implies at the unsafe points of a subproblem, because of the ranges that its terms have so far: a
// new end of the range of a coordinate or unit, or a contradiction.
//
// The premise is P <= t: z_k <= t with t the upper end of the range of z_k, the argument of unit k; -z_k <= -t with t
// its lower end; or P <= 0 with P a functional of the target's conjunction. P is seen as a function of the coordinates
// u and the values r of units, each anywhere in its range. So c x <= t - min(P - c x), where x is a coordinate or the
// value of a unit, and c is its coefficient. That bounds x, and if x = relu(z), it bounds z in the same way: z <= x,
// and z = x where x is positive. An upper end of relu(z) below zero is a contradiction. An argument itself is bounded
// by what its terms can be, without a premise.
struct Implication {
  enum class From : std::int8_t { kArgument, kUpperEnd, kLowerEnd, kFunctional };
  enum class About : std::int8_t { kCoordinate, kUnit, kContradiction };

  From from = From::kFunctional;
  std::int64_t premise = 0;  // the unit k, or the functional
  About about = About::kContradiction;
  std::int32_t number = 0;  // of the coordinate or unit; if `from` is kArgument, of the unit whose argument it is
  bool upper = false;
  double coefficient = 0;  // c; its sign is that of the end. Not used if `from` is kArgument
  double bound = 0;        // the new end; for a contradiction, how far min(P) is above t
  // Of lower lines, one per unit. If there are some, P is first replaced by an affine lower bound over the coordinates,
  // along these lines and upper lines over the units' ranges.
  std::span<const double> slope = {};
};

// How a subproblem is closed by the multipliers of a linear program. Units lie in the ranges that the subproblem has.
struct ProgramClosing {
  std::size_t target = 0;
  std::vector<UnitDecision> decisions;
  bool empty = false;          // the subproblem has no unsafe point; the proof does not use the functional
  std::vector<double> passed;  // per unit, the multiplier of the equation argument = row
  std::vector<ConstraintMultiplier> constraint_multiplier;
  std::vector<double> on_region;  // multipliers >= 0 of the inequalities of the piece's region, in their order
  double bound = 0;
};

// What hears of events. Every event must be handled by those that derive from it, so that one that is added cannot be
// forgotten where all of them matter. Whoever needs only some derives from Listener (listener.h).
class EventSink {
 public:
  virtual ~EventSink() = default;

  // Whether more is needed than queries, verdicts and witnesses. Must not change during a query.
  virtual bool wants_details() const = 0;

  virtual void query_begins(const property::Query& query) = 0;
  // Not sent if the search ends with an exception.
  virtual void query_ends(const verdict::Verdict& verdict) = 0;

  // The search turns to a piece of this part: the part itself, a half of an earlier piece, or a box around a ball.
  virtual void piece_begins(const property::SimpleRegion& region, std::size_t part) = 0;
  // All nodes in order: nodes[id] is about node `id`. Each was bounded with the lines of the nodes before it.
  virtual void bounded(std::span<const NodeClaim> nodes) = 0;
  // The piece contains no point: its bounds crossed. Of the claims only the lines are meaningful.
  virtual void region_is_empty(std::span<const NodeClaim> nodes) = 0;
  // Sent several times per piece. The list replaces the one before.
  virtual void units_listed(const UnitList& list) = 0;
  // The unit's argument is at least `lower`, proven with `slope_below`, and at most `upper`, proven with `slope_above`.
  // Both have one slope per unit. Later claims may rest on these bounds.
  virtual void tightened(std::int32_t unit, double lower, std::span<const double> slope_below, double upper,
                         std::span<const double> slope_above) = 0;
  // The functional is positive over the piece (non-negative if its inequality is strict), proven with these slopes, one
  // per unit. That refutes its conjunction. May be sent again for the same functional.
  virtual void refuted(std::int64_t functional, std::span<const double> slope, double bound) = 0;
  // The same, proven by bounds of values alone: the functional moves back through affine nodes, and each unit and each
  // input that it comes to may have any value within its bounds.
  virtual void refuted_by_values(std::int64_t functional, double bound) = 0;
  // An earlier search refuted this conjunction over the piece. It is left out.
  virtual void closed_before(std::size_t conjunction) = 0;

  virtual void cuts_begin() = 0;  // earlier cuts are void; those that follow are numbered from 0
  // The proof may rest on cuts that were found before.
  virtual void cut_found(std::int64_t number, const CutClaim& cut, const CutProof& proof) = 0;
  // The mean of the cuts with the numbers `of`, by these weights. They all bound the same.
  virtual void cut_merged(std::int64_t number, const CutClaim& cut, std::span<const std::int64_t> of,
                          std::span<const double> weights) = 0;

  // A tree begins. Target t of the tree is functionals[t]. `cuts` holds the numbers of the tree's cuts. The tree starts
  // from `roots`: for each target the whole piece, or what an earlier search left open of it. The latter may overlap,
  // and subproblems that bounds show to be empty are not among them. A target may have no root at all.
  virtual void tree_begins(std::span<const std::int64_t> functionals, std::span<const std::int64_t> cuts,
                           std::span<const TreeRoot> roots) = 0;
  // An open subproblem is replaced by two: one in which the unit is active, and one in which it is inactive.
  virtual void split(std::size_t target, const std::vector<UnitDecision>& decisions, std::int32_t unit) = 0;
  virtual void narrowed(const Narrowing& narrowing) = 0;
  // At the unsafe points of an open subproblem, in this order: each implication rests on the ranges that those before
  // it have left. They hold for this subproblem and those that it is split into.
  virtual void implied(std::size_t target, const std::vector<UnitDecision>& decisions,
                       std::span<const Implication> implications) = 0;
  // Memory was short: the open subproblem has the ranges of the piece again.
  virtual void ranges_forgotten(std::size_t target, const std::vector<UnitDecision>& decisions) = 0;
  virtual void closed(const Closing& closing) = 0;
  // The subproblem's ranges are empty for a unit or contradict a decision, so it contains no unsafe point.
  virtual void closed_by_ranges(std::size_t target, const std::vector<UnitDecision>& decisions) = 0;
  virtual void closed_by_program(const ProgramClosing& closing) = 0;
  // A leaf for which neither a proof nor a witness was found. It stays open.
  virtual void leaf_open(std::size_t target, const std::vector<UnitDecision>& decisions) = 0;
  virtual void tree_ends() = 0;

  // Trees about elements of one node begin: target 2i is elements[i], target 2i + 1 the negated element. Each starts
  // from the whole piece, without cuts. The last list holds all undecided units before the node.
  virtual void element_trees_begin(network::NodeId node, std::span<const std::int64_t> elements) = 0;
  // In the subproblem, which stays open, the target is at least `bounding.bound` wherever it is not positive.
  virtual void subproblem_bounded(const Closing& bounding) = 0;
  // Target t is at least bounds[t]. That follows from the bounds of its open subproblems, or of those that contain
  // them, and from what was proven about the element before. Later claims may rest on these bounds.
  virtual void element_trees_end(std::span<const double> bounds) = 0;

  // `holds`: the search claims that the piece contains no unsafe point.
  virtual void piece_ends(bool holds) = 0;
  // The pieces `low` and `high` cover `piece`, and replace it.
  virtual void halved(std::size_t part, const property::SimpleRegion& piece, const property::SimpleRegion& low,
                      const property::SimpleRegion& high) = 0;

  // A witness in this part of the region, which need not be the part of the present piece. `parameters` is empty unless
  // the part is an affine image. There may be two: one that is unsafe over the reals alone, and then a better one.
  virtual void witness(std::size_t part, std::span<const double> input, std::span<const double> parameters) = 0;
};

}  // namespace plumb::events
