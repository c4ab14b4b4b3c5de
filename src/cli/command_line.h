// command_line.h: commands and their options, as a user writes them.
//
// In:  declarations: commands, options bound to variables, what is required and allowed; then the program's arguments.
// Out: the variables are set and the action of the command that was given has run. --help and --version are answered
//      here. Throws UsageError, with a message for people, if the arguments do not fit the declarations.
//
// CLI11 does the work, but for numbers: whole ones are decimal and fit their variable, real ones are finite, and what
// is refused is told with the range that is accepted. Only command_line.cc includes it, since it takes seconds to
// compile.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace plumb::cli {

// What a command does once its options are set: returns the exit code.
using Action = std::function<int()>;

struct NumberRange;

// A declared option, for saying more about it. Belongs to the command line; copies are the same option.
class Option {
 public:
  // `range`: of numbers that are accepted; none if it takes text.
  explicit Option(CLI::Option* option, std::shared_ptr<NumberRange> range = nullptr)
      : option_(option), range_(std::move(range)) {}

  Option description(const std::string& text);
  // What stands for the value in the help.
  Option type_name(const std::string& name);
  // Adds the value that the variable has now to the help.
  Option show_default();
  Option required(bool required = true);

  // Values that are allowed: of numbers,
  Option positive();
  Option not_negative();
  Option within(int least, int greatest);
  // and of text.
  Option one_of(const std::vector<std::string>& values);

  // How a list is given: also as one value, split here; one value each time the option is named, not all that follow.
  Option delimiter(char separator);
  Option one_value_each();

  // Not both; not without.
  Option excludes(Option other);
  Option needs(Option other);

 private:
  NumberRange& range();

  CLI::Option* option_;
  std::shared_ptr<NumberRange> range_;
};

// A declared command. Belongs to the command line; copies are the same command.
class Command {
 public:
  Command(CLI::App* app, Action* chosen) : app_(app), chosen_(chosen) {}

  // `names` is "name" for an argument that is told by its position, "--name" or "-n,--name" otherwise. The value is
  // written into the variable, which has to live until the action has run.
  Option add_option(const std::string& names, std::string& value, const std::string& description);
  Option add_option(const std::string& names, int& value, const std::string& description);
  Option add_option(const std::string& names, std::int64_t& value, const std::string& description);
  Option add_option(const std::string& names, std::uint64_t& value, const std::string& description);
  Option add_option(const std::string& names, double& value, const std::string& description);
  Option add_option(const std::string& names, std::vector<std::string>& values, const std::string& description);
  Option add_option(const std::string& names, std::vector<std::int64_t>& values, const std::string& description);
  Option add_flag(const std::string& names, bool& given, const std::string& description);

  // One that was declared before.
  Option option(const std::string& name);

  // The end of the command's help.
  void footer(const std::string& text);
  void action(Action action);

 private:
  CLI::App* app_;
  Action* chosen_;
};

class CommandLine {
 public:
  // `version` is what --version prints, `footer` the end of the help.
  CommandLine(const std::string& description, const std::string& version, const std::string& footer);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  Command add_command(const std::string& name, const std::string& description);

  // Understands the arguments and runs the action of the one command that they name; its exit code. Throws UsageError,
  // and what the action throws.
  int run(int argc, const char* const* argv);

 private:
  std::unique_ptr<CLI::App> app_;
  Action chosen_;  // of the command that was given
};

}  // namespace plumb::cli
