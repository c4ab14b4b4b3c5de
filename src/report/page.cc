#include "report/page.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.h"
#include "report/page_files.h"
#include "report/report_json.h"

namespace plumb::report {
namespace {

// Replaces each "{{name}}" by the part of that name. Inserted text is not searched again.
std::string filled(std::string_view text, const std::map<std::string_view, std::string_view>& parts) {
  std::string page;
  for (;;) {
    const std::size_t open = text.find("{{"), close = text.find("}}", open);
    if (open == std::string_view::npos || close == std::string_view::npos) break;
    const auto part = parts.find(text.substr(open + 2, close - open - 2));
    if (part == parts.end()) throw InternalError("report", "the page refers to a part that does not exist");
    page.append(text.substr(0, open)).append(part->second);
    text.remove_prefix(close + 2);
  }
  return page.append(text);
}

// Escapes '<', so that no text in the data can end the element that contains it.
std::string data_text(std::span<const StoreFindings> stores) {
  using Json = nlohmann::ordered_json;
  std::string text;
  for (const char c : report_json(stores).dump(-1, ' ', false, Json::error_handler_t::replace)) {
    c == '<' ? text.append("\\u003c") : text.append(1, c);
  }
  return text;
}

}  // namespace

std::string report_page(std::span<const StoreFindings> stores) {
  const std::string data = data_text(stores);
  return filled(page_files::index_html, {{"style", page_files::report_css},
                                         {"data", data},
                                         {"d3", page_files::d3_js},
                                         {"plot", page_files::plot_js},
                                         {"licences", page_files::licences},
                                         {"words", page_files::words_js},
                                         {"charts", page_files::charts_js},
                                         {"table", page_files::table_js},
                                         {"report", page_files::report_js}});
}

}  // namespace plumb::report
