// piece_decision.h: the ladder for one convex piece of a query's region.
#pragma once

#include "search/decide.h"
#include "search/search_task.h"

namespace plumb::search {

struct Piece {
  property::SimpleRegion region;  // inside a part of the query's region
  std::size_t part = 0;           // which one
};

struct PieceResult {
  verdict::Verdict verdict;  // without statistics
  verdict::Statistics statistics;
  bool outgrown = false;        // unknown because the tree was given up, not because of a limit
  std::int64_t coordinate = 0;  // the input (parameter of an affine image) to halve next
};

// `open` is what is to be decided: all unsafe points of the piece lie there. It becomes what is left open. Null:
// everything, and nobody asks.
PieceResult decide_piece(const SearchTask& task, const Piece& piece, const DecideOptions& options,
                         Frontier* open = nullptr);

}  // namespace plumb::search
