# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs an example on one device, and on one device of 1, 2 and 4: of devices with memories of their own, of those of a node, and of
those of as many nodes. All have to give the same bits.

usage: check_examples.py NODE SEVERAL KERNEL PROGRAM ARGUMENTS...      (SEVERAL: clotho-several-nodes, or none)
"""

import os
import re
import subprocess
import sys

node, several, kernel, program = *sys.argv[1:4], sys.argv[4:]


def run(command, wanted, **environment):
    """The checksum that the example prints, of results that it has compared with plain C++. `wanted`: what the log has to say."""
    ran = subprocess.run(
        command, env={**os.environ, "CLOTHO_LOG": "device=info", **environment}, capture_output=True, text=True, check=False
    )
    found = re.search(r"^checksum ([0-9a-f]{16})$", ran.stdout, re.MULTILINE)
    if ran.returncode != 0 or not found:
        sys.exit(f"{command} failed:\n{ran.stdout}{ran.stderr}")
    if wanted not in ran.stderr:
        sys.exit(f"{command} with {environment}: the log does not say '{wanted}':\n{ran.stderr}")
    return found[1]


def main():
    one = run(program, "")
    for members in (1, 2, 4):
        wanted = f"kernel '{kernel}' runs in {members} parts" if members > 1 else f"kernel '{kernel}' runs whole"
        kinds = {
            "devices": run(program, wanted, CLOTHO_DEVICES="joint", CLOTHO_CPU_DEVICES=",".join(["far"] * members)),
            "devices of a node": run([node, "--devices", f"cpu:{members}", "run", *program], wanted, CLOTHO_DEVICES="joint"),
        }
        if several != "none":
            command = [several, "--nodes", str(members + 1), "--delay", "200", *program]
            kinds["nodes"] = run(command, wanted, CLOTHO_DEVICES="joint")
        for kind, found in kinds.items():
            if found != one:
                sys.exit(f"other results on {members} {kind} than on one: {found} and {one}")
        print(f"{members}: the same results as on one device")


if __name__ == "__main__":
    main()
