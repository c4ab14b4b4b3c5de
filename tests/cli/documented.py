#!/usr/bin/env python3
"""Compares the reference of the commands, docs/commands.md, with the help texts of the program.

    tests/cli/documented.py --plumb build/release/plumb [CHECK ...]

Commands, options, placeholders, choices, defaults and exit codes must be those of `plumb --help` and `plumb COMMAND
--help`, in both directions. Command lines in any of the project's documents may use only options that their command
has. Closing line: `N passed, N failed, N skipped`.
"""

import dataclasses
import pathlib
import re
import subprocess
import sys

from checks import main

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
REFERENCE = REPOSITORY / "docs/commands.md"
DOCUMENTS = [path for folder in (".", "docs", "src", "examples/digits", "vnncomp")
             for path in sorted((REPOSITORY / folder).glob("*.md"))]
OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
EVERYWHERE = {"-h", "--help"}  # options that every command has


@dataclasses.dataclass
class Option:
    placeholder: str = ""  # FILE in --outputs FILE
    default: str = ""      # "`4`", "one per core", "required", or nothing
    choices: tuple = ()
    meaning: str = ""


# ---- What the help says


DESCRIPTION_COLUMN = 30  # of CLI11's help
# The text between an option's names and its description: " TEXT:{chw,hwc}=chw", " N:POSITIVE=40", " FILE REQUIRED".
SHOWN = re.compile(r"(?: (\S+?)(?::\{(.*?)\}|:(?:POSITIVE|NONNEGATIVE)|:in \[.*?\])?(?:=(\S+))?(?: \.\.\.)?)?"
                   r"(?: REQUIRED)?(?: (?:Excludes|Needs):.*)?")


def entries(text, heading):
    """The entries of one list in a help text: (name and type, description)."""
    block = re.search(rf"^{heading}:\n((?:  .*\n)*)", text, re.M)
    lines = block.group(1).splitlines() if block else []
    blank = " " * DESCRIPTION_COLUMN
    for line, next_line in zip(lines, [*lines[1:], ""]):
        if next_line.startswith(blank):  # the name takes up the whole line
            yield line.strip(), next_line.strip()
        elif not line.startswith(blank):
            yield line[:DESCRIPTION_COLUMN].strip(), line[DESCRIPTION_COLUMN:].strip()


def option_in_help(head, description):
    names, space, rest = head.partition(" ")
    spoken = re.search(r"\(default: (.*?)\)", description)
    shown = SHOWN.fullmatch(space + rest)
    assert shown, f"cannot read '{head}' in the help text"
    placeholder, choices, default = shown.groups(default="")
    if placeholder == "NAME" and default == "NET":  # --network NAME=NET: part of the placeholder, not a default
        placeholder, default = "NAME=NET", ""
    if placeholder == "TEXT":  # CLI11's placeholder for options without one
        placeholder = ""
    option = Option(placeholder, "", tuple(choices.split(",")) if choices else ())
    if "REQUIRED" in rest.split():
        option.default = "required"
    elif default:
        option.default = f"`{default}`"
    elif spoken:
        option.default = spoken.group(1)
    return names.split(","), option


class Program:
    def __init__(self, path):
        self.path = path
        self.help = self.run("--help")
        self.commands = {}  # name: {option: Option}
        self.positionals = {}  # name: placeholders
        for command, _ in entries(self.help, "Subcommands"):
            text = self.run(command, "--help")
            options = {}
            for head, description in entries(text, "Options"):
                names, option = option_in_help(head, description)
                options.update((name, option) for name in names if name not in EVERYWHERE)
            self.commands[command] = options
            self.positionals[command] = [head.split()[1] for head, _ in entries(text, "Positionals")]
        assert "--json" in self.commands.get("verify", {}), "no options found in the help"
        self.own_options = {name for head, _ in entries(self.help, "Options") for name in head.split(" ")[0].split(",")}

    def run(self, *arguments):
        done = subprocess.run([self.path, *arguments], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done
        return done.stdout


# ---- What the reference says


def sections(text, level):
    """{heading: text below it} for headings of one level."""
    parts = re.split(rf"^{'#' * level} (.+)\n", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def table_of_options(text):
    options = {}
    for row in re.findall(r"^\| (`-.*) \|$", text, re.M):
        cells = [cell.strip() for cell in row.split("|")]
        assert len(cells) == 3, f"a row of options needs three cells: {row}"
        names = [name.split(" ", 1) for name in re.findall(r"`(.+?)`", cells[0])]
        for name in names:
            assert name[0] not in options, f"{name[0]} is described twice in one section"
            options[name[0]] = Option(names[-1][1] if len(names[-1]) > 1 else "", cells[1], (), cells[2])
    return options


class Reference:
    def __init__(self):
        self.text = REFERENCE.read_text()
        chapters = sections(self.text, 2)
        shared = sections(chapters["Shared options"], 3)
        groups = {name.lower(): table_of_options(text) for name, text in shared.items()}
        self.chapters = {name[len("plumb "):]: text for name, text in chapters.items() if name.startswith("plumb ")}
        self.general = "".join(text for name, text in chapters.items() if not name.startswith("plumb "))
        self.commands = {}
        for command, text in self.chapters.items():
            options = {}
            for group in re.search(r"^Shared options: ([a-z, ]+)\.|\Z", text, re.M).groups(default="")[0].split(", "):
                options.update(groups[group] if group else {})
            options.update(table_of_options(text))  # the command's own table takes precedence
            self.commands[command] = options


def complain(complaints):
    assert not complaints, "".join(f"\n    {complaint}" for complaint in complaints)


def described_by_both(plumb):
    """(command, option, what the help says, what the reference says)"""
    reference = Reference()
    for command, options in plumb.commands.items():
        for name, option in options.items():
            if name in reference.commands.get(command, {}):
                yield command, name, option, reference.commands[command][name]


# ---- The checks


def the_same_commands_are_documented(plumb, _):
    reference = Reference()
    linked = re.findall(r"^\| \[`plumb (\w+)`\]\(#plumb-\1\) \|", reference.text, re.M)
    complain([f"plumb {command} has no section" for command in plumb.commands if command not in reference.chapters] +
             [f"plumb {command} has a section, but is no command" for command in reference.chapters
              if command not in plumb.commands] +
             [f"plumb {command} is not in the list of commands" for command in plumb.commands if command not in linked])


def the_same_options_are_documented(plumb, _):
    reference = Reference()
    complaints = []
    for command, options in plumb.commands.items():
        documented = reference.commands.get(command, {})
        complaints += [f"plumb {command} has {name}, which is not documented" for name in options.keys() - documented]
        complaints += [f"plumb {command} has no {name}, which is documented" for name in documented.keys() - options]
    complaints += [f"plumb {name} is not documented" for name in plumb.own_options | EVERYWHERE
                   if not re.search(rf"`(plumb (COMMAND )?)?{name}`", reference.general)]
    complain(sorted(complaints))


def defaults_are_those_of_the_help(plumb, _):
    complain([f"plumb {command} {name}: the default is {told.default or 'none'}, documented is {read.default or 'none'}"
              for command, name, told, read in described_by_both(plumb) if told.default != read.default])


def placeholders_and_choices_are_those_of_the_help(plumb, _):
    complaints = []
    for command, name, told, read in described_by_both(plumb):
        if told.placeholder and told.placeholder != read.placeholder:
            complaints.append(f"plumb {command} {name} {told.placeholder} is documented as {name} {read.placeholder}")
        complaints += [f"plumb {command} {name}: the choice {choice} is not documented" for choice in told.choices
                       if f"`{choice}`" not in read.meaning]
    for command, placeholders in plumb.positionals.items():
        usage = " ".join(re.findall(rf"^    plumb {command}\b.*", Reference().chapters.get(command, ""), re.M))
        complaints += [f"plumb {command} takes {placeholder}, which its first lines do not show"
                       for placeholder in placeholders if placeholder not in usage]
    complain(complaints)


def exit_codes_are_those_of_the_help(plumb, _):
    told = re.search(r"Exit codes: ((?:.|\n)*?)\.\n", plumb.help).group(1)
    documented = re.findall(r"^\| (\d+) \|", sections(Reference().text, 3)["Exit codes"], re.M)
    assert sorted(documented, key=int) == sorted(re.findall(r"\d+", told), key=int), (documented, told)


def code_in(text):
    """Lines of code, and code inside sentences. Lines that end in a backslash are joined to the next."""
    joined = re.sub(r" *\\\n *", " ", text)
    lines = re.findall(r"^    +(.*)", joined, re.M)
    prose = re.sub(r"^    .*", "", joined, flags=re.M)
    return lines + [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose)]


def command_of(code, commands):
    """The command that a piece of code calls: verify in "$ build/release/plumb verify ..." or "verify --audit"."""
    called = re.match(r"(?:\$ )?(?:(?:build/release/)?plumb )?([a-z]+)\b", code)
    return called.group(1) if called and called.group(1) in commands else None


def options_that_the_reference_names_exist(plumb, _):
    reference = Reference()
    anywhere = plumb.own_options | EVERYWHERE | {name for options in plumb.commands.values() for name in options}
    complaints = [f"no command has {option}: `{code}`" for code in code_in(reference.general)
                  if not command_of(code, plumb.commands) for option in OPTION.findall(code) if option not in anywhere]
    for command, text in reference.chapters.items():
        for code in code_in(text):
            meant = command_of(code, plumb.commands) or command
            complaints += [f"plumb {meant} has no {option}: `{code}`" for option in OPTION.findall(code)
                           if option not in plumb.commands.get(meant, {}) | dict.fromkeys(EVERYWHERE)]
    complain(complaints)


def command_lines_in_documents_have_options_that_exist(plumb, _):
    complaints, lines = [], 0
    for path in DOCUMENTS:
        for code in code_in(path.read_text()):
            command = command_of(code, plumb.commands)
            if not command or "plumb" not in code:
                continue
            lines += 1
            options = OPTION.findall(code.partition("#")[0])
            complaints += [f"{path.relative_to(REPOSITORY)}: plumb {command} has no {option}: `{code}`"
                           for option in options if option not in plumb.commands[command] | dict.fromkeys(EVERYWHERE)]
    assert lines > 40, f"only {lines} command lines found"
    complain(complaints)


CHECKS = [the_same_commands_are_documented, the_same_options_are_documented, defaults_are_those_of_the_help,
          placeholders_and_choices_are_those_of_the_help, exit_codes_are_those_of_the_help,
          options_that_the_reference_names_exist, command_lines_in_documents_have_options_that_exist]

if __name__ == "__main__":
    sys.exit(main(CHECKS, Program))
