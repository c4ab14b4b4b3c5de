// plumb merge: merges stores of one question into one.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/table.h"
#include "store/merge.h"

namespace plumb::cli {
namespace {

struct MergeCommand {
  std::vector<std::string> stores;
  std::string out;
};

}  // namespace

void add_merge(CommandLine& line) {
  auto options = std::make_shared<MergeCommand>();
  Command command = line.add_command("merge", "Merge stores of the same question into one");
  command.add_option("stores", options->stores, "Stores of the same network, data and question")
      .required()
      .type_name("RUN.db");
  command.add_option("-o,--output", options->out, "The new store").required().type_name("FILE.db");
  command.footer(
      "Keeps the best result of each sample: a proof or a witness before a solver's claim before unknown, and the "
      "later\n"
      "of two equals. The others go into the history. Stores of different questions are refused.\n"
      "Example: plumb merge monday.db tuesday.db -o both.db");
  command.action([options] {
    const store::MergeCounts counts = store::merge_stores(options->stores, options->out);
    fmt::print("{} stores, {} results; {} others went into the history\n",
               grouped(static_cast<long long>(options->stores.size())), grouped(counts.results),
               grouped(counts.replaced));
    return 0;
  });
}

}  // namespace plumb::cli
