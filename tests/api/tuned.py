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
AGAIN = "is tried again"
READ_ONLY = ["unshare", "--mount", "sh", "-c",
             'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"', FOLDER]


def run(test, before=(), **options):
    """What the driver says in a process that runs the test. `before`: a command that runs another one."""
    log = {"CLOTHO_LOG": "runtime=info,cache=info"}
    environment = {**os.environ, "CLOTHO_CACHE_DIR": FOLDER, **log, **options}
    command = [*before, TESTS, "--gtest_filter=" + test]
    done = subprocess.run(command, env=environment, text=True, capture_output=True)
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
run("TunedTest.RunsForAMoment")  # builds what is not to be waited for, however busy the machine is
tuned("--clear")
log = run("TunedTest.RunsUntilItIsKnown")
expect(TRIAL in log and "'local=64x1x1'" in log, "the version is on trial", log)
expect(" launches): adopted" in log or " launches): dropped" in log, "a trial is decided, with its figures", log)
listed = tuned()
expect("kernel 'k'" in listed and "local=64x1x1" in listed, "the record is listed", listed)
expect(len(records()) == 1, "there is one record", records())

log = run("TunedTest.RunsForAMoment")
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
    log = run("TunedTest.RunsForAMoment")
    expect(KNOWN not in log and TRIAL in log, f"a record that is {name} does not count", log)
    with open(path, "wb") as file:
        file.write(good)

# Whatever the record says, each process counts, and one in some begins as if there were none.
for record in ("OneMoreBeforeATryAgain", "SaysThatVersionsLose"):
    run("TunedRecordTest." + record)
    log = run("TunedTest.IsCounted")
    expect(AGAIN not in log, f"{record}: the process before begins with what is known", log)
    log = run("TunedTest.RunsForAMoment")
    expect(AGAIN in log and KNOWN not in log and TRIAL in log, f"{record}: the next one tries again", log)
    expect(AGAIN not in run("TunedTest.IsCounted"), f"{record}: only that one", log)
    with open(path, "wb") as file:
        file.write(good)

# A folder that can be read only.
if subprocess.run([*READ_ONLY, "true"], capture_output=True).returncode == 0:
    run("TunedRecordTest.TryAgainIsNext")
    before = sorted(os.listdir(FOLDER))
    for level in ("warn", "runtime=info,cache=info"):
        log = run("TunedTest.RunsForAMoment", READ_ONLY, CLOTHO_LOG=level)
        expect(level != "warn" or not log, "is no reason to say anything", log)
    expect(KNOWN in log and AGAIN not in log, "has the best code, which is not tried again by each process", log)
    os.remove(path)
    before.remove(os.path.basename(path))
    log = run("TunedTest.RunsForAMoment", READ_ONLY)
    expect(log.count("'local=64x1x1' " + TRIAL) == 1, "versions are tried once in each process", log)
    expect(sorted(os.listdir(FOLDER)) == before, "nothing is written", os.listdir(FOLDER))
    with open(path, "wb") as file:
        file.write(good)
else:
    print("mounting is forbidden here: no folder that can be read only")

log = run("TunedTest.RunsForAMoment", CLOTHO_CACHE="0")
expect(KNOWN not in log, "without a cache there is no record", log)
for specialise in ("0", "2"):
    log = run("TunedTest.RunsForAMoment", CLOTHO_SPECIALISE=specialise)
    expect(TRIAL not in log and "width" not in log and KNOWN not in log, "nothing is left to chance", log)
    expect(specialise == "2" or "version" not in log, "launches run the code that was built first", log)
    with open(path, "rb") as file:
        expect(file.read() == good, "nor is the record written", "")
    with open(path, "wb") as file:
        file.write(b"damaged")
    expect("is damaged" not in run("TunedTest.RunsOnce", CLOTHO_SPECIALISE=specialise), "nor read", "")
    expect("is damaged" in run("TunedTest.RunsOnce"), "as it is without the option", "")
    with open(path, "wb") as file:
        file.write(good)

expect("1" in tuned("--clear"), "the record is cleared", "")
expect(not records() and "kernel" not in tuned(), "and gone", records())
expect(KNOWN not in run("TunedTest.RunsForAMoment"), "so that all is tried again", "")
