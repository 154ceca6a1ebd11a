#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs on devices of nodes that mpirun has started on this machine, and that reach each other by its loopback.

usage: on_nodes.py second CLOTHO PROGRAM...   the program's only device is that of a second node; the status is the program's
       on_nodes.py full CLOTHO PROGRAM...     the same, with a second node whose disk is full
       on_nodes.py same CLOTHO PROGRAM...     on one device of 1, 2 and 4 nodes, which splits launches; what the program prints as its
                                              checksum has to be what it prints on the processor
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

how, clotho, *program = sys.argv[1:]
launcher = shutil.which("mpirun.openmpi")
if not launcher:
    print("there is no Open MPI")
    sys.exit(77)
environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
command = [launcher, "--oversubscribe", "--bind-to", "none"]


def node(count, *options):
    return ["-n", str(count), clotho, "cluster", *options, "--", *program]


if how == "second":
    sys.exit(subprocess.run([*command, *node(1, "--devices", "none"), ":", *node(1)], env=environment | {"CLOTHO_DEVICES": "node"},
                            check=False).returncode)


if how == "full":
    folder = tempfile.mkdtemp()
    fill = "mount -t tmpfs -o size=8k none $0 && dd if=/dev/zero of=$0/all bs=1k count=100 2>/dev/null; "
    if subprocess.run(["unshare", "-m", "sh", "-c", fill + "test -s $0/all", folder], check=False).returncode != 0:
        print("no namespace of mounts can be had")
        sys.exit(77)
    there = ["unshare", "-m", "sh", "-c", fill + 'export CLOTHO_CACHE_DIR=$0 TMPDIR=$0; exec "$@"', folder]
    status = subprocess.run([*command, *node(1, "--devices", "none"), ":", "-n", "1", *there, *node(1)[2:]],
                            env=environment | {"CLOTHO_DEVICES": "node"}, check=False).returncode
    os.rmdir(folder)
    sys.exit(status)


def checksum(arguments, **variables):
    result = subprocess.run(arguments, capture_output=True, text=True, timeout=200, env=environment | variables, check=False)
    found = re.search(r"^checksum (\S+)$", result.stdout, re.M)
    if result.returncode != 0 or not found:
        sys.exit(f"{arguments}: {result}")
    return found[1], result.stdout


right, _ = checksum(program)
for count in (1, 2, 4):
    found, said = checksum([*command, *node(count)], CLOTHO_DEVICES="joint")
    if found != right or f"{count} device" not in said:
        sys.exit(f"on {count} nodes, the checksum is {found} instead of {right}:\n{said}")
