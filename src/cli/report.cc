// plumb report: shows the results in stores as one page.
#include <fmt/format.h>

#include <filesystem>
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

// Whether there is a page already, which may be replaced. Throws FileError if there is a file that is not a page of
// this command: it may be somebody's work.
bool replaces_page(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) == 0) return false;
  std::ifstream file(path, std::ios::binary);
  std::string head(2000, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  if (head.find(R"(<meta name="generator" content="plumb report">)") != std::string::npos) return true;
  throw FileError(path, "exists, and is not a page that plumb report made; it was left as it is",
                  "name another file with -o, or remove this one");
}

void write_file(const std::string& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  file.close();
  if (!file) throw FileError(path, "cannot be written", "check the folder, its permissions and the free space");
}

// What is not shown because the network or the data were not found, and what to do about it.
void print_notices(const std::string& path, const report::StoreFindings& store) {
  for (const std::string& notice : store.notices) say("plumb: {}: note: not shown: {}\n", path, notice);
  if (store.originals) return;
  const bool network = store.labels > 0;
  say("plumb: {}: note: {} says where {} now\n", path, network ? "--data SPEC" : "--network NET",
      network ? "the data set is" : "the network is, and --data SPEC where the data set is");
}

int run_command(const ReportCommand& command) {
  const bool replaces = replaces_page(command.out);
  report::FindingOptions options = command.findings;
  options.gallery_bytes /= command.stores.size();
  std::vector<report::StoreFindings> stores;
  for (const std::string& path : command.stores) {
    stores.push_back(findings_of(path, options));
    if (command.quiet) continue;
    print_notices(path, stores.back());
  }
  const std::string page = report_page(stores);
  write_file(command.out, page);
  if (!command.quiet)
    say("plumb: {} {} ({} kB)\n", replaces ? "replaced" : "wrote", command.out,
        grouped(static_cast<long long>(page.size() / 1000)));
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
      "examples are read from the data set, if its content is still that of the run. A page that this command made is\n"
      "replaced; any other file of that name is left as it is, with an error.\n"
      "Example: plumb report run.db -o report.html");
  command.action([options] { return run_command(*options); });
}

}  // namespace plumb::cli
