#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the trace of a program on two other nodes: each device has tracks for its queue and for what came to its memory.

usage: timeline.py SEVERAL_NODES TESTS FOLDER
"""

import json
import os
import subprocess
import sys

several, tests, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
path = os.path.join(folder, "timeline.json")
if os.path.exists(path):
    os.remove(path)
subprocess.run([several, "--nodes", "3", tests, "--gtest_filter=PeerTest.BytesPassTheProgramsNodeBy"], check=True,
               stdout=subprocess.DEVNULL, env=os.environ | {"CLOTHO_TRACE": path})
with open(path, encoding="utf-8") as file:
    events = json.load(file)
devices = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name" and " on host" in e["args"]["name"]}
tracks = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
faults = []
hosts = sorted(name.rsplit(" on ", 1)[1] for name in devices.values())
if hosts != ["host1", "host2"]:
    faults.append(f"devices of {hosts}")
for pid, name in devices.items():
    blocks = [e for e in events if e["ph"] == "X" and e["pid"] == pid]
    kernels = [e for e in blocks if e["name"] == "add" and tracks[pid, e["tid"]].startswith("queue ")]
    came = [e for e in blocks if e["name"] == "from another device" and tracks[pid, e["tid"]] == "transfers"]
    size = sum(e["args"]["bytes"] for e in came)
    if len(kernels) < 4:
        faults.append(f"{name}: {len(kernels)} kernels")
    if len(came) < 4 or size < 4 << 20:
        faults.append(f"{name}: {len(came)} transfers of {size} bytes")
    if any(e["dur"] <= 0 for e in came):
        faults.append(f"{name}: transfers without a duration")
for fault in faults:
    print(fault)
sys.exit(1 if faults else 0)
