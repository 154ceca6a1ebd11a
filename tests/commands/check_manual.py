#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the manual page and the completion of the clotho tool have what its --help has, and nothing else; that
what the page says of the environment is so; and that man takes the page. usage: check_manual.py <clotho> <folder of the tool>"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TOOL, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
problems = []


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options)


def words(command):
    """Subcommands, options and values that --help lists after `clotho <command>`; each with the values it may have."""
    text = run(TOOL, *command, "--help").stdout
    parts = text.split("Subcommands:")
    options = {}
    for line in re.findall(r"^  (-[^\n]*)", parts[0], re.M):
        values = re.search(r":\{([^}]*)\}", line)
        for option in re.findall(r"(?<![\w-])--?[a-z][\w-]*", line.split("  ")[0].split(" ")[0]):
            options[option] = values.group(1).split(",") if values else []
    commands = re.findall(r"^  ([a-z][\w-]*)", parts[1], re.M) if len(parts) > 1 else []
    return commands, options


def check_page(commands, options):
    page = (FOLDER / "clotho.1").read_text(encoding="utf-8").replace("\\-", "-")
    body = page.split(".SH OPTIONS", 1)[1].split(".SH ENVIRONMENT", 1)[0]
    documented = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", "\n".join(
        line for line in body.splitlines() if re.match(r"\.B(R|I)? \"?-(-[a-z]|[a-z] \", \" --)", line))))
    for name in sorted(documented ^ set(options)):
        problems.append(f"clotho.1 {'has' if name in documented else 'lacks'} the option {name}")
    described = set(re.findall(r"^\.TP\n\.B ([a-z]+)$", page.split(".SH COMMANDS", 1)[1].split(".SH OPTIONS", 1)[0], re.M))
    for name in sorted(described ^ set(commands)):
        problems.append(f"clotho.1 {'has' if name in described else 'lacks'} the command {name}")
    values = set(re.findall(r"^\.TP\n\.B ([a-z]+)$", body, re.M))
    expected = {value for all_values in options.values() for value in all_values}
    for name in sorted(values ^ expected):
        problems.append(f"clotho.1 {'has' if name in values else 'lacks'} the value {name}")
    if shutil.which("man"):
        shown = subprocess.run(["man", "--warnings", "-l", str(FOLDER / "clotho.1")], capture_output=True, text=True,
                               env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C"}, check=False)
        # Where documentation is not installed, as in small containers, man may be a program that says just that.
        if "minimized" not in shown.stdout and (shown.returncode or shown.stderr or "SYNOPSIS" not in shown.stdout):
            problems.append(f"man does not take clotho.1: {shown.stderr}")


def completions(*line):
    """What bash offers for the last word of a command line."""
    script = """source "$1"; shift
      COMP_WORDS=(clotho "$@"); COMP_CWORD=$#
      eval "_$(complete -p clotho | sed 's/.*-F _\\([a-z]*\\) .*/\\1/')" clotho "${@: -1}" ""
      [ ${#COMPREPLY[@]} = 0 ] || printf '%s\\n' "${COMPREPLY[@]}" """
    result = run("bash", "-u", "-c", script, "bash", str(FOLDER / "completion.bash"), *line)
    if result.stderr:
        problems.append(f"completion of {line}: {result.stderr}")
    return set(result.stdout.split())


def expect(line, expected):
    offered = completions(*line)
    if offered != set(expected):
        problems.append(f"completion of 'clotho {' '.join(line)}' offers {sorted(offered)}, not {sorted(expected)}")


def check_completion(commands, top):
    expect([""], commands + list(top))
    for command in commands:
        expect([command[:1]], [name for name in commands if name.startswith(command[:1])])
        options = words([command])[1]
        expect([command, "-"], options)
        for option, values in options.items():
            if values:
                expect([command, option, ""], values)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("one file.cl", "folder/x"):
            path = pathlib.Path(folder, name)
            path.parent.mkdir(exist_ok=True)
            path.touch()
        for line in (["report", f"{folder}/one"], ["compile", "-o", f"{folder}/one"]):
            if "file.cl" not in completions(*line):
                problems.append(f"completion of {line} offers no files")
        if f"{folder}/folder" not in completions("compile", "--data", f"{folder}/"):
            problems.append("completion of --data offers no folders")


def check_environment():
    source = "kernel void f(global int* a) { a[get_global_id(0)] = 1; }"
    quiet = {name: value for name, value in os.environ.items() if name != "CLOTHO_TIME"}
    command = (TOOL, "compile", "--emit", "asm", "-")
    if "ms" in run(*command, input=source, env=quiet).stderr:
        problems.append("clotho compile tells times unasked")
    told = run(*command, input=source, env={**quiet, "CLOTHO_TIME": "1"}).stderr
    for stage in ("front end", "optimise", "back end"):
        if not re.search(rf"{stage} +[0-9.]+ ms", told):
            problems.append(f"CLOTHO_TIME=1 does not tell the time of the {stage}: {told}")
    if "CLOTHO_TIME" not in (FOLDER / "clotho.1").read_text(encoding="utf-8"):
        problems.append("clotho.1 does not explain CLOTHO_TIME")


top_commands, top_options = words([])
every_option = dict(top_options)
for each in top_commands:
    every_option.update(words([each])[1])
if len(top_commands) < 2 or len(every_option) < 8:
    problems.append(f"--help is not understood: {top_commands} {every_option}")
check_page(top_commands, every_option)
check_completion(top_commands, top_options)
check_environment()
print("\n".join(problems) or f"{len(top_commands)} commands, {len(every_option)} options")
sys.exit(1 if problems else 0)
