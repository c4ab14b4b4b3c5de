// page.h: the report as one page.
//
// In:  findings. Out: an HTML file that holds its data, its script, its style and its chart library, and asks for
//      nothing from anywhere. The same findings give the same bytes.
#pragma once

#include <span>
#include <string>

#include "report/findings.h"

namespace plumb::report {

std::string report_page(std::span<const StoreFindings> stores);

}  // namespace plumb::report
