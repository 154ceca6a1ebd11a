#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that processes begin with the code that earlier ones have found best.

usage: tuned.py TESTS CLOTHO FOLDER     (TESTS has the suite TunedTest; FOLDER is this test's own, for builds)
"""

import glob
import os
import shutil
import subprocess
import sys

TESTS, CLOTHO, FOLDER = sys.argv[1:]
TRIAL, WIDTH, KNOWN = "is on trial", "against", "as earlier processes have found best"


def run(test, **options):
    environment = dict(os.environ, CLOTHO_CACHE_DIR=FOLDER, CLOTHO_LOG="runtime=info,cache=info", **options)
    done = subprocess.run([TESTS, "--gtest_filter=TunedTest." + test], env=environment, text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"{test} {options}: {done.stdout}{done.stderr}")
    return done.stderr


def tuned(*options):
    environment = dict(os.environ, CLOTHO_CACHE_DIR=FOLDER)
    return subprocess.run([CLOTHO, "tuned", *options], env=environment, text=True, capture_output=True, check=True).stdout


def records():
    return glob.glob(FOLDER + "/*.tuned")


def expect(condition, what, text):
    if not condition:
        sys.exit(f"{what}:\n{text}")


shutil.rmtree(FOLDER, ignore_errors=True)
run("RunsForAMoment")  # builds what is not to be waited for, however busy the machine is
tuned("--clear")
log = run("RunsUntilItIsKnown")
expect(TRIAL in log and "'local=64x1x1'" in log, "the version is on trial", log)
expect(" launches): adopted" in log or " launches): dropped" in log, "a trial is decided, with its figures", log)
listed = tuned()
expect("kernel 'k'" in listed and "local=64x1x1" in listed, "the record is listed", listed)
expect(len(records()) == 1, "there is one record", records())

log = run("RunsForAMoment")
expect(KNOWN in log and TRIAL not in log, "a second process begins with what is known", log)
expect("width not known yet" in listed or WIDTH not in log, "and looks for no other width, if the best is known", log)

with open(records()[0], "rb") as file:
    good = file.read()
for name, damaged in (
    ("cut off", good[: len(good) // 2]),
    ("changed", good[:-1] + bytes([good[-1] ^ 1])),
    ("of another program", good[:12] + bytes([good[12] ^ 1]) + good[13:]),
    ("of another format", good[:8] + bytes([good[8] ^ 1]) + good[9:]),
    ("empty", b""),
    ("something else", b"x" * 5000),
):
    path = records()[0]
    with open(path, "wb") as file:
        file.write(damaged)
    log = run("RunsForAMoment")
    expect(KNOWN not in log and TRIAL in log, f"a record that is {name} does not count", log)
    with open(path, "wb") as file:
        file.write(good)

log = run("RunsForAMoment", CLOTHO_CACHE="0")
expect(KNOWN not in log, "without a cache there is no record", log)
log = run("RunsForAMoment", CLOTHO_SPECIALISE="0")
expect("version" not in log and "width" not in log, "CLOTHO_SPECIALISE=0 leaves nothing to chance", log)
with open(records()[0], "rb") as file:
    expect(file.read() == good, "nor does it touch the record", "")

expect("1" in tuned("--clear"), "the record is cleared", "")
expect(not records() and "kernel" not in tuned(), "and gone", records())
expect(KNOWN not in run("RunsForAMoment"), "so that all is tried again", "")
