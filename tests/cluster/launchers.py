#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks nodes that a launcher has started: they join each other and pass messages, `clotho cluster` starts the program once, the
others end with it, and its status is the command's.

usage: launchers.py openmpi|mpich|slurm CLOTHO MESH_PROCESS
"""

import os
import shutil
import subprocess
import sys
import time

kind, clotho, mesh_process = sys.argv[1:]
COMMANDS = {
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "-n"],
    "mpich": ["mpirun.mpich", "-n"],
    "slurm": ["srun", "--overcommit", "--mpi=pmi2", "-n"],
}
launcher = COMMANDS[kind]
environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
if not shutil.which(launcher[0]):
    print(f"there is no {launcher[0]}")
    sys.exit(77)
if kind == "slurm" and subprocess.run(["sinfo", "-h"], capture_output=True, timeout=30).returncode != 0:
    print("slurm does not run here")
    sys.exit(77)
faults = []


def run(count, *program, **options):
    return subprocess.run([*launcher, str(count), *program], capture_output=True, text=True, timeout=60, env=environment, **options)


def expect(holds, what):
    if not holds:
        faults.append(what)


for count in (2, 4):
    result = run(count, mesh_process, "ranks")
    lines = sorted(result.stdout.split("\n")[:-1])
    expect(result.returncode == 0 and lines == [f"rank {rank} of {count} heard {count - 1}" for rank in range(count)],
           f"{count} nodes: {result.returncode} {result.stdout} {result.stderr}")
for count in (1, 2, 4):
    result = run(count, clotho, "cluster", "--", "sh", "-c", "echo started; cat", input="what is read")
    expect(result.returncode == 0 and result.stdout == "started\nwhat is read", f"{count} nodes: {result}")
expect(run(2, clotho, "cluster", "--", "sh", "-c", "exit 7").returncode == 7, "the exit status is lost")
# Nodes that end with the program are not lost.
quiet = subprocess.run([*launcher, "4", clotho, "cluster", "--", "true"], capture_output=True, text=True, timeout=60,
                       env=environment | {"CLOTHO_LOG": "device=info"})
expect(quiet.returncode == 0 and "is gone" not in quiet.stderr, f"nodes that end: {quiet}")
# The program belongs to no job, so that it may be one with MPI of its own.
names = run(2, clotho, "cluster", "--", "sh", "-c", "env | grep -c '^PMI' ; echo $CLOTHO_CLUSTER").stdout.split()
expect(len(names) == 2 and names[0] == "0" and names[1].startswith("local:"), f"the program's environment: {names}")

# Without a way to tell each other where they are, they would be as many programs.
if kind == "slurm":
    alone = subprocess.run(["srun", "--overcommit", "--mpi=none", "-n", "2", clotho, "cluster", "--", "true"], capture_output=True, text=True,
                           timeout=60, env=environment)
    expect(alone.returncode != 0 and "--mpi=pmi2" in alone.stderr, f"srun --mpi=none: {alone}")

# A node that cannot use its network keeps no other one waiting.
node = os.path.join(os.path.dirname(clotho), "clotho-node")
script = 'case ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} in 1) with="--interface nonesuch";; esac; exec ' + node + " $with run true"
begin = time.monotonic()
result = run(3, "sh", "-c", script)
expect(result.returncode != 0 and "there is no interface nonesuch" in result.stderr and time.monotonic() - begin < 8,
       f"a node without its network: {result}, after {time.monotonic() - begin} s")

# Nodes do not outlive the program.
marker = f"clotho-launcher-test-{os.getpid()}"
run(2, clotho, "cluster", "--devices", "cpu", "--", "sh", "-c", f": {marker}")
end = time.monotonic() + 5


def left():
    found = subprocess.run(["pgrep", "-f", marker], capture_output=True, text=True).stdout.split()
    return [process for process in found if process != str(os.getpid())]


while left() and time.monotonic() < end:
    time.sleep(0.1)
expect(not left(), "nodes go on without the program")

for fault in faults:
    print(fault)
sys.exit(1 if faults else 0)
