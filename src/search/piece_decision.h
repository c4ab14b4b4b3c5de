// piece_decision.h: the ladder for one convex piece of a query's region.
#pragma once

#include "search/decide.h"

namespace plumb {

// What is the same for all pieces of a query.
struct SearchTask {
  const BoundedNetwork& network;
  const std::shared_ptr<const NetworkEvaluators>& evaluators;
  const Query& query;
  Budget& budget;
  std::function<const Solver*()> solver;  // null if there is none
  EventSink& events;
};

struct Piece {
  SimpleRegion region;   // inside a part of the query's region
  std::size_t part = 0;  // which one
};

struct PieceResult {
  Verdict verdict;  // without statistics
  Statistics statistics;
  bool outgrown = false;        // unknown because the tree was given up, not because of a limit
  std::int64_t coordinate = 0;  // the input (parameter of an affine image) to halve next
};

// `open` is what is to be decided: all unsafe points of the piece lie there. It becomes what is left open. Null:
// everything, and nobody asks.
PieceResult decide_piece(const SearchTask& task, const Piece& piece, const DecideOptions& options,
                         Frontier* open = nullptr);

}  // namespace plumb
