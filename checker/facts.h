// facts.h: what is proven about a piece of a region, and what is proven about some points of it.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <span>

#include "certificate.h"
#include "network.h"

namespace checker {

// A unit: an element of a Relu node, or a link of a chain.
struct Unit {
  std::size_t node = 0;
  Index element = 0;
  Index chain = -1;  // -1: of a Relu node
  std::size_t link = 0;
  Index listed = -1;  // its number in the certificate's list; -1 if it is not there
  double slope = -1;  // of its lower line by default, when it was listed; -1: by its bounds
};

// A maximum as a chain of ReLUs (docs/certificates.md). `first` and members are elements of the maximum's argument.
struct Chain {
  struct Link {
    Index member = 0, place = Units::kUnit, unit = -1;  // its position in Facts::units
    Interval argument;                                  // bounds
  };
  std::size_t node = 0;
  Index element = 0, first = 0;
  std::vector<Link> links;
  double left_out = 0;  // by how much members that are not in the chain may exceed `first`
};

struct Facts {
  const Network& network;
  Region region;                              // a box, an l1 or l2 ball, or a polytope
  std::vector<std::vector<Interval>> bounds;  // of each node's elements; empty if it has none yet
  std::vector<Unit> units;                    // in the order of evaluation; all that may have either sign are there
  std::vector<Index> listed;                  // position in `units` of each unit of the certificate's list
  std::vector<std::vector<Index>> unit_at;    // position in `units`, for each element of a Relu node; -1 for none
  std::vector<Chain> chains;
  std::vector<std::map<Index, std::size_t>> chain_at;  // for elements of Maximum nodes
  std::vector<Coordinates::Coordinate> coordinates;
  bool is_empty = false;  // it is proven that the piece has no point

  std::size_t argument_of(std::size_t node) const { return network.nodes[node].arguments[0]; }
  const Interval& bounds_of(const Unit& unit) const {
    if (unit.chain >= 0) return chains[at(unit.chain)].links[unit.link].argument;
    return bounds[argument_of(unit.node)][at(unit.element)];
  }
  // Takes a better bound of an element. Ends that cross prove that the piece is empty.
  void improve(std::size_t node, Index element, double low, double high);
};

// An interval whose ends are proven, and one whose ends were claimed: the latter says what the prover saw, and thus
// which relaxation is meant.
struct Range {
  double low = -HUGE_VAL, high = HUGE_VAL, seen_low = -HUGE_VAL, seen_high = HUGE_VAL;

  void narrow(bool upper, double end, double claimed) {
    (upper ? high : low) = upper ? smaller(high, end) : larger(low, end);
    (upper ? seen_high : seen_low) = upper ? smaller(seen_high, claimed) : larger(seen_low, claimed);
  }
};

// Whether an argument is 0 but for rounding and would count as decided. A prover whose bounds are less sharp cannot
// tell, and treats it as undecided with symmetric bounds.
inline bool is_decided_by_rounding(double low, double high) {
  return (low >= 0 || high <= 0) && larger(-low, high) < 0x1p-30;
}

// The slope of the lower line that leaves the smaller area. Ties do not depend on rounding.
inline double default_slope(double low, double high) {
  return is_decided_by_rounding(low, high) || high > -(1 - 0x1p-20) * low ? 1 : 0;
}

// How a maximum is replaced along lines (rule 2).
struct MaximumLines {
  Index leader = 0;  // the member with the largest lower bound: y >= x_leader
  double ahead = 0;  // y <= x_leader + ahead
  // y <= sum slope x + intercept; without members, y <= intercept.
  std::vector<std::pair<Index, double>> above;
  double intercept = 0;

  bool is_decided() const { return ahead == 0; }
};

inline MaximumLines lines_of(const Maximum& maximum, std::size_t i, const std::vector<Interval>& bounds) {
  const auto of = [&](Index m) -> const Interval& { return bounds[at(m)]; };
  std::vector<Index> members(maximum.members.begin() + maximum.offsets[i],
                             maximum.members.begin() + maximum.offsets[i + 1]);
  MaximumLines lines;
  lines.leader =
      *std::max_element(members.begin(), members.end(), [&](Index a, Index b) { return of(a).low() < of(b).low(); });
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  const double floor = of(lines.leader).low();
  double at_middle = 0, ceiling = floor;
  for (const Index m : members) {
    ceiling = larger(ceiling, of(m).high);
    if (m != lines.leader) lines.ahead = larger(lines.ahead, of(m).high - floor);
    if (m == lines.leader || of(m).high > floor) at_middle += (of(m).high - floor) / 2;
  }
  if (at_middle >= ceiling - floor) {
    lines.intercept = ceiling;
    return lines;
  }
  for (const Index m : members) {
    const double low = of(m).low(), high = of(m).high;
    if (m == lines.leader || high > floor)
      lines.above.emplace_back(m, high > low ? smaller(1, (high - floor) / (high - low)) : 0.0);
  }
  // The line is above member m at every corner of the box.
  lines.intercept = -HUGE_VAL;
  for (const Index m : members) {
    Interval rest = of(m).high;
    for (const auto& [j, slope] : lines.above)
      rest = rest - Interval(slope) * Interval(j == m ? of(j).high : of(j).low());
    lines.intercept = larger(lines.intercept, rest.high);
  }
  return lines;
}

// Where the unsafe points of a subproblem lie.
struct Ranges {
  std::vector<Range> units;                            // of the arguments of listed units
  std::vector<std::pair<double, double>> coordinates;  // empty: nothing is known
  bool none = false;                                   // there is no unsafe point
};

// A proven cut, with a constant for which it was proven.
struct Cut {
  CutRow row;
  bool is_joint() const { return row.bounded.size() != 1 || row.bounded[0].second != 1; }
};

// How undecided units are replaced (rule 2). Spans have one entry per listed unit, or are empty.
struct Choice {
  std::span<const double> slope = {}, multiplier = {}, passed = {};
  std::vector<std::int8_t> side = {};  // by decisions: 1 active, -1 inactive, 0 open
  const Ranges* ranges = nullptr;
  std::map<Index, std::vector<std::pair<const Cut*, double>>> cuts = {};  // of listed units, with weights
  std::span<const double> on_region = {};
  bool box = false;  // every unit may have any value that its bounds allow
};

// A functional as a sum. Coefficients are products of two doubles.
struct Functional {
  enum class What { kFunctional, kElement, kUnitArgument };
  struct Part {
    What what = What::kFunctional;
    std::size_t node = 0;  // of an element
    Index number = 0;      // of the functional, the element, or the listed unit
    double factor = 1;
  };
  struct Term {
    Index number = 0;
    double coefficient = 0, factor = 1;
  };
  std::vector<Part> parts;
  std::vector<Term> on_units, on_coordinates, constants;
};

}  // namespace checker
