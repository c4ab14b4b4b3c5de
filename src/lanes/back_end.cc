#include "lanes/back_end.h"

#include "lanes/cpu_back_end.h"

namespace plumb::lanes {

std::shared_ptr<const BoundingBackEnd> default_back_end() { return cpu_back_end(); }

}  // namespace plumb::lanes
