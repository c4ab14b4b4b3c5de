// command_table.h: the commands and their options as plain data, for whatever describes them: advice about mistakes,
// manual pages, shell completions. It is made from the declarations (CommandLine::table()), so that no description can
// differ from what the program accepts.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace plumb::cli {

struct OptionEntry {
  std::vector<std::string> names;    // "-q", "--quiet"; empty for a positional argument
  std::string argument;              // name of a positional argument in the declarations, otherwise empty
  std::string placeholder;           // "FILE"; empty if it takes no value, or one of `choices`
  std::vector<std::string> choices;  // values that are accepted; empty if there is no list of them
  std::string default_value;         // empty if none is shown
  std::string description;
  bool required = false, takes_value = true, several = false;

  bool is_positional() const { return names.empty(); }
  bool has_name(const std::string& name) const { return std::ranges::find(names, name) != names.end(); }
};

struct CommandEntry {
  std::string name, description, footer;
  std::vector<OptionEntry> options;

  // Returns nullptr if there is none.
  const OptionEntry* find(const std::string& option) const {
    const auto found = std::ranges::find_if(options, [&](const OptionEntry& one) { return one.has_name(option); });
    return found == options.end() ? nullptr : &*found;
  }
};

struct CommandTable {
  CommandEntry program;  // what is available without a command
  std::string version;   // "plumb 0.1.0"
  std::vector<CommandEntry> commands;

  // Returns nullptr if there is none.
  const CommandEntry* find(const std::string& name) const {
    const auto found = std::ranges::find(commands, name, &CommandEntry::name);
    return found == commands.end() ? nullptr : &*found;
  }
};

// How a command is called, for example "plumb verify NET [PROPERTY] [OPTIONS]".
std::string usage_of(const CommandEntry& command);

}  // namespace plumb::cli
