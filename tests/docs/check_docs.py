#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the documentation is true where that can be checked: functions that documents name with a file exist in
it, files, folders, tests and links exist, README's table of options is src/base/options.def, README explains every
other variable that is read, the map of src/ has every folder, docs/transformations/ has every pass, and the words are
the field's. Sections whose headings end in "(planned)" may name what does not exist yet.
usage: check_docs.py <repository> [--options]; --options prints the table of options."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
problems = []


def problem(text):
    problems.append(text)


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def documents():
    """Paths of all that is to be read by people, below the repository's root."""
    found = list(ROOT.glob("*.md"))
    for folder in ("docs", "tests", "bench", "src", "examples"):
        found += (ROOT / folder).rglob("*.md")
    return sorted(str(path.relative_to(ROOT)) for path in found)


def present(document):
    """A document's text without the sections of what is planned: such a section ends at the next heading of its level."""
    kept, planned = [], 0
    for line in read(document).splitlines():
        heading = re.match(r"(#+) ", line)
        if heading and planned and len(heading[1]) <= planned:
            planned = 0
        if heading and not planned and line.rstrip().endswith("(planned)"):
            planned = len(heading[1])
        if not planned:
            kept.append(line)
    return "\n".join(kept)


def check_functions(document, least):
    """`Name` (`file`) or `Name` in `file`: the file under src/ defines a function or type of that name."""
    text = " ".join(present(document).split())
    named = re.findall(r"`([A-Za-z_][\w:]*)` (?:\(|in )`([\w/]+\.(?:cpp|hpp|h|S))`", text)
    if len(named) < least:
        problem(f"{document}: only {len(named)} functions with their files")
    for function, file in named:
        path = ROOT / "src" / file
        if not path.is_file():
            problem(f"{document}: src/{file} does not exist")
            continue
        # A definition: a type or qualifier before the name, a parameter list after it, no semicolon at its end.
        definition = rf"(?m)^[^/\n]*[\w>&*:~\s]\b{re.escape(function)}\([^;{{}}]*\)[^;{{}}]*\{{"
        kind = rf"(?m)^ *(?:class|struct|enum|enum class) {re.escape(function)}\b"
        text_of_file = path.read_text(encoding="utf-8")
        if not re.search(definition, text_of_file) and not re.search(kind, text_of_file):
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


def anchors(document):
    """What headings of the document are called in links, as GitHub makes the names."""
    headings = re.findall(r"(?m)^#+ (.+)$", read(document))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_links(document):
    folder = (ROOT / document).parent
    for target, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]+))?\)", read(document)):
        if target.startswith("http"):
            continue
        path = folder / target if target else ROOT / document
        if not path.exists():
            problem(f"{document}: broken link {target}")
        elif anchor and path.suffix == ".md" and anchor not in anchors(path.resolve().relative_to(ROOT.resolve())):
            problem(f"{document}: {target} has no heading for #{anchor}")


FOLDERS = "src|docs|tests|tools|scripts|bench|cmake|examples|abi|api|base|builtins|command|compiler|device|loaderless|runtime"


def check_files(document):
    """Paths and tests that the document names: from the root or from src/; tests of lit by their names alone."""
    text = present(document)
    for name in re.findall(rf"`((?:{FOLDERS})/[\w./-]*\w)/?`", text):
        # Without an extension: a pair of files, or a folder.
        places = [ROOT / name, ROOT / "src" / name, ROOT / f"{name}.cpp", ROOT / "src" / f"{name}.hpp"]
        if not any(place.exists() for place in places):
            problem(f"{document}: {name} does not exist")
    for name in re.findall(r"`(\w+\.ll)`", text):
        if not any((ROOT / "tests/lit").rglob(name)):
            problem(f"{document}: tests/lit has no {name}")


def check_transformations():
    """Each pass but those that lower OpenCL has a place in docs/transformations/, and each page is in the list there."""
    pages = sorted((ROOT / "docs/transformations").glob("*.md"))
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    for header in sorted((ROOT / "src/compiler/transform").rglob("*.hpp")):
        source = header.relative_to(ROOT / "src").with_suffix(".cpp")
        is_pass = "PassInfoMixin" in header.read_text(encoding="utf-8")
        if is_pass and source.parent.name != "lower" and str(source) not in text:
            problem(f"docs/transformations/ does not explain the pass of {source}")
    for page in pages:
        if page.name != "README.md" and f"({page.name})" not in read("docs/transformations/README.md"):
            problem(f"docs/transformations/README.md does not list {page.name}")


# Words of ours that were, and the field's for them.
WORDS = {
    "twins?": "predicated variant",
    "seats?": "worker slot",
    "keeper": "subreaper",
    "obituary": "crash report",
    "lookouts?": "polling waiter",
    "primitives?": "intrinsic",
    "direct kernels?": "local-memory elimination",
    "jam rows": "unroll-and-jam",
    "kept rows": "scalar replacement",
    "past the caches": "non-temporal store",
    "stores streamed|streamed stores?": "non-temporal store",
    "takes? turns": "interleaved work-groups",
    "barrier frame": "context array",
}


def check_words(document):
    prose = re.sub(r"(?ms)^```.*?^```|`[^`]*`", " ", read(document))
    prose = " ".join(prose.split())
    for old, new in WORDS.items():
        if match := re.search(rf"\b(?:{old})\b", prose, re.I):
            around = prose[max(match.start() - 30, 0):match.end() + 30]
            problem(f'{document}: the field says "{new}" where this says "...{around}..."')


# How many functions a document names at least, so that the check is known to find them.
FUNCTIONS = {
    "docs/life-of-a-launch.md": 20,
    "docs/life-of-a-build.md": 30,
    "docs/vectoriser.md": 10,
    "docs/recipes.md": 8,
}

if "--options" in sys.argv:
    print("\n".join(option_rows()))
    sys.exit(0)
for name in documents():
    check_functions(name, FUNCTIONS.get(name, 0))
    check_files(name)
    check_links(name)
    check_words(name)
check_transformations()
check_options()
check_environment()
check_map()
for line in problems:
    print(line)
sys.exit(1 if problems else 0)
