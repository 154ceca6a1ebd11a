#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernel tests with checks (CLOTHO_CHECK): results must be right, and each report true.

usage: check_kernel_tests.py [--write] RUNNER TABLE FILE.json...
RUNNER: clotho-kernel-tests. TABLE: lines of a test, a kernel, the kind of its faults, and why the test has them, with tabs
between; `*` is any kernel. A report that the table does not have is an error.
--write prints the lines that the table lacks, without a reason, instead.
"""
import os
import re
import subprocess
import sys

REPORT = re.compile(r"^clotho: \w+: \S+: runtime error: (.*)\n(?:.*\n){0,3}?  in kernel '(\w+)'", re.M)
# The first that a report has is its kind.
KINDS = ["race", "barrier", "misaligned", "never written", "conversion", "division", "shift", "loop", "texel"]


def kind_of(text):
    return next((kind for kind in KINDS if kind in text), "memory")


def name_of(path):
    folder, file = os.path.split(path)
    return f"{os.path.basename(folder)}/{file.removesuffix('.json')}"


def read_table(path):
    known = {}
    for line in open(path, encoding="utf-8"):
        if not line.startswith("#") and line.strip():
            test, kernel, kind, why = line.rstrip("\n").split("\t")
            known[test, kernel, kind] = why
    return known


def run(runner, path):
    """What is wrong besides reports, and the kernels and kinds of these, each with the first text."""
    environment = dict(os.environ)
    if "/opencl_c_3_1/" in path:
        environment["CLOTHO_OPENCL_VERSION"] = "3.1"
    result = subprocess.run([runner, path], capture_output=True, text=True, errors="replace", env=environment, check=False)
    reports = {}
    for text, kernel in REPORT.findall(result.stdout + result.stderr):
        reports.setdefault((kernel, kind_of(text)), text)
    failed = "\n".join(line for line in result.stdout.splitlines() if "FAILED" in line) if result.returncode else ""
    return failed or ("status " + str(result.returncode) if result.returncode else ""), reports


def main():
    writes = sys.argv[1] == "--write"
    runner, table, *files = sys.argv[2 if writes else 1:]
    known, errors = read_table(table), 0
    for path in files:
        test = name_of(path)
        failed, reports = run(runner, path)
        if failed:
            errors += 1
            print(f"{test}: {failed}", flush=True)
        for (kernel, kind), text in sorted(reports.items()):
            if {(test, name, kind) for name in (kernel, "*")} & known.keys():
                continue
            errors += 1
            print(f"{test}\t{kernel}\t{kind}\t" if writes else f"{test}: kernel {kernel}: {text}", flush=True)
    print(f"{len(files)} tests, {errors} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
