// report_json.h: findings as JSON for the page's script.
//
// Samples are stored as columns (arrays of equal length), because ten thousand objects would repeat every key ten
// thousand times.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "report/findings.h"

namespace plumb::report {

nlohmann::ordered_json report_json(std::span<const StoreFindings> stores);

}  // namespace plumb::report
