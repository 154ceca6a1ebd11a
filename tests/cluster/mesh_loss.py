#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that a node that is killed, stopped or cut off is lost to another one within two seconds.

usage: mesh_loss.py killed|stopped|cut MESH_PROCESS
"""

import os
import shutil
import signal
import subprocess
import sys
import time

how, program = sys.argv[1:]
LIMIT = 4  # seconds: two are promised, where no other tests keep the machine busy
environment = os.environ | {"CLOTHO_CLUSTER_TOKEN": "7" * 64}
inside = outside = []
host = "127.0.0.1"
name = f"clotho{os.getpid() % 10000}"


def ip(*words):
    return subprocess.run(["ip", *words], capture_output=True, text=True)


def make_wire():
    """Two network namespaces with a wire between them."""
    made = ip("netns", "add", name + "a")
    if made.returncode != 0:
        print(f"no network namespaces here: {made.stderr.strip()}")
        sys.exit(77)
    ip("netns", "add", name + "b")
    ip("link", "add", name + "x", "netns", name + "a", "type", "veth", "peer", "name", name + "y", "netns", name + "b")
    for space, end, address in ((name + "a", name + "x", "10.77.0.1/24"), (name + "b", name + "y", "10.77.0.2/24")):
        ip("-n", space, "addr", "add", address, "dev", end)
        ip("-n", space, "link", "set", "lo", "up")
        up = ip("-n", space, "link", "set", end, "up")
        if up.returncode != 0:
            print(f"no wire between network namespaces here: {up.stderr.strip()}")
            sys.exit(77)
    end = time.monotonic() + 5
    while "state UP" not in ip("-n", name + "b", "link", "show", name + "y").stdout and time.monotonic() < end:
        time.sleep(0.05)


def start(prefix, *words):
    return subprocess.Popen([*prefix, program, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


processes = []
try:
    if how == "cut":
        if not shutil.which("ip"):
            print("there is no ip")
            sys.exit(77)
        make_wire()
        inside, outside, host = ["ip", "netns", "exec", name + "b"], ["ip", "netns", "exec", name + "a"], "10.77.0.2"
        environment["UCX_TLS"] = "tcp"  # memory knows no namespaces of networks
    service = start(inside, "listen", host)
    processes.append(service)
    address = service.stdout.readline().strip()
    caller = start(outside, "call", address)
    processes.append(caller)
    said = caller.stdout.readline().strip()
    if said != "joined":
        print(f"at {address}: {said}")
        sys.exit(1)
    begin = time.monotonic()
    if how == "cut":
        ip("-n", name + "a", "link", "set", name + "x", "down")
    else:
        service.send_signal(signal.SIGKILL if how == "killed" else signal.SIGSTOP)
    said = caller.stdout.readline().strip()
    seconds = time.monotonic() - begin
    print(f"{said} after {seconds:.3f} s")
    if said != "lost" or seconds > LIMIT:
        sys.exit(1)
    if caller.wait(timeout=10) != 0:
        print("the other node does not end well")
        sys.exit(1)
finally:
    for process in processes:
        process.kill()
        process.wait()
    if how == "cut":
        for space in ("a", "b"):
            ip("netns", "delete", name + space)
