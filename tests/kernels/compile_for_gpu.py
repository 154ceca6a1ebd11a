#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the programs of kernel tests and benchmarks compile for a GPU. Their results are those of a device's tests.

usage: compile_for_gpu.py CLOTHO DATA ARCHITECTURE FOLDER..."""

import concurrent.futures
import json
import pathlib
import subprocess
import sys

CLOTHO, DATA, ARCHITECTURE = sys.argv[1:4]
# Options with which the benchmarks build programs that do not compile without.
OPTIONS = {
    "bandwidth": "-DT=float4",
    "peak": "-DT=float4 -DS=float",
    "image_convolution": "-DADDRESSING=CLK_ADDRESS_CLAMP -DFILTER=CLK_FILTER_NEAREST -DNORMALIZED=CLK_NORMALIZED_COORDS_FALSE",
    "image_nearest": "-DADDRESSING=CLK_ADDRESS_CLAMP -DFILTER=CLK_FILTER_NEAREST -DNORMALIZED=CLK_NORMALIZED_COORDS_FALSE",
    "image_resample": "-DADDRESSING=CLK_ADDRESS_CLAMP -DFILTER=CLK_FILTER_LINEAR -DNORMALIZED=CLK_NORMALIZED_COORDS_FALSE",
    "group_reduce": "-cl-std=CL3.0",
    "group_scan": "-cl-std=CL3.0",
}
# What GPUs do not have.
REFUSED = ("requires sub-groups of", "NVIDIA GPUs do not support")


def builds(folder):
    """Each program, with the first of its tests' options."""
    for source in sorted(folder.rglob("*.cl")):
        if not source.with_suffix(".json").exists():
            yield source, OPTIONS.get(source.stem, "")
    seen = set()
    for path in sorted(folder.rglob("*.json")):
        test = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(test, dict):
            continue
        for case in test.get("cases", [{}]):
            merged = test | case
            build = (path.parent / merged.get("source", path.stem + ".cl"), merged.get("options", ""))
            if "refused" not in merged and build[0] not in seen and build[0].exists():
                seen.add(build[0])
                yield build


def compile_one(build):
    source, options = build
    version = ["env", "CLOTHO_OPENCL_VERSION=3.1"] if "CL3.1" in options else []
    command = version + [CLOTHO, "compile", "--data", DATA, "--gpu", ARCHITECTURE, "--emit", "asm", "-o", "/dev/null",
                         "--options", options, str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return build, done.returncode, done.stderr


def main():
    everything = [build for folder in sys.argv[4:] for build in builds(pathlib.Path(folder))]
    failures = refused = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for (source, options), code, log in pool.map(compile_one, everything):
            if code == 0:
                continue
            if any(text in log for text in REFUSED):
                refused += 1
                continue
            failures += 1
            print(f"{source} [{options}]: {log[-400:]}")
    print(f"{len(everything)} programs, {refused} that GPUs do not run, {failures} failures")
    return 1 if failures or len(everything) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
