#include "cli/completion.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace plumb::cli {
namespace {

constexpr const char* kOrigin = "made by plumb --generate, from the program's table of options";

// Whether the value may be the name of a file. SPEC is one after "mnist:".
bool takes_file(const OptionEntry& option) {
  constexpr std::array<std::string_view, 6> kFiles{"FILE", "DIR", "NET", ".db", "SPEC", "PROPERTY"};
  return std::ranges::any_of(kFiles,
                             [&](std::string_view part) { return option.placeholder.find(part) != std::string::npos; });
}

std::vector<std::string> command_names(const CommandTable& table) {
  std::vector<std::string> names;
  for (const CommandEntry& command : table.commands) names.push_back(command.name);
  return names;
}

std::vector<std::string> option_names(const CommandEntry& command) {
  std::vector<std::string> names;
  for (const OptionEntry& option : command.options) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

// Puts a backslash before each of these characters.
std::string escaped(const std::string& text, std::string_view characters) {
  std::string result;
  for (const char c : text) {
    if (characters.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

// The text inside single quotes of a POSIX shell, in which nothing is special.
std::string quoted_in_shell(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

// ---- bash

// The patterns "verify --norm"|"attack --norm" for all options of the table that satisfy the condition.
template <class Condition>
std::vector<std::string> bash_patterns(const CommandTable& table, const Condition& condition) {
  std::vector<std::string> patterns;
  for (const CommandEntry& command : table.commands) {
    for (const OptionEntry& option : command.options) {
      if (!condition(option)) continue;
      for (const std::string& name : option.names) patterns.push_back(fmt::format("\"{} {}\"", command.name, name));
    }
  }
  return patterns;
}

std::string bash_choices(const CommandTable& table) {
  std::string text;
  for (const CommandEntry& command : table.commands) {
    for (const OptionEntry& option : command.options) {
      if (option.choices.empty()) continue;
      for (const std::string& name : option.names) {
        text += fmt::format("    \"{} {}\") _plumb_words \"{}\"; return ;;\n", command.name, name,
                            fmt::join(option.choices, " "));
      }
    }
  }
  return text;
}

}  // namespace

std::string bash_completion(const CommandTable& table) {
  const std::string commands = fmt::format("{}", fmt::join(command_names(table), " "));
  const auto is_file = [](const OptionEntry& option) { return option.choices.empty() && takes_file(option); };
  const auto is_other = [](const OptionEntry& option) {
    return option.takes_value && option.choices.empty() && !takes_file(option);
  };
  std::string text = fmt::format("# bash completion for plumb; {}\n", kOrigin);
  text += R"sh(_plumb_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }
_plumb_files() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); }

_plumb() {
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  COMPREPLY=()
  # bash makes words of "=" and ":".
  if [[ $current == = || $current == : ]]; then
    [[ $current == : ]] && before=:
    current=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if [[ $before == : ]]; then _plumb_files; return; fi
)sh";
  text += fmt::format("  if ((COMP_CWORD == 1)); then _plumb_words \"{} help {}\"; return; fi\n", commands,
                      fmt::join(option_names(table.program), " "));
  text += fmt::format("  if [[ $command == help ]]; then _plumb_words \"{}\"; return; fi\n", commands);
  text += "  case \"$command $before\" in\n" + bash_choices(table);
  text += fmt::format("    {}) _plumb_files; return ;;\n", fmt::join(bash_patterns(table, is_file), "|"));
  text += fmt::format("    {}) return ;;\n", fmt::join(bash_patterns(table, is_other), "|"));
  text += "  esac\n  if [[ $current != -* ]]; then _plumb_files; return; fi\n  case $command in\n";
  for (const CommandEntry& command : table.commands) {
    text += fmt::format("    {}) _plumb_words \"{}\" ;;\n", command.name, fmt::join(option_names(command), " "));
  }
  return text + "  esac\n}\n\ncomplete -F _plumb plumb\n";
}

// ---- zsh

namespace {

// What _arguments is told about a value: ":message:action".
std::string zsh_value(const OptionEntry& option) {
  const std::string message = option.placeholder.empty() ? "value" : escaped(option.placeholder, ":\\");
  if (!option.choices.empty()) return fmt::format(":{}:({})", message, fmt::join(option.choices, " "));
  if (!takes_file(option)) return fmt::format(":{}: ", message);
  return fmt::format(":{}:{}", message, option.placeholder == "SPEC" ? "_plumb_data" : "_files");
}

std::string zsh_arguments(const CommandEntry& command) {
  std::string text;
  int position = 0;
  for (const OptionEntry& option : command.options) {
    if (option.is_positional()) {
      ++position;
      const std::string place = option.several ? "*" : fmt::format("{}{}", position, option.required ? "" : ":");
      text += fmt::format(" \\\n        {}", quoted_in_shell(place + zsh_value(option)));
    }
    for (const std::string& name : option.names) {
      const bool equals = option.takes_value && name.starts_with("--");  // "--norm linf" and "--norm=linf"
      const std::string described = fmt::format("{}{}{}[{}]", option.several ? "*" : "", name, equals ? "=" : "",
                                                escaped(option.description, "[]\\"));
      text +=
          fmt::format(" \\\n        {}", quoted_in_shell(described + (option.takes_value ? zsh_value(option) : "")));
    }
  }
  return text;
}

}  // namespace

std::string zsh_completion(const CommandTable& table) {
  std::string text = fmt::format("#compdef plumb\n# zsh completion for plumb; {}\n", kOrigin);
  text += R"sh(
# A data set is named by its kind, a colon and its files.
_plumb_data() {
  if compset -P '*:'; then
    _files
  else
    compadd -S '' mnist: cifar10: npz: npy: csv:
  fi
}

_plumb_commands() {
  local -a commands
  commands=(
)sh";
  for (const CommandEntry& command : table.commands) {
    text += fmt::format("    {}\n", quoted_in_shell(fmt::format("{}:{}", command.name, command.description)));
  }
  text += "    'help:Print the help of a command'\n  )\n  _describe command commands\n}\n\n";
  text += "_plumb() {\n  local context state state_descr line\n  typeset -A opt_args\n  _arguments -C";
  for (const OptionEntry& option : table.program.options) {
    for (const std::string& name : option.names) {
      text += fmt::format(" \\\n    {}",
                          quoted_in_shell(fmt::format("(- *){}[{}]", name, escaped(option.description, "[]\\"))));
    }
  }
  text += " \\\n    '1: :_plumb_commands' \\\n    '*:: :->arguments'\n  [[ $state == arguments ]] || return\n";
  text += "  case $words[1] in\n    help) _plumb_commands ;;\n";
  for (const CommandEntry& command : table.commands) {
    text += fmt::format("    {})\n      _arguments{}\n      ;;\n", command.name, zsh_arguments(command));
  }
  return text + "  esac\n}\n\n_plumb \"$@\"\n";
}

// ---- fish

namespace {

std::string quoted_in_fish(const std::string& text) { return "'" + escaped(text, "'\\") + "'"; }

std::string fish_option(const OptionEntry& option) {
  std::string text;
  for (const std::string& name : option.names) {
    text += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2)) : fmt::format(" -s {}", name.substr(1));
  }
  if (!option.choices.empty()) {
    text += fmt::format(" -x -a {}", quoted_in_fish(fmt::format("{}", fmt::join(option.choices, " "))));
  } else if (option.takes_value) {
    text += takes_file(option) ? " -r -F" : " -x";
  }
  return fmt::format("{} -d {}", text, quoted_in_fish(option.description));
}

}  // namespace

std::string fish_completion(const CommandTable& table) {
  std::string text = fmt::format("# fish completion for plumb; {}\n", kOrigin);
  for (const OptionEntry& option : table.program.options) {
    text += fmt::format("complete -c plumb -n __fish_use_subcommand{}\n", fish_option(option));
  }
  for (const CommandEntry& command : table.commands) {
    text += fmt::format("complete -c plumb -f -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        quoted_in_fish(command.description));
  }
  text += "complete -c plumb -f -n __fish_use_subcommand -a help -d 'Print the help of a command'\n";
  text += fmt::format("complete -c plumb -f -n '__fish_seen_subcommand_from help' -a '{}'\n",
                      fmt::join(command_names(table), " "));
  for (const CommandEntry& command : table.commands) {
    for (const OptionEntry& option : command.options) {
      if (option.is_positional()) continue;
      text +=
          fmt::format("complete -c plumb -n '__fish_seen_subcommand_from {}'{}\n", command.name, fish_option(option));
    }
  }
  return text;
}

}  // namespace plumb::cli
