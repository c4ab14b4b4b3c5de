// statistics_json.h: a verdict's statistics as JSON, with the same keys wherever they are printed or stored. The
// audit's statistics are not included.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "verdict/verdict.h"

namespace plumb::verdict {

nlohmann::ordered_json statistics_json(const Statistics& statistics);

// Reads what statistics_json() wrote. `nodes` and `cut_rounds` may be missing, and are then zero. Throws
// nlohmann::json::exception if anything else is missing or has another type.
Statistics statistics_of(const nlohmann::ordered_json& json);

}  // namespace plumb::verdict
