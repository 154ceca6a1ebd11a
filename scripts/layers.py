#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that no file of src/ includes one of a layer above its own.

LAYERS has one line for each layer, the lowest first. Folders on one line do not know each other. A folder stands for
its files alone, not for those of the folders in it; `compiler/*.hpp` without LLVM is the compiler's interface. Rooms of
the runtime are one folder here: its objects refer to each other, to their memory and to the code that they run.

usage: layers.py [--tree] SOURCES      (--tree prints what each folder includes)
"""

import argparse
import collections
import os
import re
import sys

# Of the compiler's own folder: what the driver sees of it, and what puts its parts together.
INTERFACE = {
    "compiler/compiler.hpp",
    "compiler/client.hpp",
    "compiler/build_options.hpp",
    "compiler/build_options.cpp",
    "compiler/portable_build.hpp",
    "compiler/code_version.hpp",
    "compiler/code_version.cpp",
    "compiler/footprint.hpp",
    "compiler/footprint.cpp",
    "compiler/tuned_code.hpp",
}
PUTS_TOGETHER = "compiler/pipeline"

LAYERS = [
    ["base"],
    ["trace"],
    # What compiled kernels, devices, the compiler and the builtin library have in common.
    ["abi", "capture"],
    ["builtins"],
    ["compiler/interface"],
    # The driver's side.
    ["compiler/client", "device"],
    # What a program and its node have in common.
    ["command", "cluster"],
    ["device/cpu", "device/cuda", "device/cluster", "device/joint", "runtime"],
    ["driver", "api"],
    ["loaderless", "node/fabric"],
    ["node/join"],
    ["node"],
    # The compiler's side.
    ["compiler/frontend"],
    ["compiler/ir"],
    ["compiler/frontend/spirv"],
    ["compiler/builtins"],
    ["compiler/analysis"],
    [
        "compiler/transform/lower",
        "compiler/transform/simplify",
        "compiler/transform/layout",
        "compiler/transform/memory",
        "compiler/transform/widen",
        "compiler/transform/groups",
        "compiler/transform/check",
        "compiler/backend/cpu/lower",
        "compiler/backend/nvptx/lower",
    ],
    # What all backends have in common, and each kind of target.
    ["compiler/backend"],
    ["compiler/backend/cpu", "compiler/backend/nvptx", "compiler/backend/spirv"],
    [PUTS_TOGETHER],
    ["compiler/service"],
]

def folder_of(path):
    folder = os.path.dirname(path)
    for whole in ("runtime", "node"):
        if folder.startswith(whole + "/"):
            return whole
    if folder != "compiler":
        return folder
    return "compiler/interface" if path in INTERFACE or os.path.basename(path) == "client.cpp" else PUTS_TOGETHER


def includes(sources):
    """Of each file its path and the paths that it includes, of our own."""
    for parent, _, names in os.walk(sources):
        for name in names:
            if not name.endswith((".cpp", ".hpp", ".h", ".cl", ".c")):
                continue
            path = os.path.relpath(os.path.join(parent, name), sources)
            with open(os.path.join(parent, name), encoding="utf-8") as file:
                for target in re.findall(r'^#include "([^"]+)"', file.read(), re.MULTILINE):
                    if os.path.exists(os.path.join(sources, target)):
                        yield path, target


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tree", action="store_true")
    parser.add_argument("sources")
    arguments = parser.parse_args()

    level = {folder: number for number, folders in enumerate(LAYERS) for folder in folders}
    seen = collections.Counter()
    faults = []
    for path, target in includes(arguments.sources):
        own, other = folder_of(path), folder_of(target)
        if own == other:
            continue
        seen[own, other] += 1
        for folder in (own, other):
            if folder not in level:
                faults.append(f"{path}: the folder {folder} is in no layer (scripts/layers.py)")
        if own in level and other in level and level[other] >= level[own]:
            faults.append(f"{path} includes {target}, which is above or beside it")
    if arguments.tree:
        for (own, other), count in sorted(seen.items()):
            print(f"{own} -> {other} {count}")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
