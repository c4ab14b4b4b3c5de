// report_json.h: findings as the page's script reads them.
//
// Samples are columns (arrays of equal length), because ten thousand objects would repeat every name ten thousand
// times.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "report/findings.h"

namespace plumb::report {

nlohmann::ordered_json report_json(std::span<const StoreFindings> stores);

}  // namespace plumb::report
