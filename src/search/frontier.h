// frontier.h: the subproblems that a search left open, as a start for searches of queries with fewer unsafe points.
//
// A bracket (verify/distortion.h, verify/worst_margin.h) asks about ever smaller regions or unsafe sets. What was
// closed for the larger one is closed for the smaller one, so only the rest has to be searched.
//
// Sound: every unsafe point of the query that was searched lies in a subproblem of the frontier: it satisfies the
//        subproblem's conjunction and all its decisions. The same is true of every query whose region and unsafe set
//        lie inside those of the searched query, conjunction by conjunction.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "network/network.h"

namespace plumb::search {

// A decision about a ReLU. The ReLU is named by its place in the network, which is the same for every region.
struct PlacedDecision {
  network::NodeId node = 0;
  std::int64_t element = 0;
  bool active = false;  // true: its argument is at least zero; false: at most zero

  auto operator<=>(const PlacedDecision&) const = default;
};

struct OpenSubproblem {
  std::size_t conjunction = 0;
  std::vector<PlacedDecision> decisions;

  auto operator<=>(const OpenSubproblem&) const = default;
};

struct Frontier {
  bool is_everything = true;  // nothing is closed, and `open` is empty
  std::vector<OpenSubproblem> open = {};
  bool has_grown = false;  // trees were so large that cuts were added
};

}  // namespace plumb::search
