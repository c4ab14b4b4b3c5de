// piece_decision.h: decides one convex piece of a query's region, by the steps that decide.h lists.
#pragma once

#include "search/decide.h"
#include "search/search_task.h"

namespace plumb::search {

struct Piece {
  property::SimpleRegion region;  // inside a part of the query's region
  std::size_t part = 0;           // that part's number
};

struct PieceResult {
  verdict::Verdict verdict;  // without statistics
  verdict::Statistics statistics = {};
  bool outgrown = false;        // unknown because the tree was given up, not because of a limit
  std::int64_t coordinate = 0;  // the input (parameter of an affine image) to halve next, if outgrown
};

// `open` holds the subproblems to be decided: all unsafe points of the piece lie in them. On return it holds the
// subproblems that are still open. nullptr means that the whole piece is searched and what stays open is discarded.
PieceResult decide_piece(const SearchTask& task, const Piece& piece, const DecideOptions& options,
                         Frontier* open = nullptr);

}  // namespace plumb::search
