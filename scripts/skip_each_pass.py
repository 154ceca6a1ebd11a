#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command once for each pass of the compiler that may be left out, without that pass: results must not depend on
any of them. As many run at once as there are processors.

usage: skip_each_pass.py CLOTHO_OPT [--like REGEX] -- COMMAND..."""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("opt", help="the command clotho-opt, which knows the passes")
    parser.add_argument("--like", default=".", help="only passes whose name matches")
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    names = subprocess.run([arguments.opt, "--list-skippable"], check=True, capture_output=True, text=True).stdout.split()
    names = [name for name in names if re.search(arguments.like, name)]
    failures = []

    def run(name):
        environment = {**os.environ, "CLOTHO_SKIP_PASSES": name}
        return subprocess.run(arguments.command, env=environment, capture_output=True, text=True)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        for name, done in zip(names, threads.map(run, names)):
            if done.returncode != 0:
                failures.append(name)
                print(f"without {name}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}", flush=True)
    print(f"{len(names)} passes, without {len(failures)} of which the command fails: {' '.join(failures)}")
    sys.exit(1 if failures or len(names) < 2 else 0)


main()
