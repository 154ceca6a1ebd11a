#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks `clotho node`, `clotho cluster --join HOSTS -- PROGRAM` and programs with CLOTHO_CLUSTER=HOSTS: who joins whom, what is
refused, and what becomes of each when another one ends.

usage: services.py CLOTHO TESTS STENCIL
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

clotho, tests, stencil = sys.argv[1:]
faults = []
processes = []
home = tempfile.TemporaryDirectory()
environment = os.environ | {"XDG_CONFIG_HOME": home.name, "CLOTHO_LOG": "error"}
for name in ("CLOTHO_CLUSTER", "CLOTHO_CLUSTER_TOKEN"):
    environment.pop(name, None)
OTHER_TOKEN = environment | {"CLOTHO_CLUSTER_TOKEN": "7" * 64}
token = pathlib.Path(home.name, "clotho", "cluster-token")


def expect(holds, what):
    if not holds:
        faults.append(what)


def start(*words, **options):
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               **{"env": environment, **options})
    processes.append(process)
    return process


def service(*words):
    """A service, and its address."""
    process = start(clotho, "node", "--listen", "localhost:0", *words)
    return process, process.stdout.readline().removeprefix("listens at ").strip()


def run(*words, env=None):
    return subprocess.run(words, capture_output=True, text=True, timeout=60, env=env or environment)


def cluster(hosts, *program, env=None):
    return run(clotho, "cluster", "--join", hosts, "--", *program, env=env)


def listening(process):
    """Addresses at which a process listens, as /proc/net/tcp has them."""
    sockets = set()
    for entry in pathlib.Path(f"/proc/{process.pid}/fd").iterdir():
        if found := re.fullmatch(r"socket:\[(\d+)\]", os.readlink(entry)):
            sockets.add(found.group(1))
    rows = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
    rows += [line.split() for line in pathlib.Path("/proc/net/tcp6").read_text().splitlines()[1:]]
    return [row[1].split(":")[0] for row in rows if row[3] == "0A" and row[9] in sockets]


def others(address):
    """Processes that name the address, other than the service itself."""
    lines = subprocess.run(["pgrep", "-a", "-f", f"join {address}"], capture_output=True, text=True).stdout.splitlines()
    return [line for line in lines if "clotho-node" in line]


def waits_until(condition, seconds=5):
    end = time.monotonic() + seconds
    while not (holds := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return holds


try:
    # The token's file is made with the first service, for the user alone.
    one, first = service()
    two, second = service("--devices", "cpu")
    both = f"{first},{second}"
    expect(token.stat().st_mode & 0o777 == 0o600, "others can read the token")
    expect(listening(one) and all(address == "0100007F" for address in listening(one)), f"listens elsewhere: {listening(one)}")

    # Programs come and go, services stay.
    for status in (0, 7):
        result = cluster(both, "sh", "-c", f"echo $CLOTHO_CLUSTER; exit {status}")
        expect(result.returncode == status and result.stdout.startswith("local:"), f"with both: {result}")
    expect(cluster(f"{first},{first}", "true").returncode == 0, "one service named twice")
    expect(one.poll() is None and two.poll() is None, "a service ends with a program")

    result = cluster(both, tests, "--gtest_filter=ServiceGuestTest.*")
    expect("ready with 3 devices" in result.stdout, f"devices of services: {result}")

    # The nodes of this machine have different names, by the addresses of the services. The program's own has no devices.
    shown = cluster(both, clotho, "cluster", "--status")
    names = [re.split(r"  +", line)[0] for line in shown.stdout.splitlines()[1:] if not line.startswith(" ")]
    host = os.uname().nodename
    expect(names == [f"{host}, the node of this program", host, f"{host}:2"], f"names of nodes: {shown}")

    # A program computes there, whether the command or the driver starts its node, and gets the same bits as here.
    def checksum(*command, **variables):
        result = run(*command, stencil, "256", "256", "10", env=environment | variables)
        return result.stdout.split("checksum")[-1].strip() if result.returncode == 0 else str(result)

    here = checksum()
    for result in (checksum(CLOTHO_DEVICES="node", CLOTHO_CLUSTER=both), checksum(CLOTHO_DEVICES="joint", CLOTHO_CLUSTER=both),
                   checksum(clotho, "cluster", "--join", both, "--", CLOTHO_DEVICES="joint")):
        expect(len(here) == 16 and result == here, f"the stencil: {here} here, {result} there")

    # The status of services, asked for in three ways.
    def status(*words, **variables):
        return run(clotho, "cluster", "--status", *words, env=environment | variables)

    for result in (status(both), status(CLOTHO_CLUSTER=both), cluster(first, clotho, "cluster", "--status", both)):
        nodes = [line for line in result.stdout.splitlines()[1:] if not line.startswith(" ")]
        devices = [line.split() for line in result.stdout.splitlines()[1:] if line.startswith(" ")]
        expect(result.returncode == 0 and len(nodes) == 2 and len(devices) == 2, f"the status of services: {result}")
        expect(all(int(device[-1]) > 10 and device[-2] == "0" for device in devices), f"the counts of services: {result}")
    result = cluster(first, clotho, "cluster", "--status")
    expect(result.returncode == 0 and len(result.stdout.splitlines()) == 4, f"the status of a program: {result}")
    result = status(f"{first},no-such-host.invalid:1")
    expect(result.returncode == 1 and "no-such-host.invalid is not known" in result.stderr and len(result.stdout.splitlines()) == 3,
           f"the status where a service is missing: {result}")
    result = status("no-such-host.invalid:1")
    expect(result.returncode == 1 and result.stdout == "" and "is not known" in result.stderr, f"the status of no service: {result}")
    result = status(first, CLOTHO_CLUSTER_TOKEN="7" * 64)
    expect(result.returncode == 1 and "it has another token" in result.stderr, f"the status without the token: {result}")

    # What cannot be joined is said, and the program does not run.
    gone, third = service()
    gone.send_signal(signal.SIGTERM)
    expect(gone.wait(timeout=10) == 0, "a service does not end by SIGTERM")
    for hosts, why in ((f"{first},{third}", f"the node at {third} cannot be joined: Connection refused"),
                       ("no list", "'no list' is no list of HOST:PORT"),
                       ("no-such-host.invalid:1", "no-such-host.invalid is not known")):
        result = cluster(hosts, "echo", "started")
        expect(result.returncode == 1 and result.stdout == "" and why in result.stderr, f"{hosts}: {result}")
    result = cluster(first, "echo", "started", env=OTHER_TOKEN)
    expect(result.returncode == 1 and "it has another token" in result.stderr, f"another token: {result}")
    result = cluster(first, "echo", "started", env=environment | {"CLOTHO_CLUSTER_TRANSPORT": "ucx"})
    expect(result.returncode == 0 and result.stdout == "started\n", f"UCX on one side alone: {result}")
    token.chmod(0o644)
    result = cluster(first, "echo", "started")
    expect(result.returncode == 1 and "other users can read it" in result.stderr, f"a token that others can read: {result}")
    expect(run(clotho, "node", "--listen", "localhost:0").returncode == 1, "a service with a token that others can read")
    token.chmod(0o600)
    for words, why in ((("--listen", "192.0.2.1:0"), "192.0.2.1 is no address of this machine"),
                       (("--interface", "no-such-net"), "there is no interface no-such-net"),
                       (("--listen", "127.0.0.1:0", "--interface", "no-such-net"), "127.0.0.1 is no address of no-such-net"),
                       (("--listen", first), "Address already in use"), (("--listen", "::1"), "'::1' is not HOST:PORT")):
        result = run(clotho, "node", *words)
        expect(result.returncode == 1 and why in result.stderr, f"{words}: {result}")

    # A program that names services has a node of its own, which ends with it.
    guest = start(tests, "--gtest_filter=ServiceGuestTest.*", env=environment | {"CLOTHO_CLUSTER": both, "CLOTHO_TEST_GUEST": "1"})
    expect(waits_until(lambda: "ready with 3 devices" in guest.stdout.readline()), "the program lacks devices of services")
    expect(len(others(both)) == 1, f"the program's node: {others(both)}")
    guest.stdin.close()
    expect(guest.wait(timeout=20) == 0, f"the program fails: {guest.stderr.read()}")
    expect(waits_until(lambda: not others(both)), "the program's node goes on without it")
    for env, why, count in ((OTHER_TOKEN | {"CLOTHO_CLUSTER": first}, "it has another token", 1),
                            (environment | {"CLOTHO_CLUSTER": f"{first},{third}"}, "Connection refused", 2)):
        result = run(tests, "--gtest_filter=ServiceGuestTest.*", env=env)
        expect(result.returncode == 0 and why in result.stderr and f"ready with {count} devices" in result.stdout, f"the log: {result}")

    # A killed node of a program, or a killed service, costs the others nothing.
    program = start(clotho, "cluster", "--join", both, "--", "sh", "-c", "echo started; cat")
    expect(program.stdout.readline() == "started\n", "the program does not start")
    program.kill()
    expect(cluster(both, "true").returncode == 0, "services do not get over a killed node")
    program = start(clotho, "cluster", "--join", both, "--", "sh", "-c", "echo started; cat; exit 5")
    expect(program.stdout.readline() == "started\n", "the program does not start")
    two.kill()
    time.sleep(0.3)
    # At the same address as before, it is a node like any.
    again = start(clotho, "node", "--listen", second)
    expect(again.stdout.readline() == f"listens at {second}\n", f"a service that comes back: {again.poll()}")
    for _ in range(3):
        result = cluster(both, "true")
        expect(result.returncode == 0, f"a service that comes back is refused: {result}")
    expect(checksum(CLOTHO_DEVICES="joint", CLOTHO_CLUSTER=both) == here, "a service that comes back does not work")
    program.stdin.close()
    expect(program.wait(timeout=10) == 5, "a program ends with a service")
    expect(cluster(first, "true").returncode == 0, "a service does not get over a killed one")
    one.send_signal(signal.SIGINT)
    expect(one.wait(timeout=10) == 0, "a service does not end by SIGINT")
finally:
    for process in processes:
        process.kill()
        process.wait()

for fault in faults:
    print(fault)
sys.exit(1 if faults else 0)
