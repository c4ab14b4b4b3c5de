// frontier.h: the subproblems that a search left open, as a start for searches of queries with fewer unsafe points.
//
// A bracket (verify/distortion.h, verify/worst_margin.h) asks about ever smaller regions or unsafe sets. What was
// closed for the larger one is closed for the smaller one, so only the rest has to be searched.
//
// Use:   Frontier open;                         everything is open
//        engine.decide(larger, limits, open);   leaves in `open` all that it did not close, whatever its answer
//        engine.decide(smaller, limits, open);  searches that alone
//        Never give it to a query that is larger than the last one, or about another network. A query that holds says
//        nothing about larger ones, so keep an earlier frontier for these (verify/narrowing.h does). If decide()
//        throws, the frontier means nothing: set it to {}.
//
// Sound: every unsafe point of the query that was searched lies in a subproblem of the frontier: it satisfies the
//        subproblem's conjunction and all its decisions. The same is true of every query whose region and unsafe set
//        lie inside those of the searched query, conjunction by conjunction. The region has one part. For
//        regions of several parts, or where it halves the region, the engine sets the frontier to everything.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "network/network.h"

namespace plumb::search {

// A decision about a ReLU. The ReLU is named by its place in the network, which is the same for every region. Numbers
// of units are not, so decisions about units of a maximum are left out.
struct PlacedDecision {
  network::NodeId node = 0;  // the ReLU node
  std::int64_t element = 0;
  bool active = false;  // true: its argument is at least zero; false: at most zero

  auto operator<=>(const PlacedDecision&) const = default;
};

struct OpenSubproblem {
  std::size_t conjunction = 0;            // its number in the unsafe set
  std::vector<PlacedDecision> decisions;  // sorted, one per ReLU; none: the conjunction is open over the whole region

  auto operator<=>(const OpenSubproblem&) const = default;
};

struct Frontier {
  // True: nothing is closed, and `open` is empty. False: only what `open` lists is open; if it is empty, nothing is.
  bool is_everything = true;
  std::vector<OpenSubproblem> open = {};  // sorted; may overlap
  bool has_grown = false;                 // trees were so large that cuts were added: the next search begins with cuts
};

}  // namespace plumb::search
