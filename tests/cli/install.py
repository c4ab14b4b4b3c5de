#!/usr/bin/env python3
"""make install, and what it installs: the program with its solvers, manual pages, completions of shells.

    tests/cli/install.py --plumb build/release/plumb [CHECK ...]

The program must have been built: nothing is built here. Closing line: `N passed, N failed, N skipped`.
"""

import pathlib
import re
import shutil
import subprocess
import sys

from checks import Skipped, main
from example import DATA, NETWORK, REPOSITORY, Program


def make(*arguments):
    done = subprocess.run(["make", "-o", "build", *arguments], cwd=REPOSITORY, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done
    return done


def installed(plumb, folder):
    if pathlib.Path(plumb.path).resolve() != REPOSITORY / "build/release/plumb":
        raise Skipped("make install installs build/release")
    make("install", f"PREFIX={folder / 'prefix'}")
    return folder / "prefix"


def commands_of(plumb):
    return re.findall(r"^  ([a-z]+) ", plumb.run("--help").stdout.partition("Subcommands:")[2], re.MULTILINE)


def run(program, *arguments, **how):
    return subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True, timeout=120, **how)


def the_installed_program_runs_anywhere_with_its_own_solvers(plumb, folder):
    prefix = installed(plumb, folder)
    for name in ("plumb_highs.so", "libhighs.so"):
        assert (prefix / "lib/plumb" / name).exists(), name
    moved = folder / "elsewhere"
    prefix.rename(moved)  # nothing may depend on the place
    done = run(moved / "bin/plumb", "verify", NETWORK, "--data", DATA, "--sample", 7, "--eps", 0.09, "--engine", "milp",
               "--tighten", "interval", cwd="/")
    assert done.returncode == 0 and "linear program (rigorous)" in done.stdout, done
    solvers = run(moved / "bin/plumb", "solvers", cwd="/")
    assert solvers.returncode == 0 and "highs" in solvers.stdout and "not beside the program" not in solvers.stdout, solvers
    loaded = subprocess.run(["ldd", moved / "lib/plumb/plumb_highs.so"], capture_output=True, text=True).stdout
    assert f"libhighs.so => {moved / 'lib/plumb'}" in loaded and str(REPOSITORY) not in loaded, loaded
    assert (moved / "share/doc/plumb/LICENSE").read_text() == (REPOSITORY / "LICENSE").read_text()


def uninstall_removes_everything_and_nothing_else(plumb, folder):
    if pathlib.Path(plumb.path).resolve() != REPOSITORY / "build/release/plumb":
        raise Skipped("make install installs build/release")
    root, prefix = folder / "root", "/opt/tools"
    (root / "opt/tools/bin").mkdir(parents=True)
    (root / "opt/tools/bin/other").write_text("mine")
    make("install", f"DESTDIR={root}", f"PREFIX={prefix}")
    assert (root / "opt/tools/bin/plumb").exists() and not (folder / "opt").exists()
    make("uninstall", f"DESTDIR={root}", f"PREFIX={prefix}")
    assert [path for path in root.rglob("*") if not path.is_dir()] == [root / "opt/tools/bin/other"]


def every_command_has_a_manual_page_with_its_options(plumb, folder):
    done = plumb.run("--generate", "all", folder)
    assert done.returncode == 0, done
    pages = folder / "man/man1"
    commands = commands_of(plumb)
    assert sorted(page.name for page in pages.iterdir()) == sorted(["plumb.1", *(f"plumb-{c}.1" for c in commands)])
    groff = shutil.which("groff")
    for command in commands:
        page = pages / f"plumb-{command}.1"
        assert page.read_text() == plumb.run("--generate", "man", command).stdout
        text = page.read_text().replace("\\-", "-")
        help_text = plumb.run(command, "--help").stdout
        for option in re.findall(r"^  (?:-\w,)?(--[\w-]+)", help_text, re.MULTILINE):
            assert f"\\fB{option}\\fR" in text, (command, option)
        for example in re.findall(r"Example: (plumb .*)", help_text):
            assert f"    {example}\n" in text, (command, example)
    for page in pages.iterdir():
        if groff:
            shown = subprocess.run([groff, "-ww", "-man", "-Tascii", "-P-cbou", page], capture_output=True, text=True)
            assert shown.returncode == 0 and not shown.stderr and "SYNOPSIS" in shown.stdout, (page, shown.stderr)


def bash_offers(script, *words):
    """What bash offers for the last of the words."""
    quoted = " ".join(f"'{word}'" for word in words)
    done = subprocess.run(["bash", "-c", f"source {script}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _plumb; "
                           "printf '%s\\n' \"${COMPREPLY[@]}\""], capture_output=True, text=True, timeout=60, cwd=REPOSITORY)
    assert done.returncode == 0 and not done.stderr, done
    return done.stdout.split()


def bash_completes_commands_options_choices_and_files(plumb, folder):
    script = folder / "plumb.bash"
    script.write_text(plumb.run("--generate", "bash").stdout)
    assert bash_offers(script, "plumb", "ver") == ["verify"]
    assert set(commands_of(plumb)) < set(bash_offers(script, "plumb", ""))
    assert bash_offers(script, "plumb", "help", "acc") == ["accuracy"]
    assert bash_offers(script, "plumb", "verify", "net.onnx", "--eps-") == ["--eps-scale"]
    assert bash_offers(script, "plumb", "verify", "net.onnx", "--norm", "") == ["linf", "l1", "l2"]
    assert bash_offers(script, "plumb", "verify", "net.onnx", "--norm", "=", "li") == ["linf"]
    assert bash_offers(script, "plumb", "verify", "examples/digits/dig") == ["examples/digits/digits.onnx"]
    assert bash_offers(script, "plumb", "eval", "n", "--data", "mnist", ":", "examples/dig") == ["examples/digits"]
    assert bash_offers(script, "plumb", "verify", "net.onnx", "--timeout", "") == []
    for command in commands_of(plumb):
        options = set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", plumb.run(command, "--help").stdout, re.MULTILINE))
        assert options <= set(bash_offers(script, "plumb", command, "-")), command


def scripts_for_zsh_and_fish_have_every_option(plumb, folder):
    for shell in ("zsh", "fish"):
        script = folder / f"plumb.{shell}"
        script.write_text(plumb.run("--generate", shell).stdout)
        if shutil.which(shell):
            subprocess.run([shell, "-n", script], check=True)
        text = script.read_text()
        for command in commands_of(plumb):
            part = (text.partition(f"\n    {command})\n")[2].partition(";;")[0] if shell == "zsh" else
                    "\n".join(line for line in text.splitlines() if f"from {command}'" in line))
            for option in re.findall(r"^  (?:-\w,)?--([\w-]+)", plumb.run(command, "--help").stdout, re.MULTILINE):
                assert re.search(rf"--{option}=?\[", part) or f"-l {option} " in part, (shell, command, option)
        assert "(linf l1 l2)" in text or "-x -a 'linf l1 l2'" in text, shell


def what_cannot_be_generated_is_refused(plumb, _):
    for arguments in ((), ("fish", "x"), ("man", "verfy"), ("all",), ("csh",)):
        done = plumb.run("--generate", *arguments)
        assert done.returncode == 64 and done.stderr.startswith("plumb: --generate"), done
    assert "--generate" not in plumb.run("--help").stdout


CHECKS = [the_installed_program_runs_anywhere_with_its_own_solvers, uninstall_removes_everything_and_nothing_else,
          every_command_has_a_manual_page_with_its_options, bash_completes_commands_options_choices_and_files,
          scripts_for_zsh_and_fish_have_every_option, what_cannot_be_generated_is_refused]


if __name__ == "__main__":
    sys.exit(main(CHECKS, Program))
