#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"
#include "cli/misspelt.h"
#include "cli/nearest_name.h"
#include "cli/usage_error.h"

namespace plumb::cli {

// The numbers from `least` to `greatest`: either whole numbers, which may be too large for a double, or real numbers.
struct NumberRange {
  std::int64_t least = 0;
  std::uint64_t greatest = 0;
  bool whole = true;
  // For real numbers, instead of the above.
  double least_real = -kInfinity, greatest_real = kInfinity;
  bool above_least = false;  // `least_real` itself is excluded
};

namespace {

template <class Whole>
NumberRange range_of() {
  return {std::numeric_limits<Whole>::min(), static_cast<std::uint64_t>(std::numeric_limits<Whole>::max())};
}

template <class Number>
std::optional<Number> parsed(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Returns the number in plain decimal form, because CLI11 would read 010 as eight; nullopt if it is refused.
std::optional<std::string> accepted_whole(const NumberRange& range, std::string_view text) {
  if (text.starts_with('-')) {
    const auto number = parsed<std::int64_t>(text);
    if (!number || *number < range.least) return std::nullopt;
    return std::to_string(*number);
  }
  const auto number = parsed<std::uint64_t>(text);
  if (!number || *number > range.greatest || std::cmp_less(*number, range.least)) return std::nullopt;
  return std::to_string(*number);
}

bool is_accepted_real(const NumberRange& range, std::string_view text) {
  const auto number = parsed<double>(text);
  return number && std::isfinite(*number) && *number >= range.least_real && *number <= range.greatest_real &&
         !(range.above_least && *number == range.least_real);
}

// For example "a number > 0" or "a whole number from 1 to 2147483647".
std::string shown(const NumberRange& range) {
  if (range.whole) return fmt::format("a whole number from {} to {}", range.least, range.greatest);
  if (!std::isfinite(range.least_real)) return "a number";
  if (range.above_least) return fmt::format("a number > {}", range.least_real);
  if (!std::isfinite(range.greatest_real)) return fmt::format("a number >= {}", range.least_real);
  return fmt::format("a number from {} to {}", range.least_real, range.greatest_real);
}

// Names of CLI11's validators. Their descriptions are what the help shows after the placeholder.
constexpr const char *kNumberCheck = "number", *kChoiceCheck = "choice";

// Adds a check that the option's text is a number in the range. It runs before CLI11 parses the text, and takes later
// changes of the range into account.
Option checked(CLI::Option* option, NumberRange range) {
  auto shared = std::make_shared<NumberRange>(range);
  const auto check = [shared](std::string& text) -> std::string {
    const std::string complaint = fmt::format("must be {}, not '{}'", shown(*shared), text);
    if (!shared->whole) return is_accepted_real(*shared, text) ? "" : complaint;
    const auto number = accepted_whole(*shared, text);
    if (number) text = *number;
    return number ? "" : complaint;
  };
  option->transform(CLI::Validator(check, "", kNumberCheck));
  return Option(option, std::move(shared));
}

NumberRange real_numbers() {
  NumberRange range;
  range.whole = false;
  return range;
}

}  // namespace

Option Option::description(const std::string& text) {
  option_->description(text);
  return *this;
}
Option Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}
Option Option::show_default() {
  option_->capture_default_str();
  return *this;
}
Option Option::required(bool required) {
  option_->required(required);
  return *this;
}

NumberRange& Option::range() {
  if (!range_) throw InternalError(option_->get_name(), "is not a numeric option, or was looked up by name");
  return *range_;
}
Option Option::positive() {
  range().least = 1;
  range().least_real = 0;
  range().above_least = true;
  option_->get_validator(kNumberCheck)->description("POSITIVE");
  return *this;
}
Option Option::not_negative() {
  range().least = 0;
  range().least_real = 0;
  option_->get_validator(kNumberCheck)->description("NONNEGATIVE");
  return *this;
}
Option Option::within(int least, int greatest) {
  range().least = least;
  range().greatest = static_cast<std::uint64_t>(greatest);
  range().least_real = least;
  range().greatest_real = greatest;
  option_->get_validator(kNumberCheck)->description(fmt::format("in [{} - {}]", least, greatest));
  return *this;
}
Option Option::one_of(const std::vector<std::string>& values) {
  const auto check = [values](std::string& text) -> std::string {
    if (std::ranges::find(values, text) != values.end()) return "";
    const auto nearest = nearest_name(text, values);
    return fmt::format("must be one of {}, not '{}'{}", fmt::join(values, ", "), text,
                       nearest ? fmt::format(" (did you mean {}?)", *nearest) : "");
  };
  option_->check(CLI::Validator(check, fmt::format("{{{}}}", fmt::join(values, ",")), kChoiceCheck));
  return *this;
}

Option Option::delimiter(char separator) {
  option_->delimiter(separator);
  return *this;
}
Option Option::one_value_each() {
  option_->allow_extra_args(false);
  return *this;
}

Option Option::excludes(Option other) {
  option_->excludes(other.option_);
  return *this;
}
Option Option::needs(Option other) {
  option_->needs(other.option_);
  return *this;
}

Option Command::add_option(const std::string& names, std::string& value, const std::string& description) {
  return Option(app_->add_option(names, value, description));
}
Option Command::add_option(const std::string& names, int& value, const std::string& description) {
  return checked(app_->add_option(names, value, description), range_of<int>());
}
Option Command::add_option(const std::string& names, std::int64_t& value, const std::string& description) {
  return checked(app_->add_option(names, value, description), range_of<std::int64_t>());
}
Option Command::add_option(const std::string& names, std::uint64_t& value, const std::string& description) {
  return checked(app_->add_option(names, value, description), range_of<std::uint64_t>());
}
Option Command::add_option(const std::string& names, double& value, const std::string& description) {
  return checked(app_->add_option(names, value, description), real_numbers());
}
Option Command::add_option(const std::string& names, std::vector<std::string>& values, const std::string& description) {
  return Option(app_->add_option(names, values, description));
}
Option Command::add_option(const std::string& names, std::vector<std::int64_t>& values,
                           const std::string& description) {
  return checked(app_->add_option(names, values, description), range_of<std::int64_t>());
}
Option Command::add_flag(const std::string& names, bool& given, const std::string& description) {
  return Option(app_->add_flag(names, given, description));
}

Option Command::option(const std::string& name) { return Option(app_->get_option(name)); }
void Command::footer(const std::string& text) { app_->footer(text); }
void Command::action(Action action) {
  app_->callback([chosen = chosen_, action = std::move(action)] { *chosen = action; });
}

namespace {

// The description of one of the option's validators; empty if it has no such validator.
std::string shown_check(CLI::Option& option, const char* name) {
  try {
    return option.get_validator(name)->get_description();
  } catch (const CLI::OptionNotFound&) {
    return "";
  }
}

// "a", "b" and "c" of "{a,b,c}".
std::vector<std::string> choices_in(const std::string& shown) {
  return shown.empty() ? std::vector<std::string>() : CLI::detail::split(shown.substr(1, shown.size() - 2), ',');
}

OptionEntry entry_of(CLI::Option& option) {
  OptionEntry entry;
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  if (option.get_positional()) entry.argument = option.get_name(true);
  const std::string choices = shown_check(option, kChoiceCheck), range = shown_check(option, kNumberCheck);
  entry.choices = choices_in(choices);
  entry.placeholder = option.get_type_name();
  for (const std::string& check : {choices, range}) {  // CLI11 appends them, for example in "N:POSITIVE"
    if (!check.empty() && entry.placeholder.ends_with(":" + check)) {
      entry.placeholder.resize(entry.placeholder.size() - check.size() - 1);
    }
  }
  entry.takes_value = option.get_items_expected_max() > 0;
  const bool is_named = entry.takes_value && entry.placeholder != "TEXT";  // CLI11's word for any text
  if (!is_named) entry.placeholder = entry.takes_value && entry.choices.empty() ? "VALUE" : "";
  entry.default_value = option.get_default_str();
  entry.description = option.get_description();
  entry.required = option.get_required();
  entry.several = option.get_items_expected_max() > 1;
  return entry;
}

CommandEntry entry_of(CLI::App& app) {
  CommandEntry entry{app.get_name(), app.get_description(), app.get_footer(), {}};
  for (CLI::Option* option : app.get_options()) entry.options.push_back(entry_of(*option));
  return entry;
}

// "help verify" becomes "verify --help".
std::vector<std::string> with_help_as_option(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments[0] != "help") return arguments;
  arguments.erase(arguments.begin());
  if (arguments.empty()) return {"--help"};
  return {arguments[0], "--help"};
}

// What is wrong with the command line, for people; CLI11 has only its own words for it.
UsageError usage_error(const CLI::ParseError& error, const CLI::App& app, const CommandEntry* command) {
  if (command == nullptr) return {"", "no command given", "plumb --help lists the commands"};
  const std::string help = fmt::format("see plumb {} --help", command->name), text = error.what();
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    return {"", fmt::format("unexpected: {}", fmt::join(app.remaining(true), " ")),
            fmt::format("usage: {}\n{}", usage_of(*command), help)};
  }
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError)) {
    for (const OptionEntry& option : command->options) {
      if (!option.is_positional() || text != option.argument + " is required") continue;
      return {"", fmt::format("{} is required: {}", option.placeholder, option.description),
              fmt::format("usage: {}\n{}", usage_of(*command), help)};
    }
  }
  const std::size_t colon = text.find(": ");
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch) && text.ends_with(" missing")) {
    const OptionEntry* option = command->find(text.substr(0, colon));
    const std::string value = option == nullptr || option->placeholder.empty() ? "VALUE" : option->placeholder;
    return {text.substr(0, colon), fmt::format("needs a value: {} {}", text.substr(0, colon), value), help};
  }
  if (const std::size_t at = text.find(": At Most 1 required but received "); at != std::string::npos) {
    return {text.substr(0, at), "is given more than once", "give it once; " + help};
  }
  if (const std::size_t at = text.find(" excludes "); at != std::string::npos) {
    return {"", fmt::format("{} cannot be combined with {}", text.substr(0, at), text.substr(at + 10)), help};
  }
  return {"", text, help};
}

}  // namespace

std::string usage_of(const CommandEntry& command) {
  std::string text = "plumb " + command.name;
  for (const OptionEntry& option : command.options) {
    if (!option.is_positional()) continue;
    const std::string shown = option.placeholder + (option.several ? "..." : "");
    text += option.required ? " " + shown : fmt::format(" [{}]", shown);
  }
  for (const OptionEntry& option : command.options) {
    if (option.required && !option.is_positional()) {
      text += fmt::format(" {} {}", option.names.back(), option.placeholder);
    }
  }
  return text + " [OPTIONS]";
}

CommandLine::CommandLine(const std::string& description, const std::string& version, const std::string& footer)
    : app_(std::make_unique<CLI::App>(description, "plumb")), version_(version) {
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
  app_->footer(footer);
}

CommandLine::~CommandLine() = default;

Command CommandLine::add_command(const std::string& name, const std::string& description) {
  return Command(app_->add_subcommand(name, description), &chosen_);
}

CommandTable CommandLine::table() const {
  CommandTable table{entry_of(*app_), version_, {}};
  table.program.name.clear();
  for (CLI::App* command : app_->get_subcommands([](CLI::App*) { return true; })) {
    table.commands.push_back(entry_of(*command));
  }
  return table;
}

int CommandLine::run(int argc, const char* const* argv) {
  std::vector<std::string> arguments = with_help_as_option({argv + 1, argv + argc});
  const CommandTable known = table();
  check_names(known, arguments);
  const CommandEntry* command = arguments.empty() ? nullptr : known.find(arguments[0]);
  try {
    std::ranges::reverse(arguments);  // CLI11 takes them from the end
    app_->parse(std::move(arguments));
  } catch (const CLI::Success& help_or_version) {
    return app_->exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    throw usage_error(error, *app_, command);
  }
  return chosen_();
}

}  // namespace plumb::cli
