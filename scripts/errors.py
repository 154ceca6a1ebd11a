#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares docs/errors.tsv, the table of errors by function, with the tests that it names and, where it is given, with
the text of the OpenCL 2.2 API specification.

usage: errors.py [--table FILE] [--entries FILE] [--tests FOLDER] [--spec FILE] [--skeleton]

--entries: every function of the dispatch table (src/api/entry_points.def) but those of extensions has a row, and no other.
--tests: every test named exists there and has the code in its body, or in a helper of the same file that it calls.
--spec: every error that the text names for a function has a row, and every row not marked as 3.0's is in the text.
--skeleton: prints the text's errors with the columns that the table has so far, `open` where it has none.
Rows that are `open` are mismatches, too."""
import argparse
import collections
import pathlib
import re
import sys

COLUMNS = ["function", "code", "number", "condition", "test"]
# Names of errors; other names that begin with CL_ are values and flags.
CODE = (r"CL_(?:INVALID_\w+|OUT_OF_\w+|DEVICE_NOT_(?:FOUND|AVAILABLE)|COMPILER_NOT_AVAILABLE|LINKER_NOT_AVAILABLE"
        r"|MEM_OBJECT_ALLOCATION_FAILURE|PROFILING_INFO_NOT_AVAILABLE|MEM_COPY_OVERLAP|IMAGE_FORMAT_\w+|\w+_PROGRAM_FAILURE"
        r"|LINK_FAILURE|MAP_FAILURE|MISALIGNED_SUB_BUFFER_OFFSET|EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
        r"|DEVICE_PARTITION_FAILED|KERNEL_ARG_INFO_NOT_AVAILABLE|MAX_SIZE_RESTRICTION_EXCEEDED)")
PROTOTYPE = re.compile(r"(?:cl_\w+|void) *\*? *(cl[A-Z]\w+)\*?(?:\(|$)")
# An error of the list: a paragraph that begins with the code, mostly as a bullet.
ERROR = re.compile(rf"[\s•_]*({CODE})\b(?= |$)")
# Functions that return no error code.
WITHOUT_ERRORS = {"clSVMAlloc", "clSVMFree", "clUnloadCompiler", "clGetExtensionFunctionAddress",
                  "clGetExtensionFunctionAddressForPlatform"}
OF_EXTENSIONS = re.compile(r"(KHR|EXT)$|GL|D3D|DX9")
Row = collections.namedtuple("Row", COLUMNS)


def paragraphs(text):
    """Paragraphs as (first line, whole text on one line); a bullet begins one."""
    lines = []
    for line in text.split("\n"):
        if lines and (not line.strip() or re.match(r"\s*•", line) or PROTOTYPE.match(line)):
            yield lines[0], " ".join(" ".join(lines).split())
            lines = []
        if line.strip():
            lines.append(line)
    if lines:
        yield lines[0], " ".join(" ".join(lines).split())


def errors_of(text):
    """{function: [(code, paragraph), ...]} in the text's order."""
    found = {}
    group, prototype_before = [], False
    for first, whole in paragraphs(text):
        prototype = PROTOTYPE.match(first)
        if prototype:
            # Prototypes with nothing between them share what follows.
            group = [*group, prototype[1]] if prototype_before else [prototype[1]]
            found.setdefault(prototype[1], [])
        elif ERROR.match(whole):
            code = ERROR.match(whole)[1]
            for function in group:
                # "if clEnqueueReadBuffer is called on ..." is no error of clEnqueueWriteBuffer.
                named = re.match(r"if (cl[A-Z]\w+) is called", whole[ERROR.match(whole).end():].strip())
                if not named or named[1] not in group or named[1] == function:
                    found[function].append((code, whole))
        prototype_before = bool(prototype)
    return found


def numbered(errors):
    """{(function, code, number): paragraph}; a code that a function's list has several times is counted."""
    keys = {}
    for function, entries in errors.items():
        counts = collections.Counter()
        for code, paragraph in entries:
            counts[code] += 1
            keys[function, code, str(counts[code])] = paragraph
    return keys


def read_table(path, problems):
    rows = {}
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    if not lines or lines[0].split("\t") != COLUMNS:
        problems.append(f"{path.name}: the first line is not the names of the columns")
    for line in lines[1:]:
        fields = line.split("\t")
        if len(fields) != len(COLUMNS) or not all(fields):
            problems.append(f"{path.name}: not {len(COLUMNS)} fields: {line}")
            continue
        row = Row(*fields)
        if (row.function, row.code, row.number) in rows:
            problems.append(f"{path.name}: twice: {' '.join(row[:3])}")
        if not re.fullmatch(CODE, row.code):
            problems.append(f"{path.name}: no error: {row.code}")
        if not re.fullmatch(r"((1\.x|3\.[01])/)?[1-9]\d*", row.number):
            problems.append(f"{path.name}: neither a number nor one of another version: {' '.join(row[:3])}")
        rows[row.function, row.code, row.number] = row
    return rows


def closed(text, start, pair):
    """The index after the bracket that closes the first one of `pair` at or after `start`; those in strings come in
    pairs, too."""
    depth = 0
    for i in range(text.index(pair[0], start), len(text)):
        depth += (text[i] == pair[0]) - (text[i] == pair[1])
        if depth == 0:
            return i + 1
    return len(text)


def functions_in(text):
    """{name: text} of the functions and members that `text` defines; of several with one name, all."""
    found = {}
    for match in re.finditer(r"(?m)^ *[\w:<>*&]+ [\w:<>*& ]*?(\w+)\(", text):
        end = closed(text, match.end() - 1, "()")
        if match[1] not in ("if", "for", "while", "switch") and re.match(r"( const| override)* \{", text[end:end + 20]):
            found[match[1]] = found.get(match[1], "") + text[match.start():closed(text, end, "{}")]
    return found


def read_tests(folder):
    """{Suite.Name: its body with the helpers of its file, and of the fixture, that it calls}"""
    tests, shared = {}, {}
    files = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.cpp"))}
    for path, text in files.items():
        if path.name == "fixture.cpp":
            shared["checkInfoProtocol"] = functions_in(text).get("checkInfoProtocol", "")
    for text in files.values():
        helpers = {**shared, **functions_in(text)}
        for match in re.finditer(r"(?m)^TEST(?:_F|_P)?\((\w+), (\w+)\) \{", text):
            whole, added = "", text[match.start():closed(text, match.start(), "{}")]
            waiting = dict(helpers)
            while added:
                whole += added
                called = [name for name in waiting if re.search(rf"\b{name}\(", added)]
                added = "".join(waiting.pop(name) for name in called)
            tests[f"{match[1]}.{match[2]}"] = whole
    return tests


def compare_with_tests(rows, tests, problems):
    for row in rows.values():
        if row.test == "open" or re.match(r"(cannot|later): \S", row.test):
            continue
        where = " ".join(row[:3])
        names = row.test.split(", ")
        absent = [name for name in names if name not in tests]
        for name in absent:
            problems.append(f"{where}: there is no test {name}")
        bodies = "\n".join(tests[name] for name in names if name not in absent)
        if absent or not bodies:
            continue
        for word in (row.function, row.code):
            if not re.search(rf"\b{word}\b", bodies):
                problems.append(f"{where}: {row.test} does not name {word}")


def compare_with_entries(rows, path, problems):
    entries = set(re.findall(r"(?m)^(?:OPAQUE_|NEWER_)?ENTRY\((\w+)\)", path.read_text(encoding="utf-8")))
    functions = {row.function for row in rows.values()}
    for function in functions - entries:
        problems.append(f"{function}: not in {path.name}")
    for function in entries - functions - WITHOUT_ERRORS:
        if not OF_EXTENSIONS.search(function):
            problems.append(f"{function}: no row")


def compare_with_spec(rows, keys, problems):
    for key in keys.keys() - rows.keys():
        problems.append(f"{' '.join(key)}: in the specification, not in the table")
    for key in rows.keys() - keys.keys():
        if "/" not in key[2]:
            problems.append(f"{' '.join(key)}: in the table, not in the specification")


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description="docs/errors.tsv against the specification and the tests")
    parser.add_argument("--table", type=pathlib.Path, default=root / "docs/errors.tsv")
    parser.add_argument("--entries", type=pathlib.Path)
    parser.add_argument("--tests", type=pathlib.Path)
    parser.add_argument("--spec", type=pathlib.Path)
    parser.add_argument("--skeleton", action="store_true")
    options = parser.parse_args()
    problems = []
    rows = read_table(options.table, problems) if options.table.is_file() or not options.skeleton else {}
    keys = {}
    if options.spec:
        keys = numbered(errors_of(options.spec.read_text(encoding="utf-8")))
        if len(keys) < 500:
            sys.exit(f"{options.spec}: only {len(keys)} errors found: not the text of the specification")
    if options.skeleton:
        print("\t".join(COLUMNS))
        for key in [*keys, *(key for key in rows if key not in keys)]:
            print("\t".join(rows.get(key, Row(*key, "?", "open"))))
        return
    if options.spec:
        compare_with_spec(rows, keys, problems)
    if options.entries:
        compare_with_entries(rows, options.entries, problems)
    if options.tests:
        compare_with_tests(rows, read_tests(options.tests), problems)
    problems += [f"{' '.join(row[:4])}: open" for row in rows.values() if row.test == "open"]
    for line in sorted(problems):
        print(line)
    kinds = collections.Counter(re.match(r"(cannot|later|open)\b|", row.test)[0] or "tested" for row in rows.values())
    counts = ", ".join(f"{kinds[kind]} {kind}" for kind in ("tested", "cannot", "later", "open"))
    print(f"{len(rows)} rows: {counts}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
