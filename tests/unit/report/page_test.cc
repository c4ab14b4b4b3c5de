#include "report/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/page_files.h"
#include "report/report_json.h"

namespace plumb::report {
namespace {

using testing::HasSubstr;
using testing::Not;

StoreFindings a_store(const std::string& name) {
  StoreFindings store;
  store.name = name;
  store.settings = {{"norm", "linf", "linf", "norm"}};
  store.levels.resize(1);
  store.levels[0].epsilon = "0.1";
  return store;
}

TEST(Page, NoTextOfTheDataCanEndTheirElement) {
  const std::vector stores{a_store("</script><script>alert(1)</script><!--.db")};
  const std::string page = report_page(stores);
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  const std::string start = "<script id=\"data\" type=\"application/json\">";
  const std::size_t open = page.find(start) + start.size(), close = page.find("</script>", open);
  const auto json = nlohmann::json::parse(page.substr(open, close - open));
  EXPECT_EQ(json.at("stores").at(0).at("name"), stores[0].name);  // read back unchanged
}

TEST(Page, TextThatLooksLikeAPartOfThePageStaysText) {
  const std::vector stores{a_store("{{style}}.db")};
  EXPECT_THAT(report_page(stores), HasSubstr("\"name\":\"{{style}}.db\""));
}

TEST(Page, NoNumberThatIsProvenIsRounded) {
  StoreFindings store = a_store("run.db");
  SampleFinding sample;
  sample.margin = 0.1 + 1e-16;
  sample.distance = 1.0 / 3;
  sample.brief.seconds = 1.0 / 3;
  store.levels[0].samples.push_back(sample);
  const auto columns = report_json(std::vector{store})["stores"][0]["levels"][0]["columns"];
  EXPECT_EQ(columns["margin"][0], 0.1 + 1e-16);
  EXPECT_EQ(columns["distance"][0], 1.0 / 3);
  EXPECT_EQ(columns["seconds"][0], 0.3333);  // times are rounded, since they are only for reading
}

TEST(Page, TheBuildPutsFilesInAsTheyAre) {
  const std::filesystem::path folder = PLUMB_PAGE_FOLDER;
  const std::pair<const char*, std::string_view> files[] = {
      {"index.html", page_files::index_html}, {"report.css", page_files::report_css},
      {"report.js", page_files::report_js},   {"words.js", page_files::words_js},
      {"charts.js", page_files::charts_js},   {"table.js", page_files::table_js}};
  for (const auto& [name, text] : files) {
    std::ifstream file(folder / name, std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    EXPECT_EQ(content.str(), text) << name;
  }
  EXPECT_GT(page_files::d3_js.size(), 100'000U);
  EXPECT_GT(page_files::plot_js.size(), 100'000U);
}

}  // namespace
}  // namespace plumb::report
