// piece.h: one piece of a region, as the audit knows it: what it has proven itself, claim by claim.
//
// In:  the layered network, the piece, claims in the order in which they were made (events/events.h).
// Out: bounds of the audit's own on every node, unit and cut; lower bounds of functionals that rest on them.
//
// Every bound is proven by intervals or by a pass backward (substitution.h) before anything rests on it. Claims say
// how; what they say beyond is compared, and then forgotten.
//
// Sound:  for any claims.
// Trusts: nothing but the network and the piece.
// Throws: InternalError where a claim says more than can be proven again, beyond rounding.
#pragma once

#include <atomic>

#include "audit/substitution.h"

namespace plumb::audit {

// A claim may be this much better than what is proven again, relative to the numbers involved: bounds are rounded
// differently, and lines that rest on them lie elsewhere by as much.
inline constexpr double kSameBound = 0x1p-20;

// Thrown out of whatever is being proven when somebody no longer wants to know.
struct Interrupted {};

class Piece {
 public:
  // Keeps a reference to the network. `cancel` may be null.
  Piece(const network::Network& network, property::SimpleRegion region, const std::atomic<bool>* cancel);

  // Nothing lies in it: proven.
  bool is_empty() const { return empty_; }
  // Looks for a proof of that wherever bounds may cross; of the claims only the lines are used.
  bool proves_empty(std::span<const events::NodeClaim> lines);

  void bound_nodes(std::span<const events::NodeClaim> claims);
  void list_units(const events::UnitList& list);
  void tighten(std::int32_t unit, double lower, std::span<const double> slope_below, double upper,
               std::span<const double> slope_above);
  ProvenCut proven_cut(const events::CutClaim& claim, const events::CutProof& proof,
                       const std::map<std::int64_t, ProvenCut>& cuts) const;
  ProvenCut merged_cut(const events::CutClaim& claim, std::span<const ProvenCut* const> of,
                       std::span<const double> weights) const;

  Bound lower_bound(const Functional& functional, const Choice& choice) const {
    if (cancel_ != nullptr && cancel_->load(std::memory_order_relaxed)) throw Interrupted{};
    return audit::lower_bound(known_, functional, choice);
  }

  std::size_t units() const { return known_.list.units.size(); }
  std::int64_t bounds_proven() const { return bounds_proven_; }

 private:
  void bound_by_intervals(network::NodeId id);
  void take_lines(const events::NodeClaim& claim);
  void bound_element(network::NodeId id, std::int64_t element, double claimed_lower, double claimed_upper, bool always);
  void raise(network::NodeId id, std::int64_t element, double lower, double upper);
  void add_chain(const events::MaximumChain& claim);
  void add_link(std::size_t chain, const events::MaximumChain::Link& claim);
  Functional argument_of(std::int32_t unit, double factor) const;
  void add_row(const events::CutClaim& cut, const Interval& factor, Functional& sum) const;
  Choice composition(const events::CutProof& proof, const std::map<std::int64_t, ProvenCut>& cuts) const;
  void expect_unit(std::int32_t unit) const;
  void expect(bool confirmed, const std::string& what, double claimed, double proven) const;

  Proven known_;
  const std::atomic<bool>* cancel_;
  bool may_be_empty_ = false, empty_ = false;
  std::int64_t bounds_proven_ = 0;
  double largest_ = 0;  // magnitude of the bounds so far
};

}  // namespace plumb::audit
