# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the bytes that move between the members of a joint device while a stencil runs on it, by the program's trace.

usage: check_bytes.py STENCIL WIDTH HEIGHT STEPS MEMBERS FOLDER
"""

import json
import os
import subprocess
import sys


def main():
    program, width, height, steps, members, folder = sys.argv[1], *map(int, sys.argv[2:6]), sys.argv[6]
    os.makedirs(folder, exist_ok=True)
    trace = os.path.join(folder, f"stencil-{width}x{height}.json")
    log = subprocess.run(
        [program, str(width), str(height), str(steps)],
        env={
            **os.environ,
            "CLOTHO_DEVICES": "joint",
            "CLOTHO_CPU_DEVICES": ",".join(["far"] * members),
            "CLOTHO_TRACE": trace,
            "CLOTHO_LOG": "device=info",
        },
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if log.returncode != 0:
        sys.exit(f"{program} failed:\n{log.stderr}")
    wanted = f"kernel 'step' runs in {members} parts along dimension 1"
    if log.stderr.count("kernel 'step'") != 1 or wanted not in log.stderr:
        sys.exit(f"'{wanted}' is not what the log says once:\n{log.stderr}")

    with open(trace, encoding="utf-8") as file:
        events = json.load(file)
    events = events["traceEvents"] if isinstance(events, dict) else events
    moves = [event for event in events if event.get("name") in ("to the device", "to the host") and "bytes" in event.get("args", {})]
    row, size = 4 * width, 4 * width * height
    # Once to the members, once back, and in each step two rows over each of the boundaries, by way of the host. Rows at
    # boundaries go to both sides at first.
    rows = [event["args"]["bytes"] for event in moves if event["args"]["bytes"] <= row]
    whole = sum(event["args"]["bytes"] for event in moves if event["args"]["bytes"] > row)
    halos = sum(rows)
    most_halos = steps * 2 * (members - 1) * 2 * row
    print(f"{len(moves)} transfers; in and out {whole} bytes of {size}; halos {halos} bytes of at most {most_halos}")
    if not 0 < halos <= most_halos:
        sys.exit("halos are not what moves between steps")
    if whole > 3 * size + 6 * members * row:
        sys.exit("more than the halos moves between steps")


if __name__ == "__main__":
    main()
