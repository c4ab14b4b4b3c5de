// command_line.h: commands and their options, as a user writes them.
//
// In:  declarations: commands, options bound to variables, what is required and allowed; then the program's arguments.
// Out: the variables are set and the action of the given command has run. --help, help and --version are answered here.
//      Throws UsageError, with a message for people, if the arguments do not match the declarations.
//
// CLI11 does the work except for numbers: whole numbers must be decimal and fit their variable, real numbers must be
// finite, and an error message states the range that is accepted. Only command_line.cc includes CLI11, because it takes
// seconds to compile.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_table.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace plumb::cli {

// What a command does once its options are set. Returns the exit code.
using Action = std::function<int()>;

struct NumberRange;

// A declared option, to which more can be added. It belongs to the command line; copies refer to the same option.
class Option {
 public:
  // `range` is the range of accepted numbers; nullptr means that the option takes text.
  explicit Option(CLI::Option* option, std::shared_ptr<NumberRange> range = nullptr)
      : option_(option), range_(std::move(range)) {}

  Option description(const std::string& text);
  // Sets the placeholder for the value in the help.
  Option type_name(const std::string& name);
  // Shows the variable's current value as the default in the help.
  Option show_default();
  Option required(bool required = true);

  // Restrict the numbers that are accepted.
  Option positive();
  Option not_negative();
  Option within(int least, int greatest);
  // Restricts the texts that are accepted.
  Option one_of(const std::vector<std::string>& values);

  // How a list is given. With delimiter(), one value may contain several, separated by this character. With
  // one_value_each(), each mention of the option takes one value, not all that follow.
  Option delimiter(char separator);
  Option one_value_each();

  // excludes(): the two options must not be given together. needs(): this option requires the other one.
  Option excludes(Option other);
  Option needs(Option other);

 private:
  NumberRange& range();

  CLI::Option* option_;
  std::shared_ptr<NumberRange> range_;
};

// A declared command. It belongs to the command line; copies refer to the same command.
class Command {
 public:
  Command(CLI::App* app, Action* chosen) : app_(app), chosen_(chosen) {}

  // `names` is "name" for a positional argument, "--name" or "-n,--name" otherwise. The value is written into the
  // variable, which must live until the action has run.
  Option add_option(const std::string& names, std::string& value, const std::string& description);
  Option add_option(const std::string& names, int& value, const std::string& description);
  Option add_option(const std::string& names, std::int64_t& value, const std::string& description);
  Option add_option(const std::string& names, std::uint64_t& value, const std::string& description);
  Option add_option(const std::string& names, double& value, const std::string& description);
  Option add_option(const std::string& names, std::vector<std::string>& values, const std::string& description);
  Option add_option(const std::string& names, std::vector<std::int64_t>& values, const std::string& description);
  Option add_flag(const std::string& names, bool& given, const std::string& description);

  // Returns an option that was declared before.
  Option option(const std::string& name);

  // Sets the text at the end of the command's help.
  void footer(const std::string& text);
  void action(Action action);

 private:
  CLI::App* app_;
  Action* chosen_;
};

class CommandLine {
 public:
  // --version prints `version`; the help ends with `footer`.
  CommandLine(const std::string& description, const std::string& version, const std::string& footer);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  Command add_command(const std::string& name, const std::string& description);

  // Everything that was declared.
  CommandTable table() const;

  // Parses the arguments and runs the action of the one command that they name. Returns its exit code. "help COMMAND"
  // means "COMMAND --help". Throws UsageError, and what the action throws.
  int run(int argc, const char* const* argv);

 private:
  std::unique_ptr<CLI::App> app_;
  std::string version_;
  Action chosen_;  // action of the command that was given
};

}  // namespace plumb::cli
