// cpu_back_end.h: the back end that bounds one row per SIMD lane of the processor, and ascends by Adam.
#pragma once

#include "lanes/back_end.h"

namespace plumb::lanes {

std::shared_ptr<const BoundingBackEnd> cpu_back_end();

}  // namespace plumb::lanes
