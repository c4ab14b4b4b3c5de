// frontier.h: what a search has left open, for searches of queries with fewer unsafe points.
//
// A bracket (verify/distortion.h, verify/worst_margin.h) asks about ever smaller regions or unsafe sets. What was
// closed for the larger one is closed for the smaller one: the search goes on with the rest.
//
// Sound: every unsafe point of the query that was searched lies in a subproblem of the frontier: it satisfies the
// conjunction and all decisions. So does every unsafe point of a query whose region and unsafe set are inside that
// query's, conjunction by conjunction.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "network/network.h"

namespace plumb::search {

// Of a ReLU, which has the same place whatever the region.
struct PlacedDecision {
  network::NodeId node = 0;
  std::int64_t element = 0;
  bool active = false;  // its argument is at least zero; otherwise at most zero

  auto operator<=>(const PlacedDecision&) const = default;
};

struct OpenSubproblem {
  std::size_t conjunction = 0;
  std::vector<PlacedDecision> decisions;

  auto operator<=>(const OpenSubproblem&) const = default;
};

struct Frontier {
  bool is_everything = true;  // nothing is closed; `open` is empty
  std::vector<OpenSubproblem> open;
  bool has_grown = false;  // trees were so large that cuts were added
};

}  // namespace plumb::search
