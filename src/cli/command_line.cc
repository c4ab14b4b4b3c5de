#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "base/error.h"

namespace plumb::cli {

Option Option::description(const std::string& text) { return Option(option_->description(text)); }
Option Option::type_name(const std::string& name) { return Option(option_->type_name(name)); }
Option Option::show_default() { return Option(option_->capture_default_str()); }
Option Option::required(bool required) { return Option(option_->required(required)); }

Option Option::positive() { return Option(option_->check(CLI::PositiveNumber)); }
Option Option::not_negative() { return Option(option_->check(CLI::NonNegativeNumber)); }
Option Option::within(int least, int greatest) { return Option(option_->check(CLI::Range(least, greatest))); }
Option Option::one_of(const std::vector<std::string>& values) { return Option(option_->check(CLI::IsMember(values))); }

Option Option::delimiter(char separator) { return Option(option_->delimiter(separator)); }
Option Option::one_value_each() { return Option(option_->allow_extra_args(false)); }

Option Option::excludes(Option other) { return Option(option_->excludes(other.option_)); }
Option Option::needs(Option other) { return Option(option_->needs(other.option_)); }

Option Command::add_option(const std::string& names, std::string& value, const std::string& description) {
  return Option(app_->add_option(names, value, description));
}
Option Command::add_option(const std::string& names, int& value, const std::string& description) {
  return Option(app_->add_option(names, value, description));
}
Option Command::add_option(const std::string& names, std::int64_t& value, const std::string& description) {
  return Option(app_->add_option(names, value, description));
}
Option Command::add_option(const std::string& names, std::uint64_t& value, const std::string& description) {
  return Option(app_->add_option(names, value, description));
}
Option Command::add_option(const std::string& names, double& value, const std::string& description) {
  return Option(app_->add_option(names, value, description));
}
Option Command::add_option(const std::string& names, std::vector<std::string>& values, const std::string& description) {
  return Option(app_->add_option(names, values, description));
}
Option Command::add_option(const std::string& names, std::vector<std::int64_t>& values,
                           const std::string& description) {
  return Option(app_->add_option(names, values, description));
}
Option Command::add_flag(const std::string& names, bool& given, const std::string& description) {
  return Option(app_->add_flag(names, given, description));
}

Option Command::option(const std::string& name) { return Option(app_->get_option(name)); }
void Command::footer(const std::string& text) { app_->footer(text); }
void Command::action(Action action) {
  app_->callback([chosen = chosen_, action = std::move(action)] { *chosen = action; });
}

CommandLine::CommandLine(const std::string& description, const std::string& version, const std::string& footer)
    : app_(std::make_unique<CLI::App>(description, "plumb")) {
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
  app_->footer(footer);
}

CommandLine::~CommandLine() = default;

Command CommandLine::add_command(const std::string& name, const std::string& description) {
  return Command(app_->add_subcommand(name, description), &chosen_);
}

int CommandLine::run(int argc, const char* const* argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return app_->exit(help_or_version);
  } catch (const CLI::RequiredError& error) {
    if (argc > 1 && argv[1][0] != '-' && app_->get_subcommands().empty()) {
      throw UsageError("", fmt::format("there is no command '{}'", argv[1]), "see plumb --help");
    }
    throw UsageError("", error.what(), "see plumb --help, or plumb COMMAND --help");
  } catch (const CLI::ParseError& error) {
    throw UsageError("", error.what(), "see plumb --help, or plumb COMMAND --help");
  }
  return chosen_();
}

}  // namespace plumb::cli
