// piece_propagation.h: what propagation (propagation.h) finds out about the open targets of one piece.
//
// In:  the reduced network of the piece, its targets.
// Out: targets that are refuted, or a witness. What is closed is reported to the task's events.
#pragma once

#include <span>
#include <vector>

#include "search/piece_witness.h"
#include "search/propagation/propagation_search.h"
#include "search/targets.h"
#include "verdict/verdict.h"

namespace plumb::search {

class PiecePropagation {
 public:
  // Keeps references to all arguments.
  PiecePropagation(const SearchTask& task, const reduction::ReducedNetwork& network, PieceWitness& witness,
                   verdict::Statistics& statistics)
      : task_(task), network_(network), witness_(witness), statistics_(statistics) {}

  // Refutes open targets, or finds a witness: it returns whether there is one. Targets of which decisions imply much
  // are searched by decisions and propagation (propagation_search.h).
  bool run(PieceTargets& targets);

 private:
  PropagationEnd run(const Target& target);
  PropagationEnd search(const Target& target, Propagation& propagation, PropagationReport& report);
  PropagationEnd solve_leaf(std::span<const reduction::Split> splits, const Target& target, PropagationReport& report);

  const SearchTask& task_;
  const reduction::ReducedNetwork& network_;
  PieceWitness& witness_;
  verdict::Statistics& statistics_;
};

}  // namespace plumb::search
