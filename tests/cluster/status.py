#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks `clotho cluster --status` behind a program that has worked on two other nodes.

usage: status.py SEVERAL_NODES CLOTHO TESTS
"""

import re
import subprocess
import sys

several, clotho, tests = sys.argv[1:]
faults = []
script = f"{tests} --gtest_filter=PeerTest.BytesPassTheProgramsNodeBy >/dev/null && exec {clotho} cluster --status"
shown = subprocess.run([several, "--nodes", "3", "sh", "-c", script], check=True, stdout=subprocess.PIPE, text=True).stdout
lines = shown.splitlines()
nodes = [line.split() for line in lines[1:] if not line.startswith(" ")]
devices = [line.split() for line in lines[1:] if line.startswith(" ")]
if len(nodes) != 3 or [node[0] for node in nodes[1:]] != ["host1", "host2"]:
    faults.append("other nodes than there are")
if len(devices) != 2 or any(int(device[-2]) != 0 or int(device[-1]) < 5 for device in devices):
    faults.append("other devices than there are, or other commands than they were sent")
if not all(re.search(r"\d MiB +\d+ MiB$|\d{4} KiB +\d{4,} KiB$", line) for line in lines if line.startswith("host")):
    faults.append("other bytes than the nodes have sent to each other")
alone = subprocess.run([clotho, "cluster", "--status"], capture_output=True, text=True)
if alone.returncode != 1 or "name services" not in alone.stderr:
    faults.append("a status without a cluster")
for fault in faults:
    print(fault)
if faults:
    print(shown)
sys.exit(1 if faults else 0)
