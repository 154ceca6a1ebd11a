#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that each pass of the compiler has a name in compiler/passes.def, by which clotho-opt runs it, and each
analysis one in compiler/analysis/analyses.def; that each optional part of a pass has one in compiler/steps.def, and
each of those parts is in a pass; and that no name stands for two.

usage: passes.py SOURCES"""

import pathlib
import re
import sys

COMPILER = pathlib.Path(sys.argv[1], "compiler")
TABLES = {"PassInfoMixin": COMPILER / "passes.def", "AnalysisInfoMixin": COMPILER / "analysis/analyses.def"}
# A printer stands behind the name of each analysis; what collects an analysis for the caller of a pipeline has no name.
OF_ANALYSES = {"PrintAnalysisPass", "CollectWork"}

problems = []
for mixin, table in TABLES.items():
    text = re.sub(r"//.*", "", table.read_text(encoding="utf-8"))
    rows = re.findall(r'^[A-Z_]+\("([^"]+)", (\w+)', text, re.M)
    names = [name for name, _ in rows]
    for name in sorted({name for name in names if names.count(name) > 1}):
        problems.append(f"{table}: '{name}' stands there twice")
    named = {of for _, of in rows}
    defined = {}
    for path in sorted(COMPILER.rglob("*.[ch]pp")):
        source = path.read_text(encoding="utf-8")
        for of in re.findall(rf"(?:class|struct) (\w+)(?: final)? : (?:public )?(?:llvm::)?{mixin}<", source):
            defined[of] = path
    for of in sorted(set(defined) - named - OF_ANALYSES):
        problems.append(f"{defined[of]}: {of} has no name in {table}")
    for of in sorted(named - set(defined)):
        problems.append(f"{table}: there is no {of}")
    print(f"{table.name}: {len(names)} names of {len(named)}")
    if len(defined) < 5:
        problems.append(f"only {len(defined)} classes derive from {mixin}: this script does not find them")

steps = re.findall(r'^STEP\("([^"]+)", "([^"]+)"\)', (COMPILER / "steps.def").read_text(encoding="utf-8"), re.M)
used = set()
for path in COMPILER.rglob("*.cpp"):
    used.update(re.findall(r'\b(?:Step|step|mayRun)\("([^"]+)"', path.read_text(encoding="utf-8")))
passes = set(re.findall(r'^[A-Z_]+\("([^"]+)"', TABLES["PassInfoMixin"].read_text(encoding="utf-8"), re.M))
for name, whole in steps:
    if name not in used:
        problems.append(f"steps.def: no pass has a part '{name}'")
    if whole not in passes:
        problems.append(f"steps.def: '{name}' is said to be a part of '{whole}', which is no pass")
    if name in passes:
        problems.append(f"steps.def: '{name}' is a pass, too")
for name in sorted(used - {name for name, _ in steps}):
    problems.append(f"steps.def: there is no '{name}', which a pass has as a part")
print(f"steps.def: {len(steps)} names")

print("\n".join(problems))
sys.exit(1 if problems else 0)
