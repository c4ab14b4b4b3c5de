// propagation_search.h: refutes a conjunction, or finds a point of it, by decisions and what they imply alone.
//
// In:  a reduced network, and a propagation of the conjunction's inequalities over it that has reached its end.
// Out: kRefuted: no point of the region satisfies all inequalities, which is proven; kWitness: try_point has accepted a
//      point, or a leaf's solution was a witness; kOpen: neither, because decisions imply too little, or a limit was
//      reached.
//
// It suits networks in which a decision implies many others, as in satisfiability written as units: there it replaces
// thousands of bounds by a few sums. It decides a unit, propagates (propagation.h), and goes on with the first side of
// the next unit; at a contradiction it takes the other side of the last decision that has one. Before a unit is
// chosen, both sides of the most promising ones are tried. A side that is contradictory decides its unit at once.
//
// Sound: if propagation is. Both sides of every unit are searched, or are contradictory.
// Follows: the look-ahead solvers of satisfiability (Heule and van Maaren 2009).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/limits.h"
#include "search/propagation/propagation_report.h"
#include "search/tree/lane_attack.h"

namespace plumb::search {

enum class PropagationEnd { kRefuted, kWitness, kOpen };

// Of a leaf, in which all units are decided. kOpen: neither a proof nor a witness.
using SolveLeaf = std::function<PropagationEnd(std::span<const reduction::Split> splits)>;

class PropagationSearch {
 public:
  // Keeps references to the network, the propagation, the report and the budget.
  PropagationSearch(const reduction::ReducedNetwork& network, Propagation& propagation, PropagationReport& report,
                    Budget& budget, TryPoint try_point, SolveLeaf solve_leaf);

  PropagationEnd run();
  // Combinations of decisions that were looked at, without those that were only tried.
  std::int64_t nodes() const { return nodes_; }

 private:
  enum class NodeEnd { kClosed, kBranch, kWitness, kStuck };
  struct Branch {
    std::int64_t unit = -1;
    reduction::Split first_side = reduction::Split::kInactive;
  };
  // A decision whose other side is still to be searched.
  struct Open {
    std::size_t mark = 0;
    Branch branch;
    int depth = 0;
  };

  NodeEnd work_on_node();
  bool try_units();
  std::optional<double> try_side(std::int64_t unit, reduction::Split side);
  NodeEnd settle_leaf();
  std::vector<std::int64_t> candidates(std::size_t most);
  bool is_nearly_decided(std::int64_t unit) const;
  bool is_at_limit();
  bool take_first_side();
  bool take_other_side();
  bool take(std::int64_t unit, reduction::Split side);
  void undo(std::size_t mark);
  std::vector<double> likely_point() const;
  std::vector<reduction::Split> splits() const;

  const reduction::ReducedNetwork& network_;
  Budget& budget_;
  TryPoint try_point_;
  SolveLeaf solve_leaf_;
  Propagation& propagation_;
  PropagationReport& report_;
  std::vector<reduction::Split> first_side_;  // of each unit: the side that implied less when it was tried
  bool implies_much_ = true;                  // deciding a unit does, on average over those that were tried
  std::vector<Open> open_;
  Branch branch_;      // of the current node
  int depth_ = 0;      // how many units were branched on
  double closed_ = 0;  // share of the tree: a node at depth d counts 2^-d
  std::int64_t nodes_ = 0, work_ = 0;
};

}  // namespace plumb::search
