#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the comments of C++, C, OpenCL C and LLVM IR files by what CONTRIBUTING.md asks of their words: a comment begins with its
subject, and names the pass, thread or caller that it is about.

usage: comments.py FOLDER..."""

import pathlib
import re
import sys

ENDINGS = {".cpp", ".hpp", ".def", ".h", ".c", ".cl", ".ll"}
FIRST = re.compile(r"(Of|That|The same|Likewise|Where)\b(?!')")
PERSON = re.compile(r"\b(nobody|somebody|anybody|whoever|someone|anyone)\b", re.I)
COMMENT = re.compile(r"(?:^|\s)//+<?\s*(.*)$")
# IR: comments on lines of their own, without those for lit and FileCheck.
COMMENT_OF_IR = re.compile(r"^;+\s*(?![A-Z][A-Z0-9_-]*:)(.*)$")

problems = []
files = 0
for path in sorted(file for folder in sys.argv[1:] for file in pathlib.Path(folder).rglob("*")):
    if path.suffix not in ENDINGS:
        continue
    files += 1
    goes_on = False  # whether the line above is a comment of its own line, too
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = (COMMENT_OF_IR if path.suffix == ".ll" else COMMENT).search(line)
        if not found or '"' in line[: found.start()] and line[: found.start()].count('"') % 2:
            goes_on = False
            continue
        text = found.group(1)
        if text.startswith("SPDX-"):
            goes_on = False
            continue
        if not goes_on and FIRST.match(text):
            problems.append(f"{path}:{number}: begins with '{FIRST.match(text).group(1)}': {text}")
        if PERSON.search(text):
            problems.append(f"{path}:{number}: '{PERSON.search(text).group(1)}' is no pass, thread or caller: {text}")
        goes_on = not line[: found.start()].strip()

print("\n".join(problems))
print(f"{files} files, {len(problems)} comments to be written anew")
sys.exit(1 if problems or files == 0 else 0)
