#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what a libOpenCL.so.1 exports with what the Khronos header declares, by version.

usage: loaderless_exports.py LIBRARY /usr/include/CL/cl.h
Each function of the header must be there under the version that brought it (OPENCL_x.y); nothing but cl* may be there.
"""
import re
import subprocess
import sys


def exported(library):
    text = subprocess.run(["readelf", "-W", "--dyn-syms", library], check=True, capture_output=True, text=True).stdout
    # Num: Value Size Type Bind Vis Ndx Name@@Version; what is undefined is needed, not exported.
    names = {}
    for line in text.splitlines():
        fields = line.split()
        if len(fields) < 8 or fields[6] in ("UND", "Ndx") or fields[3] not in ("FUNC", "IFUNC", "OBJECT"):
            continue
        name, _, version = fields[7].partition("@@")
        if not name.startswith("OPENCL_"):
            names[name] = version
    return names


def declared(header):
    text = re.sub(r"/\*.*?\*/", "", open(header, encoding="utf-8").read(), flags=re.S)
    names = {}
    for match in re.finditer(r"CL_API_CALL\s+(cl\w+)\s*\(", text):
        tail = text[match.end() : text.index(";", match.end())]
        brought = re.search(r"CL_API_SUFFIX__VERSION_(\d)_(\d)(?!_DEPRECATED)\b", tail)
        names[match.group(1)] = f"OPENCL_{brought[1]}.{brought[2]}" if brought else None
    return names


def main():
    library, header = sys.argv[1:]
    there, wanted = exported(library), declared(header)
    wrong = [f"{name} is missing" for name in wanted if name not in there]
    # The header does not say which version brought what is deprecated.
    wrong += [
        f"{name} is {there[name] or 'without a version'}, not {version}"
        for name, version in wanted.items()
        if name in there and (there[name] != version if version else not there[name].startswith("OPENCL_"))
    ]
    wrong += [f"{name} is exported" for name in there if not re.match(r"cl[A-Z]\w+$", name)]
    if len(wanted) < 100:
        wrong.append(f"{header} declares {len(wanted)} functions only: not understood")
    print("\n".join(wrong) or f"{len(there)} functions exported, {len(wanted)} of them of the header")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
