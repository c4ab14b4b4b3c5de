// substitution.h: the one way in which the audit proves anything: a functional goes backward through the layers.
//
// In:  what is proven about a piece of the region so far, a functional of the network's elements, and how to take the
//      units that are not decided.
// Out: a number that the functional never goes below over the piece, or over the part of it where some units are
//      decided.
//
// The functional is a row of interval coefficients. At a ReLU r = relu(z), with r >= 0, a coefficient v may be replaced
// by any lower one, and then v r >= m z + c for
//     0 <= m <= v, c = 0;  v <= m <= 0, c = min(-m l, (v - m) u)   on [l, u];
//     m <= v, c = 0  where z >= 0;  0 <= m, c = 0  where z <= 0;
//     any m, c = min(-m l, 0, (v - m) u), without what a decision rules out.
// Which m is somebody's choice; that m and c fit is decided here. A maximum is a chain of such ReLUs, or lies between
// lines. What arrives at the inputs is minimised over the piece (region_minimum.h).
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

// What is known about a piece, and the claims of how to take what is not.
struct Proven {
  struct Link {
    events::MaximumChain::Link claim;
    double lower = 0, upper = 0;  // of its argument
  };
  struct Chain {
    network::NodeId node = 0;
    std::int64_t element = 0, first = 0;
    std::vector<Link> links;
    double left_out = 0;  // a member that is not in the chain is at most this much above it
  };
  struct Place {
    network::NodeId node = 0;
    std::int64_t element = 0;
    std::int32_t chain = -1;  // -1: a ReLU
    std::size_t link = 0;
  };

  const network::Network& network;
  property::SimpleRegion region;
  std::vector<Interval> inputs;                   // a box around it
  std::vector<std::vector<double>> lower, upper;  // of each node; empty where there is nothing yet
  std::vector<std::vector<double>> relu_slope;    // of lower lines, before there is a list
  std::vector<std::vector<events::MaximumClaim>> maxima;
  bool listed = false;
  events::UnitList list = {};
  std::vector<Place> places = {};                                  // of each unit
  std::vector<std::vector<std::int32_t>> unit_of = {};             // of each ReLU's elements; -1: none
  std::vector<std::map<std::int64_t, std::size_t>> chain_of = {};  // of each maximum's elements
  std::vector<Chain> chains = {};

  // How far a member of a maximum that is neither the leader nor in a link may be above the leader; zero if it never
  // is.
  double most_ahead(network::NodeId node, std::int64_t element, std::int64_t leader, std::span<const Link> links) const;
};

// A cut that was proven, with a constant of the audit's own.
struct ProvenCut {
  events::CutClaim claim;
  double constant = 0;
};

// A functional: terms over elements of nodes, over the values of listed units, over coordinates, and over the largest
// of the first `position` links of a chain.
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

Bound lower_bound(const Proven& known, const Functional& functional, const Choice& choice);

}  // namespace plumb::audit
