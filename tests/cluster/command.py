#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks `clotho cluster -- PROGRAM`: the program finds the node, and the command ends with it and with its status.

usage: command.py CLOTHO TESTS
"""

import os
import signal
import subprocess
import sys
import time

clotho, tests = sys.argv[1:]
faults = []


def cluster(*program, **options):
    return subprocess.run([clotho, "cluster", "--", *program], capture_output=True, text=True, timeout=30, **options)


def expect(holds, what):
    if not holds:
        faults.append(what)


for status in (0, 7):
    expect(cluster("sh", "-c", f"exit {status}").returncode == status, f"the exit status {status} is lost")
expect(cluster("sh", "-c", "kill -TERM $$").returncode == 128 + signal.SIGTERM, "the end by a signal is lost")
expect(cluster("sh", "-c", "cat", input="what is read").stdout == "what is read", "standard input is lost")
expect(cluster("/no/such/program").returncode == 127, "a program that is not there")
names = cluster("sh", "-c", "echo $CLOTHO_CLUSTER $CLOTHO_CLUSTER_TOKEN").stdout.split()
expect(len(names) == 2 and names[0].startswith("local:") and len(names[1]) == 64, f"the environment: {names}")
again = cluster("sh", "-c", "echo $CLOTHO_CLUSTER $CLOTHO_CLUSTER_TOKEN").stdout.split()
expect(names[0] != again[0] and names[1] != again[1], "a name or token twice")
found = cluster(tests, "--gtest_filter=NodeGuestTest.*", env=os.environ | {"CLOTHO_DEVICES": "node"})
expect(found.returncode == 128 + signal.SIGKILL, f"the program has no node: {found.stdout}")

# A signal goes to the program, which decides what it means.
asleep = subprocess.Popen([clotho, "cluster", "--", "sh", "-c", "trap 'exit 5' TERM; echo; while :; do sleep 0.05; done"],
                          stdout=subprocess.PIPE)
asleep.stdout.read(1)
time.sleep(0.1)
asleep.send_signal(signal.SIGTERM)
expect(asleep.wait(timeout=20) == 5, "a signal does not reach the program")

# What the caller ignores, the program ignores, and so does the node; and the end of a program is noticed all the same.
def ignoring(*signals):
    return lambda: [signal.signal(each, signal.SIG_IGN) for each in signals]


expect(cluster("sh", "-c", "exit 6", preexec_fn=ignoring(signal.SIGCHLD)).returncode == 6, "ignored ends of children")
expect(cluster("sh", "-c", "kill -HUP $PPID; kill -HUP $$; sleep 0.1; exit 5", preexec_fn=ignoring(signal.SIGHUP)).returncode == 5,
       "an ignored signal ends the program")

for fault in faults:
    print(fault)
sys.exit(1 if faults else 0)
