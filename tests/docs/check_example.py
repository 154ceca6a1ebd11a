#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the examples of a page of docs/: each command after a $, whose output has to have the lines that the page shows. Numbers
may differ, and a line of dots stands for any. Files that the page shows behind a line with their name, as `reduce.cl`:, are
there.

usage: check_example.py PAGE PROGRAM CLOTHO FOLDER      (PROGRAM is what the page calls ./program; FOLDER is this test's own)
"""

import os
import re
import shutil
import subprocess
import sys

PAGE, PROGRAM, CLOTHO, FOLDER = sys.argv[1:]
shutil.rmtree(FOLDER, ignore_errors=True)
os.makedirs(FOLDER)
with open(PAGE, encoding="utf-8") as file:
    TEXT = file.read()
for name, text in re.findall(r"^`([\w.]+)`:\n```\w*\n(.*?)^```$", TEXT, re.M | re.S):
    with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as file:
        file.write(text)


def pattern(line):
    return re.sub(r"\d+(\\\.\d+)?", r"[0-9.]+", re.escape(line.strip()))


def run(command):
    command = command.replace("./program", PROGRAM).replace("python3 ", "/usr/bin/python3 ")
    environment = {**os.environ, "PATH": os.path.dirname(CLOTHO) + ":" + os.environ["PATH"], "PYOPENCL_NO_CACHE": "1"}
    done = subprocess.run(command, shell=True, cwd=FOLDER, env=environment, text=True, capture_output=True, check=False)
    return done.stdout + done.stderr


ran = 0
for language, block in re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.M | re.S):
    if language not in ("", "sh"):
        continue
    if block.startswith("CLOTHO_CAPTURE="):
        run(block)
    for step in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, *expected = step.splitlines()
        said = run(command)
        ran += 1
        lines = [line.strip() for line in said.splitlines()]
        for line in expected:
            if line != "..." and not any(re.fullmatch(pattern(line), each) for each in lines):
                sys.exit(f"'{command}' says\n{said}\nwithout the line\n{line}")
if ran < 3:
    sys.exit(f"only {ran} commands in {PAGE}")
