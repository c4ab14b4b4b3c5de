#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"
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

constexpr const char* kNumberCheck = "number";

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
  option_->check(CLI::IsMember(values));
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
      throw UsageError("", fmt::format("unknown command '{}'", argv[1]), "see plumb --help");
    }
    throw UsageError("", error.what(), "see plumb --help, or plumb COMMAND --help");
  } catch (const CLI::ParseError& error) {
    throw UsageError("", error.what(), "see plumb --help, or plumb COMMAND --help");
  }
  return chosen_();
}

}  // namespace plumb::cli
