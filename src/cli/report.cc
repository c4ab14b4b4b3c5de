// plumb report: shows the results in stores as one page.
#include <fmt/format.h>

#include <fstream>
#include <memory>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/messages.h"
#include "cli/table.h"
#include "report/page.h"

namespace plumb::cli {
namespace {

struct ReportCommand {
  std::vector<std::string> stores;
  std::string out = "report.html";
  report::FindingOptions findings;
  bool quiet = false;
};

void write_file(const std::string& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  file.close();
  if (!file) throw FileError(path, "cannot be written", "check the folder, its permissions and the free space");
}

int run_command(const ReportCommand& command) {
  report::FindingOptions options = command.findings;
  options.gallery_bytes /= command.stores.size();
  std::vector<report::StoreFindings> stores;
  for (const std::string& path : command.stores) {
    stores.push_back(findings_of(path, options));
    if (command.quiet) continue;
    for (const std::string& notice : stores.back().notices) {
      say("plumb: {}: note: not shown: {}\n", path, notice);
    }
  }
  const std::string page = report_page(stores);
  write_file(command.out, page);
  if (!command.quiet)
    say("plumb: wrote {} ({} kB)\n", command.out, grouped(static_cast<long long>(page.size() / 1000)));
  return 0;
}

}  // namespace

void add_report(CommandLine& line) {
  auto options = std::make_shared<ReportCommand>();
  Command command = line.add_command("report", "Draw stores of plumb accuracy as one HTML page");
  command.add_option("stores", options->stores, "Stores of plumb accuracy; several are compared")
      .required()
      .type_name("RUN.db");
  command.add_option("-o,--output", options->out, "The HTML file").show_default().type_name("FILE.html");
  command.add_option("--network", options->findings.sources.network, "The network, if its file was moved")
      .type_name("NET");
  Option data = command.add_option("--data", options->findings.sources.data, "The data set, if its files were moved")
                    .type_name("SPEC");
  command.add_option("--scale", options->findings.sources.scale, "Scale of --data, if it is stored differently now")
      .needs(data)
      .type_name("S");
  command.add_option("--layout", options->findings.sources.layout, "Layout of --data, if it is stored differently now")
      .needs(data)
      .one_of({"chw", "hwc"});
  command.add_option("--gallery", options->findings.gallery, "Largest number of adversarial examples per store")
      .show_default()
      .type_name("N");
  command.add_flag("-q,--quiet", options->quiet, "Print no notices");
  command.footer(
      "The page is one file for any browser. It contains everything it shows and loads nothing. Originals of "
      "adversarial\n"
      "examples are read from the data set, if its content is still that of the run.\n"
      "Example: plumb report run.db -o report.html");
  command.action([options] { return run_command(*options); });
}

}  // namespace plumb::cli
