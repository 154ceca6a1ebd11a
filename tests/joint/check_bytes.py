# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the bytes that move between the members of a joint device while examples/stencil runs on it, by the program's trace.

usage: check_bytes.py WIDTH HEIGHT STEPS MEMBERS FOLDER COMMAND...
       COMMAND: runs the example, without its arguments; the environment says which members the device has
"""

import json
import os
import re
import subprocess
import sys


def moved_rows(log, members, height):
    """Rows that may have gone to other members with a boundary, since busy machines do not run all parts equally fast: from
    both plates, by way of the host."""
    shares = [[1000 / members] * members]
    shares += [list(map(int, found.split())) for found in re.findall(r"of a thousand work-items the members now get((?: \d+)+)", log)]
    rows = 0
    for before, after in zip(shares, shares[1:]):
        for boundary in range(1, members):
            moved = abs(sum(after[:boundary]) - sum(before[:boundary])) + members  # rounded
            rows += 2 * 2 * height * moved // 1000
    return rows


def main():
    width, height, steps, members = map(int, sys.argv[1:5])
    folder, command = sys.argv[5], sys.argv[6:]
    os.makedirs(folder, exist_ok=True)
    trace = os.path.join(folder, f"stencil-{width}x{height}-{os.path.basename(command[0])}.json")
    log = subprocess.run(
        [*command, str(width), str(height), str(steps)],
        env={**os.environ, "CLOTHO_TRACE": trace, "CLOTHO_LOG": "device=info"},
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if log.returncode != 0:
        sys.exit(f"{command} failed:\n{log.stderr}")
    wanted = f"kernel 'spread' runs in {members} parts along dimension 1"
    if wanted not in log.stderr or "runs whole" in log.stderr:
        sys.exit(f"'{wanted}' is not what the log says:\n{log.stderr}")

    with open(trace, encoding="utf-8") as file:
        events = json.load(file)
    events = events["traceEvents"] if isinstance(events, dict) else events
    names = ("to the device", "to the host", "from another device")
    moves = [event for event in events if event.get("name") in names and "bytes" in event.get("args", {})]
    row, size = 4 * width, 4 * width * height
    # Once to the members, once back, and in each step two rows over each of the boundaries, by way of the host if they cannot go
    # from member to member. Rows at boundaries go to both sides at first.
    rows = [event["args"]["bytes"] for event in moves if event["args"]["bytes"] <= row]
    whole = sum(event["args"]["bytes"] for event in moves if event["args"]["bytes"] > row)
    halos = sum(rows)
    most_halos = steps * 2 * (members - 1) * 2 * row
    least_halos = 0 if moved_rows(log.stderr, members, height) else (steps - 1) * 2 * (members - 1) * (row - 8)  # without the border
    print(f"{len(moves)} transfers; in and out {whole} bytes of {size}; halos {halos} bytes of at most {most_halos}")
    if not least_halos <= halos <= most_halos:
        sys.exit("halos are not what moves between steps")
    if whole > 3 * size + 6 * members * row + moved_rows(log.stderr, members, height) * row:
        sys.exit(f"more than the halos moves between steps:\n{log.stderr}")


if __name__ == "__main__":
    main()
