#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A debugger stops on lines of a kernel built with -g, and with -cl-opt-disable shows the variables of each work-item.
Usage: check_gdb.py GDB KERNEL-TESTS"""
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
COMMANDS = [
    "set startup-with-shell off", "set breakpoint pending on", "set pagination off", "set confirm off",
    "set debuginfod enabled off",
    "break variables.cl:14", "run",
    # Behind a barrier: what lives across it, a work-item after the other.
    "backtrace 2", "print id", "print value", "print v", "print other", "print in[3]",
    "continue", "print id", "print value", "print other",
    # Into a function.
    "break twice", "continue", "print x", "next", "print y", "info source",
    "kill",
]
EXPECTED = [
    r"hit Breakpoint 1,", r"the breakpoint's line", r"\$1 = 0", r"\$2 = 7", r"\$3 = \{7, 1\.5, 2\.5, 3\.5\}",
    r"\$4 = 37", r"\$5 = 30", r"hit Breakpoint 1,", r"\$6 = 1", r"\$7 = 17", r"\$8 = 27", r"hit Breakpoint 2,",
    r"\$9 = 17", r"\$10 = 34", r"Current source file is .*variables\.cl",
]


def main():
    gdb, runner = sys.argv[1:]
    command = [gdb, "--batch", "-nx"]
    for text in COMMANDS:
        command += ["-ex", text]
    command += ["--args", runner, str(HERE / "variables.json")]
    # A session of its own: gdb may not take the terminal, nor wait for it.
    result = subprocess.run(command, cwd=HERE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, timeout=100, start_new_session=True, check=False)
    at = 0
    for pattern in EXPECTED:
        found = re.compile(pattern).search(result.stdout, at)
        if not found:
            sys.exit(f"gdb does not say {pattern!r} where it should:\n{result.stdout}")
        at = found.end()


main()
