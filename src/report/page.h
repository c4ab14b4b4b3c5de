// page.h: the report as one HTML page.
//
// In:  findings. Out: an HTML file that contains its data, its scripts, its style and its chart library, and loads
//      nothing from anywhere. The same findings produce the same bytes.
#pragma once

#include <span>
#include <string>

#include "report/findings.h"

namespace plumb::report {

std::string report_page(std::span<const StoreFindings> stores);

}  // namespace plumb::report
