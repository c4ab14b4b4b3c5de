// piece.h: one piece of a region, as the audit knows it: bounds that it has proven itself, and the one way in which it
// proves anything.
//
// In:  the layered network, the piece, claims of how to prove something (events/events.h).
// Out: lower bounds of functionals over the piece, or over the part of it where some units are decided.
//
// A functional goes backward through the layers as a row of interval coefficients. At a ReLU r = relu(z), with r >= 0,
// a coefficient v may be replaced by any lower one, and then v r >= m z + c for
//     0 <= m <= v, c = 0;  v <= m <= 0, c = min(-m l, (v - m) u)   on [l, u];
//     m <= v, c = 0  where z >= 0;  0 <= m, c = 0  where z <= 0;
//     any m, c = min(-m l, 0, (v - m) u), without what a decision rules out.
// Which m is the claim's choice; that m and c fit is decided here. A maximum is a chain of such ReLUs, or lies between
// lines. What arrives at the inputs is minimised over the piece (region_minimum.h).
//
// Sound:  for any claims. A bound l or u is one that was proven here, by intervals or by such a pass, before it is
// used. Trusts: nothing but the network and the piece. Not tight: where a claim says more than can be proven again,
// within rounding, the audit fails: InternalError.
#pragma once

#include <map>

#include "audit/interval.h"
#include "events/events.h"
#include "network/network.h"
#include "property/region.h"

namespace plumb::audit {

// A cut that was proven, with a constant of the audit's own.
struct ProvenCut {
  CutClaim claim;
  double constant = 0;
};

// A functional: terms over elements of nodes, over the values of listed units, over coordinates, and over the largest
// of the first `position` links of a chain.
struct Functional {
  struct OnElement {
    NodeId node = 0;
    std::int64_t element = 0;
    Interval coefficient;
  };
  struct OnPrefix {
    std::size_t chain = 0, position = 0;
    Interval coefficient;
  };
  std::vector<OnElement> on_elements;
  std::vector<std::pair<std::int32_t, Interval>> on_units, on_coordinates;
  std::vector<OnPrefix> on_prefixes;
  Interval constant;
};

// How a pass takes the listed units.
struct Choice {
  std::span<const double> slope;       // of lower lines; empty: as the list says
  std::vector<std::int8_t> side = {};  // 1: decided to be active, -1: inactive, 0: open; empty: all are open
  std::span<const double> multiplier = {};
  std::span<const double> passed = {};  // to every unit's argument, whatever its coefficient, at what that costs
  std::map<std::int32_t, std::vector<std::pair<const ProvenCut*, double>>> cuts = {};  // with their weights, by owner
  std::span<const double> on_region = {};
  bool box = false;  // open units are anything between zero and their upper bound
};

struct Bound {
  double value = 0;
  double size = 0;  // of the terms that it is the sum of; rounding is small beside it
};

class Piece {
 public:
  // Keeps a reference to the network.
  Piece(const Network& network, SimpleRegion region);

  // Nothing lies in it: proven.
  bool is_empty() const { return empty_; }
  // Looks for a proof of that wherever bounds may cross; of the claims only the lines are used.
  bool proves_empty(std::span<const NodeClaim> lines);

  void bound_nodes(std::span<const NodeClaim> claims);
  void list_units(const UnitList& list);
  void tighten(std::int32_t unit, double lower, std::span<const double> slope_below, double upper,
               std::span<const double> slope_above);
  ProvenCut proven_cut(const CutClaim& claim, const CutProof& proof, const std::map<std::int64_t, ProvenCut>& cuts);
  ProvenCut merged_cut(const CutClaim& claim, std::span<const ProvenCut* const> of, std::span<const double> weights);

  Bound lower_bound(const Functional& functional, const Choice& choice);

  std::size_t units() const { return list_.units.size(); }
  std::int64_t bounds_proven() const { return bounds_proven_; }

 private:
  friend class Substitution;
  struct Link {
    MaximumChain::Link claim;
    double lower = 0, upper = 0;  // of its argument
  };
  struct Chain {
    NodeId node = 0;
    std::int64_t element = 0, first = 0;
    std::vector<Link> links;
    double left_out = 0;  // a member that is not in the chain is at most this much above it
  };
  struct Place {
    NodeId node = 0;
    std::int64_t element = 0;
    std::int32_t chain = -1;  // -1: a ReLU
    std::size_t link = 0;
  };

  void bound_by_intervals(NodeId id);
  void take_lines(const NodeClaim& claim);
  void bound_element(NodeId id, std::int64_t element, double claimed_lower, double claimed_upper, bool always);
  void raise(NodeId id, std::int64_t element, double lower, double upper);
  Functional argument_of(std::int32_t unit, double factor) const;
  void add_chain(const MaximumChain& claim);
  double most_ahead(NodeId node, std::int64_t element, std::int64_t leader, const std::vector<Link>& links) const;
  double upper_of(std::int32_t unit) const;
  void expect(bool confirmed, const std::string& what, double claimed, double proven) const;
  void expect_unit(std::int32_t unit) const;

  const Network& network_;
  SimpleRegion region_;
  std::vector<Interval> inputs_;
  bool may_be_empty_ = false, empty_ = false;
  std::vector<std::vector<double>> lower_, upper_;  // of each node
  std::vector<std::vector<double>> relu_slope_;     // claimed, before there is a list
  std::vector<std::vector<MaximumClaim>> maxima_;
  bool listed_ = false;
  UnitList list_;
  std::vector<Place> places_;                                  // of each unit
  std::vector<std::vector<std::int32_t>> unit_of_;             // of each ReLU's elements; -1: none
  std::vector<std::map<std::int64_t, std::size_t>> chain_of_;  // of each maximum's elements
  std::vector<Chain> chains_;
  std::vector<std::vector<Interval>> on_node_;  // rows on their way; empty but during a pass
  std::int64_t bounds_proven_ = 0;
};

}  // namespace plumb::audit
