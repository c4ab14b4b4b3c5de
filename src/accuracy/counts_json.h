// counts_json.h: the counts at one epsilon as JSON. A run's output and its report use the same keys.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "accuracy/summary.h"

namespace plumb::accuracy {

nlohmann::ordered_json counts_json(const LevelCounts& counts);

}  // namespace plumb::accuracy
