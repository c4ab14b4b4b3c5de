// page_files.h: the files that the report's page is made of. The build embeds their text (embed.cmake).
#pragma once

#include <string_view>

namespace plumb::report::page_files {

extern const std::string_view index_html, report_css, report_js, words_js, charts_js, table_js;
extern const std::string_view d3_js, plot_js, licences;

}  // namespace plumb::report::page_files
