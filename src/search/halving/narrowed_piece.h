// narrowed_piece.h: the part of a piece to which its unsafe points are confined.
#pragma once

#include <optional>
#include <span>

#include "property/region.h"
#include "reduction/input_space.h"
#include "search/propagation/propagation.h"

namespace plumb::search {

// The box that is halved: of the inputs, or of an affine image's parameters; nullptr for a ball.
property::Box* box_of(property::SimpleRegion& region);

struct NarrowedPiece {
  property::SimpleRegion region;
  double share = 1;  // of the piece's volume, or of its box's
};

// All points of the piece whose coordinates lie in these ranges, one per coordinate of the space. Returns nullopt for a
// ball, if no point is left, or if the whole piece is. Rounded outward.
std::optional<NarrowedPiece> narrowed_piece(const property::SimpleRegion& piece, const reduction::InputSpace& space,
                                            std::span<const Propagation::Range> ranges);

}  // namespace plumb::search
