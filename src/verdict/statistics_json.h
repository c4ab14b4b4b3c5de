// statistics_json.h: what a verdict took, as JSON: the same keys wherever statistics are printed or stored.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "verdict/verdict.h"

namespace plumb::verdict {

nlohmann::ordered_json statistics_json(const Statistics& statistics);

// The statistics that statistics_json() was given; `nodes` may be left out, for who keeps them elsewhere. Throws
// nlohmann::json::exception if anything else is missing or of another type.
Statistics statistics_of(const nlohmann::ordered_json& json);

}  // namespace plumb::verdict
