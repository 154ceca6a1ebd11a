#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the example of docs/capture.md: each command after a $, whose output has to have the lines that the page shows. Numbers may
differ, and a line of dots stands for any.

usage: check_example.py PAGE PROGRAM CLOTHO FOLDER      (FOLDER is this test's own)
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
    blocks = re.findall(r"^```(?:sh)?\n(.*?)^```$", file.read(), re.M | re.S)


def pattern(line):
    return re.sub(r"\d+(\\\.\d+)?", r"[0-9.]+", re.escape(line.strip()))


def run(command):
    command = command.replace("./program", PROGRAM)
    environment = {**os.environ, "PATH": os.path.dirname(CLOTHO) + ":" + os.environ["PATH"]}
    done = subprocess.run(command, shell=True, cwd=FOLDER, env=environment, text=True, capture_output=True, check=False)
    return done.stdout + done.stderr


ran = 0
for block in blocks:
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
