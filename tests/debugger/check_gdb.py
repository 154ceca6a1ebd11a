#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A debugger stops on lines of a kernel built with -g, and with -cl-opt-disable shows the variables of each work-item, or
of all work-items of a vector.
Usage: check_gdb.py GDB KERNEL-TESTS"""
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
START = [
    "set startup-with-shell off", "set breakpoint pending on", "set pagination off", "set confirm off",
    "set debuginfod enabled off",
    "break variables.cl:14", "run",
]
ONE = START + [
    # Behind a barrier: what lives across it, a work-item after the other.
    "backtrace 2", "print id", "print value", "print v", "print other", "print in[3]",
    "continue", "print id", "print value", "print other",
    # Into a function.
    "break twice", "continue", "print x", "next", "print y", "info source",
    "kill",
]
OF_ONE = [
    r"hit Breakpoint 1,", r"the breakpoint's line", r"\$1 = 0", r"\$2 = 7", r"\$3 = \{7, 1\.5, 2\.5, 3\.5\}",
    r"\$4 = 37", r"\$5 = 30", r"hit Breakpoint 1,", r"\$6 = 1", r"\$7 = 17", r"\$8 = 27", r"hit Breakpoint 2,",
    r"\$9 = 17", r"\$10 = 34", r"Current source file is .*variables\.cl",
]
LANES = START + [
    "print id", "print value", "print v[2]", "print other", "print in[1][3]", "break twice", "continue", "print x", "kill",
]
OF_LANES = [
    r"hit Breakpoint 1,", r"\$1 = \{0, 1, 2, 3\}", r"\$2 = \{7, 17, 27, 37\}", r"\$3 = \{27, 1\.5, 2\.5, 3\.5\}",
    r"\$4 = \{37, 27, 17, 7\}", r"\$5 = 30", r"hit Breakpoint 2,", r"\$6 = 7",
]


def check(gdb, runner, commands, expected, width):
    command = [gdb, "--batch", "-nx"]
    for text in commands:
        command += ["-ex", text]
    command += ["--args", runner, str(HERE / "variables.json")]
    # A session of its own: gdb may not take the terminal, nor wait for it.
    result = subprocess.run(command, cwd=HERE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, timeout=100, start_new_session=True, check=False,
                            env=os.environ | {"CLOTHO_WIDTH": str(width)})
    at = 0
    for pattern in expected:
        found = re.compile(pattern).search(result.stdout, at)
        if not found:
            sys.exit(f"at width {width}, gdb does not say {pattern!r} where it should:\n{result.stdout}")
        at = found.end()


check(*sys.argv[1:], ONE, OF_ONE, width=0)
check(*sys.argv[1:], LANES, OF_LANES, width=4)
