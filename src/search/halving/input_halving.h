// input_halving.h: decides a part of the region by halving it until its pieces are easy.
//
// Each piece gets its own bounds, its own reduced network and a small search tree. If that does not decide it, it is
// halved along the input whose width loosens its worst bound most. This suits networks with few inputs (controllers),
// whose units become decided as pieces shrink.
#pragma once

#include "search/piece_decision.h"

namespace plumb::search {

// True for boxes, l-infinity balls, polytopes, and affine images (whose parameters are halved).
bool can_be_halved(const property::SimpleRegion& part);

PieceResult decide_by_halving(const SearchTask& task, const Piece& whole, const DecideOptions& options);

}  // namespace plumb::search
