// substitution.h: the method behind all proofs of the audit: a functional is substituted backward through the layers.
//
// In:  what is proven about a piece of the region so far, a functional of the network's elements, and a choice of how
//      to relax undecided units.
// Out: a lower bound on the functional over the piece, or over the points of it where some units are decided or lie in
//      narrower ranges; the affine function of which this is the minimum.
//
// The functional is a row of interval coefficients. At a ReLU r = relu(z), where r >= 0, a coefficient v may be
// replaced by any smaller one. Then v r >= m z + c for
//     0 <= m <= v, c = 0;  v <= m <= 0, c = min(-m l, (v - m) u)   on [l, u];
//     m <= v, c = 0  where z >= 0;  0 <= m, c = 0  where z <= 0;
//     any m, c = min(-m l, 0, (v - m) u), without the terms that a decision rules out.
// Where a unit has a narrower range, [l, u] is that range.
// The caller's choice proposes m; this code ensures that m and c are valid. A maximum is a chain of such ReLUs, or is
// relaxed along its lines. The row that arrives at the inputs is minimised over the piece (region_minimum.h).
//
// Sound:  for any choice, and any chains and lines over members of their maxima.
// Trusts: the bounds in Proven, and its cuts.
#pragma once

#include <map>

#include "audit/interval.h"
#include "events/events.h"
#include "network/network.h"
#include "property/region.h"

namespace plumb::audit {

// What is proven about a piece, and the claims of how to relax what is undecided.
struct Proven {
  struct Link {
    events::MaximumChain::Link claim;
    double lower = 0, upper = 0;  // of its argument
  };
  struct Chain {
    network::NodeId node = 0;
    std::int64_t element = 0, first = 0;
    std::vector<Link> links;
    double left_out = 0;  // members that are not in the chain are at most this much above it
  };
  struct Place {
    network::NodeId node = 0;
    std::int64_t element = 0;
    std::int32_t chain = -1;  // -1 means a ReLU
    std::size_t link = 0;
  };

  const network::Network& network;
  property::SimpleRegion region;
  std::vector<Interval> inputs;                   // a box around the region
  std::vector<std::vector<double>> lower, upper;  // of each node; empty if it has no bounds yet
  std::vector<std::vector<double>> relu_slope;    // of lower lines; used until units are listed
  std::vector<std::vector<events::MaximumClaim>> maxima;
  bool listed = false;
  events::UnitList list = {};
  std::vector<Place> places = {};                                  // of each unit
  std::vector<std::vector<std::int32_t>> unit_of = {};             // of each ReLU's elements; -1 if it is not listed
  std::vector<std::map<std::int64_t, std::size_t>> chain_of = {};  // of each maximum's elements
  std::vector<Chain> chains = {};

  // An upper bound on how far the members of a maximum may be above the leader, not counting members in links; zero if
  // they never are. Claims say which members cannot be the largest; this proves it, or charges for it, without the list
  // of possible winners that the claims come from.
  double most_ahead(network::NodeId node, std::int64_t element, std::int64_t leader, std::span<const Link> links) const;
};

// A proven cut, with the audit's own constant. Its excess is its left-hand side minus its right-hand side, which is at
// most zero over the piece.
struct ProvenCut {
  events::CutClaim claim;
  double constant = 0;
};

// A functional: terms over elements of nodes, over the values of listed units, over coordinates, and over the value L_j
// of a chain (events.h) after its first j = `position` links.
struct Functional {
  struct OnElement {
    network::NodeId node = 0;
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

// How a pass relaxes the listed units.
struct Choice {
  std::span<const double> slope;          // of lower lines; empty means those of the list
  std::vector<std::int8_t> side = {};     // 1 if decided to be active, -1 if inactive, 0 if open; empty means all open
  std::span<const Interval> ranges = {};  // that contain the units' arguments; empty means that there are none
  std::span<const Interval> coordinates = {};  // the same for coordinates
  std::span<const double> multiplier = {};
  std::span<const double> passed = {};  // if not empty: the m of every unit; any m is valid with its c
  std::map<std::int32_t, std::vector<std::pair<const ProvenCut*, double>>> cuts = {};  // with weights, by their unit
  std::span<const double> on_region = {};
  bool box = false;     // open units may have any value that their bounds allow
  bool values = false;  // so may all ReLUs and maxima: the pass ends there
};

struct Bound {
  double value = 0;
  double magnitude = 0;  // the sum of its terms' absolute values; rounding errors are small relative to it
};

// on_inputs . x + on_coordinates . u + constant.
struct AffineForm {
  std::vector<Interval> on_inputs, on_coordinates;
  Interval constant;
  double magnitude = 0;  // of its terms
};

// An affine function that is at most the functional wherever the choice's decisions and ranges hold.
AffineForm affine_form(const Proven& known, const Functional& functional, const Choice& choice);
// a + factor * b.
AffineForm combined(const AffineForm& a, double factor, const AffineForm& b);
// Its minimum over the piece, where coordinates lie in these ranges if there are some. Multipliers `on_region` of the
// region's inequalities are tried if there are some.
Bound minimum_over_piece(const Proven& known, const AffineForm& form, std::span<const double> on_region = {},
                         std::span<const Interval> coordinates = {});

// The minimum of affine_form().
Bound lower_bound(const Proven& known, const Functional& functional, const Choice& choice);

}  // namespace plumb::audit
