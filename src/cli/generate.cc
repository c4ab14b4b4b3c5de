#include "cli/generate.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "cli/completion.h"
#include "cli/man_page.h"
#include "cli/usage_error.h"

namespace plumb::cli {
namespace {

namespace fs = std::filesystem;

void write_generated(const fs::path& path, const std::string& text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file)
    throw FileError(path.string(), "cannot be written", "check the folder, its permissions and the free space");
}

void write_all(const CommandTable& table, const fs::path& folder) {
  write_generated(folder / "man/man1/plumb.1", program_page(table));
  for (const CommandEntry& command : table.commands) {
    write_generated(folder / fmt::format("man/man1/plumb-{}.1", command.name), command_page(table, command));
  }
  write_generated(folder / "bash-completion/completions/plumb", bash_completion(table));
  write_generated(folder / "zsh/site-functions/_plumb", zsh_completion(table));
  write_generated(folder / "fish/vendor_completions.d/plumb.fish", fish_completion(table));
}

}  // namespace

int generate(const CommandTable& table, const std::vector<std::string>& arguments) {
  const std::string kind = arguments.empty() ? "" : arguments[0], more = arguments.size() == 2 ? arguments[1] : "";
  const bool alone = arguments.size() == 1;
  const CommandEntry* command = kind == "man" && !more.empty() ? table.find(more) : nullptr;
  if (command != nullptr) {
    fmt::print("{}", command_page(table, *command));
  } else if (alone && kind == "man") {
    fmt::print("{}", program_page(table));
  } else if (alone && kind == "bash") {
    fmt::print("{}", bash_completion(table));
  } else if (alone && kind == "zsh") {
    fmt::print("{}", zsh_completion(table));
  } else if (alone && kind == "fish") {
    fmt::print("{}", fish_completion(table));
  } else if (kind == "all" && !more.empty()) {
    write_all(table, more);
  } else {
    throw UsageError("--generate", "cannot be understood", "use man [COMMAND], bash, zsh, fish or all DIR");
  }
  return 0;
}

}  // namespace plumb::cli
