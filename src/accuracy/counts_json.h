// counts_json.h: what a run knows about one epsilon, as JSON: the same keys in its output and in its report.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "accuracy/summary.h"

namespace plumb::accuracy {

nlohmann::ordered_json counts_json(const LevelCounts& counts);

}  // namespace plumb::accuracy
