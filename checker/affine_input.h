// affine_input.h: regions and networks as the rules want them.
#pragma once

#include "network.h"
#include "question.h"

namespace checker {

// The network z -> f(offset + G z). Its other nodes come after the new ones, in their order.
Network with_affine_input(const Network& network, const AffineImage& image);

// The smallest box of doubles around the ball, inside its domain.
Box box_around(const Ball& ball);

// The least double that is not below the radius.
double radius_up(const Ball& ball);

}  // namespace checker
