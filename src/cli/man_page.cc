#include "cli/man_page.h"

#include <fmt/format.h>

#include <sstream>

namespace plumb::cli {
namespace {

// Text that roff shows as it is.
std::string plain(const std::string& text) {
  std::string result = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) result += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  return result;
}

std::string bold(const std::string& text) { return fmt::format("\\fB{}\\fR", plain(text)); }
std::string italic(const std::string& text) { return fmt::format("\\fI{}\\fR", plain(text)); }

// The text at the end of a command's help: sentences, and lines that begin with "Example: ".
struct Footer {
  std::string text;
  std::vector<std::string> examples;
};

Footer parts_of(const std::string& footer) {
  constexpr std::string_view kExample = "Example: ";
  Footer parts;
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kExample)) {
      parts.examples.push_back(line.substr(kExample.size()));
    } else {
      parts.text += (parts.text.empty() ? "" : " ") + line;
    }
  }
  return parts;
}

std::string header(const std::string& name, const std::string& version, const std::string& description) {
  std::string title;
  for (const char c : name) title += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return fmt::format(".TH {} 1 \"\" \"{}\" \"Plumb\"\n.SH NAME\n{} \\- {}\n", plain(title), version, plain(name),
                     plain(description));
}

std::string option_text(const OptionEntry& option) {
  std::string head;
  for (const std::string& name : option.names) head += (head.empty() ? "" : ", ") + bold(name);
  if (option.takes_value) {
    const std::string value =
        option.placeholder.empty() ? fmt::format("{}", fmt::join(option.choices, "|")) : option.placeholder;
    head += (head.empty() ? "" : " ") + italic(value + (option.several && option.is_positional() ? " ..." : ""));
  }
  std::string text = plain(option.description);
  if (!option.default_value.empty()) text += plain(fmt::format(" (default: {})", option.default_value));
  if (option.required && !option.is_positional()) text += " (required)";
  return fmt::format(".TP\n{}\n{}.\n", head, text);
}

std::string options_section(const char* title, const CommandEntry& command, bool positional) {
  std::string text;
  for (const OptionEntry& option : command.options) {
    if (option.is_positional() == positional) text += option_text(option);
  }
  return text.empty() ? "" : fmt::format(".SH {}\n{}", title, text);
}

std::string examples_section(const std::vector<std::string>& examples) {
  if (examples.empty()) return "";
  std::string text = ".SH EXAMPLES\n";
  for (const std::string& example : examples) text += fmt::format(".PP\n.nf\n    {}\n.fi\n", plain(example));
  return text;
}

}  // namespace

std::string program_page(const CommandTable& table) {
  const Footer footer = parts_of(table.program.footer);
  std::string text = header("plumb", table.version, table.program.description);
  text += ".SH SYNOPSIS\n.B plumb\n.I COMMAND\n[\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]\n";
  text += fmt::format(".SH DESCRIPTION\n{}\n.SH COMMANDS\n", plain(table.program.description));
  for (const CommandEntry& command : table.commands) {
    text += fmt::format(".TP\n{}\n{}.\n", bold("plumb-" + command.name) + "(1)", plain(command.description));
  }
  text += options_section("OPTIONS", table.program, false);
  text += fmt::format(".SH EXIT STATUS\n{}\n", plain(footer.text));
  return text + examples_section(footer.examples);
}

std::string command_page(const CommandTable& table, const CommandEntry& command) {
  const Footer footer = parts_of(command.footer);
  std::string text = header("plumb-" + command.name, table.version, command.description);
  text += fmt::format(".SH SYNOPSIS\n{}\n", plain(usage_of(command)));
  text += fmt::format(".SH DESCRIPTION\n{}.\n", plain(command.description));
  if (!footer.text.empty()) text += fmt::format(".PP\n{}\n", plain(footer.text));
  text += options_section("ARGUMENTS", command, true) + options_section("OPTIONS", command, false);
  text += examples_section(footer.examples);
  return text + fmt::format(".SH SEE ALSO\n{}(1)\n", bold("plumb"));
}

}  // namespace plumb::cli
