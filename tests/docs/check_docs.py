#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the documentation is true where that can be checked: functions named in docs/life-of-a-launch.md and
docs/vectoriser.md exist in the files named with them, README's table of options is src/base/options.def, README
explains every other variable that is read, the map of src/ has every folder, links and files named in the documents
exist. usage: check_docs.py <repository> [--options]; --options prints the table of options."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
problems = []


def problem(text):
    problems.append(text)


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def check_functions(document, least):
    """`Name` (`file`) or `Name` in `file`: the file under src/ defines a function of that name."""
    text = " ".join(read(f"docs/{document}").split())
    named = re.findall(r"`([A-Za-z_][\w:]*)` (?:\(|in )`([\w/]+\.(?:cpp|hpp|S))`", text)
    if len(named) < least:
        problem(f"{document}: only {len(named)} functions with their files")
    for function, file in named:
        path = ROOT / "src" / file
        if not path.is_file():
            problem(f"{document}: src/{file} does not exist")
            continue
        # A definition: a type or qualifier before the name, a parameter list after it, no semicolon at its end.
        definition = rf"(?m)^[^/\n]*[\w>&*:~\s]\b{re.escape(function)}\([^;{{}}]*\)[^;{{}}]*\{{"
        if not re.search(definition, path.read_text(encoding="utf-8")):
            problem(f"{document}: src/{file} defines no {function}")
    # Whatever else looks like one of our functions must stand with its file.
    spans = set(re.findall(r"`([A-Za-z_]\w*::[\w:]+)`", text))
    for span in spans - {function for function, _ in named}:
        problem(f"{document}: {span} is named without its file")


def option_rows():
    """The rows that README's table of options should have."""
    rows = []
    for match in re.finditer(r'OPTION\(\w+, (\w+), ("[^"]*"|\w+), "(\w+)", "([^"]*)"\)', read("src/base/options.def")):
        kind, default, name, what = match.groups()
        default = default.strip('"') or "(empty)"
        if kind == "Bool":
            default = {"true": "1", "false": "0"}[default]
        rows.append(f"| `{name}` | {default} | {what} |")
    return rows


def check_options():
    readme = read("README.md")
    rows = option_rows()
    if not rows:
        problem("options.def: no options found")
    for row in rows:
        if row not in readme:
            problem(f"README.md lacks the row: {row}")
    for name in re.findall(r"^\| `(CLOTHO_\w+)` \|", readme, re.M):
        if not any(f"`{name}`" in row for row in rows):
            problem(f"README.md has an option that does not exist: {name}")


def check_environment():
    """Variables that are read elsewhere than by the table of options; what we set for our own processes alone is not for users."""
    readme = read("README.md")
    sources = [path.read_text(encoding="utf-8") for folder in ("src", "tools") for path in (ROOT / folder).rglob("*.?pp")]
    code = "\n".join(sources)
    variables = set(re.findall(r'getenv\("(CLOTHO_\w+)"\)', code))
    if not variables:
        problem("no variable is read: check_environment looks for something else than the code has")
    for name in sorted(variables):
        if f"`{name}" not in readme and f'"{name}=' not in code:
            problem(f"README.md does not explain {name}")


def check_map():
    text = read("src/README.md")
    folders = {str(p.relative_to(ROOT / "src")) for p in (ROOT / "src").rglob("*")
               if p.is_dir() and any(f.suffix in (".cpp", ".hpp", ".cl", ".h") for f in p.iterdir())}
    named = {name.rstrip("/") for name in re.findall(r"`([\w/]+/)`", text)}
    for folder in sorted(folders):
        base = folder.split("/")[-1]
        if folder not in named and base not in named:
            problem(f"src/README.md does not mention {folder}/")
    for name in named:
        if name not in folders and not any(folder.endswith("/" + name) for folder in folders):
            problem(f"src/README.md names {name}/, which does not exist")


def check_links():
    for path in list(ROOT.glob("*.md")) + list((ROOT / "docs").glob("*.md")) + list((ROOT / "tests").rglob("*.md")) + list(
            (ROOT / "bench").glob("*.md")):
        for target in re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8")):
            if not target.startswith("http") and not (path.parent / target).exists():
                problem(f"{path.relative_to(ROOT)}: broken link {target}")
    for path in ("docs/architecture.md", "README.md", "CONTRIBUTING.md"):
        for name in re.findall(r"`((?:src|docs|tests|compiler|device|runtime|api|base)/[\w/]+\.\w+)`", read(path)):
            if not (ROOT / name).exists() and not (ROOT / "src" / name).exists():
                problem(f"{path}: {name} does not exist")


if "--options" in sys.argv:
    print("\n".join(option_rows()))
    sys.exit(0)
check_functions("life-of-a-launch.md", 20)
check_functions("vectoriser.md", 10)
check_options()
check_environment()
check_map()
check_links()
for line in problems:
    print(line)
sys.exit(1 if problems else 0)
