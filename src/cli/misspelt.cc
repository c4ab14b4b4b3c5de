#include "cli/misspelt.h"

#include <fmt/format.h>

#include <optional>

#include "cli/nearest_name.h"
#include "cli/usage_error.h"

namespace plumb::cli {
namespace {

std::vector<std::string> names_of(const CommandEntry& command) {
  std::vector<std::string> names;
  for (const OptionEntry& option : command.options) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

// The option's name in "--name", "--name=value", "-n" or "-nvalue"; empty for a value such as "-1" or "-".
std::string name_in(const std::string& argument) {
  if (argument.size() < 2 || argument[0] != '-') return "";
  if (argument[1] == '-') return argument.size() == 2 ? "" : argument.substr(0, argument.find('='));
  const bool number = (argument[1] >= '0' && argument[1] <= '9') || argument[1] == '.';
  return number ? "" : argument;
}

const OptionEntry* find_option(const CommandEntry& command, const std::string& name) {
  if (const OptionEntry* option = command.find(name)) return option;
  const bool is_short = name.size() > 2 && name[1] != '-';
  return is_short ? command.find(name.substr(0, 2)) : nullptr;  // "-q" in "-qo"
}

// For example "plumb verify, accuracy and worst have it".
std::string owners_text(const CommandTable& table, const std::string& name) {
  std::vector<std::string> owners;
  for (const CommandEntry& command : table.commands) {
    if (command.find(name) != nullptr) owners.push_back(command.name);
  }
  if (owners.empty()) return "";
  const std::string last = owners.back();
  owners.pop_back();
  if (owners.empty()) return fmt::format("plumb {} has it", last);
  return fmt::format("plumb {} and {} have it", fmt::join(owners, ", "), last);
}

[[noreturn]] void throw_unknown_option(const CommandTable& table, const CommandEntry& command,
                                       const std::string& name) {
  const std::string program = command.name.empty() ? "plumb" : "plumb " + command.name;
  std::vector<std::string> advice;
  if (const auto nearest = nearest_name(name, names_of(command))) {
    advice.push_back(fmt::format("did you mean {}?", *nearest));
  }
  if (const std::string owners = owners_text(table, name); !owners.empty()) advice.push_back(owners);
  advice.push_back(fmt::format("{} --help lists the options", program));
  throw UsageError(command.name, fmt::format("unknown option {}", name), fmt::format("{}", fmt::join(advice, "\n")));
}

[[noreturn]] void throw_unknown_command(const CommandTable& table, const std::string& given) {
  std::vector<std::string> names{"help"};
  for (const CommandEntry& command : table.commands) names.push_back(command.name);
  const auto nearest = nearest_name(given, names);
  throw UsageError("", fmt::format("unknown command '{}'", given),
                   fmt::format("{}plumb --help lists the commands",
                               nearest ? fmt::format("did you mean plumb {}?\n", *nearest) : ""));
}

// Checks arguments from `first` on against the options of the command.
void check_options(const CommandTable& table, const CommandEntry& command, const std::vector<std::string>& arguments,
                   std::size_t first) {
  const OptionEntry* waiting = nullptr;  // the option whose value comes next
  for (std::size_t i = first; i < arguments.size() && arguments[i] != "--"; ++i) {
    const std::string name = name_in(arguments[i]);
    const OptionEntry* option = name.empty() ? nullptr : find_option(command, name);
    if (waiting != nullptr) {
      if (option != nullptr) {
        throw UsageError(waiting->names.back(), fmt::format("needs a value, but {} follows", arguments[i]),
                         fmt::format("see plumb {} --help", command.name));
      }
      waiting = nullptr;
      continue;
    }
    if (name.empty()) continue;
    if (option == nullptr) throw_unknown_option(table, command, name);
    if (option->takes_value && option->has_name(arguments[i])) waiting = option;
  }
}

}  // namespace

void check_names(const CommandTable& table, const std::vector<std::string>& arguments) {
  if (arguments.empty()) return;
  if (const std::string name = name_in(arguments[0]); !name.empty()) {
    if (find_option(table.program, name) == nullptr) throw_unknown_option(table, table.program, name);
    return;
  }
  const CommandEntry* command = table.find(arguments[0]);
  if (command == nullptr) throw_unknown_command(table, arguments[0]);
  check_options(table, *command, arguments, 1);
}

}  // namespace plumb::cli
