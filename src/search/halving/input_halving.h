// input_halving.h: a part of the region is halved until its pieces are easy.
//
// Each piece gets its own bounds and reduced network, and a small search tree; where that does not decide it, it is cut
// in two along the input whose width loosens its worst bound most. For networks with few inputs (controllers), whose
// units become stable as pieces shrink.
#pragma once

#include "search/piece_decision.h"

namespace plumb::search {

// Boxes, l-infinity balls, polytopes, and affine images (their parameters).
bool can_be_halved(const property::SimpleRegion& part);

PieceResult decide_by_halving(const SearchTask& task, const Piece& whole, const DecideOptions& options);

}  // namespace plumb::search
