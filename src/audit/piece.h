// piece.h: what the audit itself has proven about one piece of a region, claim by claim.
//
// In:  the layered network, the piece, claims in the order in which they were made (events/events.h).
// Out: the audit's own bounds on every node, unit and cut; lower bounds on functionals that follow from them.
//
// Every bound is proven by intervals or by a backward pass (substitution.h) before anything else uses it. Claims say
// which lines and multipliers to use. The bounds that they claim are compared with the proven ones and then discarded.
//
// Order:  either proves_empty(), after which nothing else can be asked; or bound_nodes(), once. Then list_units(), any
//         number of times: each list replaces the one before, so that units have new numbers and cuts that were proven
//         before must not be used any more. Bounds of elements stay. Then, about the units of the last list, tighten(),
//         proven_cut(), merged_cut(), narrowed(), implied(), empty_by() and lower_bound() in any order. lower_bound()
//         can be asked before there is a list; ReLUs are then relaxed along the lines of bound_nodes().
// Empty:  the constructor, or any of these steps, may prove that the piece contains no point; is_empty() is true from
//         then on. Everything is then proven about it: bound_nodes(), list_units() and tighten() return at once, and
//         the others must not be called.
// Sound:  for any claims.
// Trusts: nothing but the network and the piece.
// Throws: InternalError if a claim says more than can be proven again, beyond rounding; if it is malformed (a wrong
//         number of slopes, a unit that is not listed); or if the order above is not kept. Interrupted, once *cancel is
//         set. After either, the Piece must not be used any more.
// Threads: one at a time; another may set *cancel. Spans need to live during the call only.
#pragma once

#include <atomic>
#include <functional>

#include "audit/coverage.h"
#include "audit/substitution.h"

namespace plumb::audit {

// A claim may be this much better than what is proven again, relative to the numbers involved. Bounds are rounded
// differently, and lines that depend on them differ by as much.
inline constexpr double kSameBound = 0x1p-20;

// Thrown out of a proof in progress when the audit is cancelled.
struct Interrupted {};

class Piece {
 public:
  // Keeps a reference to the network, and the pointer. If `cancel` is nullptr, nothing is interrupted.
  Piece(const network::Network& network, property::SimpleRegion region, const std::atomic<bool>* cancel);

  // Whether it is proven that the piece contains no point.
  bool is_empty() const { return empty_; }
  // Tries to prove that by bounding every element, since bounds may cross. Uses only the lines of the claims, which are
  // about the nodes in order.
  bool proves_empty(std::span<const events::NodeClaim> lines);

  // Bounds all nodes. There is one claim per node, in order.
  void bound_nodes(std::span<const events::NodeClaim> claims);
  // Numbers the units and bounds the links of chains. Copies the list.
  void list_units(const events::UnitList& list);
  // Bounds the argument of a unit with these slopes, one per listed unit.
  void tighten(std::int32_t unit, double lower, std::span<const double> slope_below, double upper,
               std::span<const double> slope_above);
  // Takes what is proven about an element of a node, and compares what is then known with what is claimed.
  // `magnitude` is that of the terms of the proof.
  void raise_element(network::NodeId node, std::int64_t element, const Interval& proven, const Interval& claimed,
                     double magnitude);
  // The claimed cut, with a constant for which it is proven. `cuts` holds the cuts proven so far, by their numbers; the
  // proof may rest on them. The caller keeps the result.
  ProvenCut proven_cut(const events::CutClaim& claim, const events::CutProof& proof,
                       const std::map<std::int64_t, ProvenCut>& cuts) const;
  // The same for a mean of cuts that bound the same, with one weight >= 0 per cut, not all of them 0.
  ProvenCut merged_cut(const events::CutClaim& claim, std::span<const ProvenCut* const> of,
                       std::span<const double> weights) const;

  // A lower bound on the functional over the points of the piece where the choice's decisions and ranges hold.
  Bound lower_bound(const Functional& functional, const Choice& choice) const {
    stop_if_cancelled();
    return audit::lower_bound(known_, functional, choice);
  }

  // The affine function of which lower_bound() is the minimum.
  AffineForm affine_form(const Functional& functional, const Choice& choice) const {
    stop_if_cancelled();
    return audit::affine_form(known_, functional, choice);
  }

  // 1 for each unit that is decided to be active, -1 for each that is decided to be inactive, 0 for the others.
  std::vector<std::int8_t> sides(const std::vector<events::UnitDecision>& decisions) const;
  // The same; units that no decision is about are decided by their ranges.
  std::vector<std::int8_t> sides(const std::vector<events::UnitDecision>& decisions, const SharedRanges& ranges) const;
  // The ranges `before` with claimed new ends, which are proven wherever the function `at_most_zero` is so. No end is
  // better than what is claimed, so that the search and the audit take the same units for decided.
  SharedRanges narrowed(const SharedRanges& before, const AffineForm& at_most_zero,
                        std::span<const events::NarrowedRange> claims);
  // The ranges `before`, where the decisions hold as well, with what is implied (events/events.h), in order. No end is
  // better than what is claimed. premise() returns the functional of an implication that is from one.
  SharedRanges implied(const SharedRanges& before, const std::vector<events::UnitDecision>& decisions,
                       std::span<const events::Implication> claims,
                       const std::function<Functional(const events::Implication&)>& premise) const;
  // A positive value if no point has arguments in these ranges and satisfies the decisions: by how much they contradict
  // each other.
  Bound empty_by(const SharedRanges& ranges, const std::vector<events::UnitDecision>& decisions) const;
  // sum += factor * the cut's excess.
  void add_excess(const ProvenCut& cut, const Interval& factor, Functional& sum) const;

  // By how much a bound may miss what is claimed, where the terms of its proof have this magnitude.
  double closeness(double magnitude) const;

  // The number of units in the last list; 0 before the first.
  std::size_t units() const { return known_.list.units.size(); }
  // The number of lower and upper bounds of elements and units that took a backward pass of their own.
  std::int64_t bounds_proven() const { return bounds_proven_; }

 private:
  void stop_if_cancelled() const {
    if (cancel_ != nullptr && cancel_->load(std::memory_order_relaxed)) throw Interrupted{};
  }
  void bound_by_intervals(network::NodeId id);
  void take_lines(const events::NodeClaim& claim);
  void bound_element(network::NodeId id, std::int64_t element, double claimed_lower, double claimed_upper, bool always);
  void raise(network::NodeId id, std::int64_t element, double lower, double upper);
  void add_chain(const events::MaximumChain& claim);
  void add_link(std::size_t chain, const events::MaximumChain::Link& claim);
  Functional argument_of(std::int32_t unit, double factor) const;
  Interval bounds_of(std::int32_t unit) const;
  Ranges unknown_ranges() const;
  void expect_implication(const events::Implication& claim) const;
  std::vector<Interval> widest_coordinates() const;
  struct Premise;
  Premise premise_of(const events::Implication& claim, const Ranges& ranges, Functional functional) const;
  Bound implied_end(const events::Implication& claim, const Ranges& ranges, Functional functional) const;
  void take_implied(const events::Implication& claim, const Bound& proven, Ranges& ranges) const;
  const AffineForm& form_of(std::int32_t unit, bool negated);
  void add_row(const events::CutClaim& cut, const Interval& factor, Functional& sum) const;
  ProvenCut proven_by_cases(const events::CutClaim& claim, const std::vector<events::CutCase>& cases,
                            const std::map<std::int64_t, ProvenCut>& cuts) const;
  Choice composition(std::span<const double> slope, std::span<const std::int64_t> above,
                     const std::map<std::int64_t, ProvenCut>& cuts) const;
  void expect_unit(std::int32_t unit) const;
  void expect(bool confirmed, const std::string& what, double claimed, double proven) const;

  Proven known_;
  const std::atomic<bool>* cancel_;
  bool may_be_empty_ = false, empty_ = false;
  std::int64_t bounds_proven_ = 0;
  double largest_ = 0;                                         // largest magnitude of the bounds so far
  std::map<std::pair<std::int32_t, bool>, AffineForm> forms_;  // of the arguments of listed units, by form_of()
};

}  // namespace plumb::audit
