#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what make's goals build and test: `make demo` and `make install` build nothing of the tests and benchmarks,
`make check`, `make check-tidy`, `make check-compiler` and `make check-deep` have each test between them once, together they
are one run of all, continuous integration asks for the first three, and README says how long each takes.
usage: check_make.py <make> <repository> <build folder> <ninja> <ctest>"""
import json
import os
import re
import shlex
import subprocess
import sys

MAKE, ROOT, BUILD, NINJA, CTEST = sys.argv[1:]
# What this test's own run of make has handed down would change what the goals do.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
problems = []


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout


def commands(*goals):
    """The commands that make would run."""
    text = output(MAKE, "-n", "-C", ROOT, "--no-print-directory", f"BUILD={BUILD}", *goals)
    lines = text.replace("\\\n", " ").splitlines()
    return [shlex.split(line) for line in lines if not line.startswith("make: ")]


def objects(target):
    return {path for path in output(NINJA, "-C", BUILD, "-t", "inputs", target).splitlines() if path.endswith((".o", ".bc"))}


def check_build(goals, target, least):
    builds = [command for command in commands(*goals) if "--build" in command]
    if [command[command.index("--target") + 1:] for command in builds if "--target" in command] != [[target]]:
        problems.append(f"make {' '.join(goals)} does not build {target} alone: {builds}")
        return
    built = objects(target)
    if not any(f"/{least}.dir/" in path for path in built):
        problems.append(f"{target} lacks {least}")
    for path in sorted(built):
        if re.match(r"(\./)?(tests|bench|tools/precision|tools/opt)/", path):
            problems.append(f"{target} builds {path}")
    share = len(built) / len(objects("all"))
    print(f"{target}: {len(built)} objects, {share:.0%} of all")
    if share > 0.6:
        problems.append(f"{target} is {share:.0%} of all objects")


def tests(*goals):
    """The labels of each test that make would run, by name."""
    runs = [command for command in commands(*goals) if command[0] == "ctest"]
    if len(runs) != 1:
        problems.append(f"make {' '.join(goals)} has {len(runs)} runs of ctest, so its summary is not that of all")
        return {}
    listed = json.loads(output(CTEST, *runs[0][1:], "--show-only=json-v1"))["tests"]
    labels = {}
    for test in listed:
        values = [p["value"] for p in test.get("properties", []) if p["name"] == "LABELS"]
        labels[test["name"]] = values[0] if values else []
    return labels


check_build(["demo"], "clotho-demo", "clotho-engrave")
check_build(["install"], "clotho-installed", "clotho-tool")
check_build(["package"], "clotho-installed", "clotho-tool")

# Wherever sudo may clear the environment, and from whatever folder cmake takes a relative prefix.
staged = commands("install", "DESTDIR=/stage", "PREFIX=own-folder")[-1]
if "DESTDIR=/stage" not in staged or f"{ROOT}/own-folder" not in staged:
    problems.append(f"make install does not hand on DESTDIR and PREFIX: {staged}")

goals = ("check", "check-tidy", "check-compiler", "check-deep")
of_goal = {goal: tests(goal) for goal in goals}
quick, tidy, compiler, deep = of_goal.values()
every = tests(*goals)
print(", ".join(f"make {goal}: {len(of_goal[goal])} tests" for goal in goals) + f"; all: {len(every)}")
for name in every:
    runs = [goal for goal in goals if name in of_goal[goal]]
    if len(runs) != 1:
        problems.append(f"{name} is run by {runs or 'no goal'}")
for name in sorted(set().union(*of_goal.values()) - set(every)):
    problems.append(f"{name} is not run by all goals together")
if set(tests("check", "check-tidy", "check-compiler")) != set(quick) | set(tidy) | set(compiler):
    problems.append("make check check-tidy check-compiler is not all three")
if list(compiler) != ["sanitized.compiler"]:
    problems.append(f"make check-compiler runs {list(compiler)}")
if list(tidy) != ["style.tidy"]:
    problems.append(f"make check-tidy runs {list(tidy)}")
for name in ("sanitized.asan", "sanitized.checked", "sanitized.tsan"):
    if name not in deep:
        problems.append(f"make check-deep does not run {name}")
for name in ("style.format", "commands.make"):
    if name not in quick:
        problems.append(f"make check does not run {name}")
if quick != tests("test"):
    problems.append("make test is not make check")
# So that the folders' tests stay in daily use: what is deep is the exception.
if len(deep) > len(quick) / 4:
    problems.append("most tests should be quick")

with open(f"{ROOT}/README.md", encoding="utf-8") as text:
    readme = text.read()
for goal in ("demo", *goals, "bench"):
    if not re.search(rf"^\| `make {goal}` \|.*\| [^|]*[0-9]+ minutes[^|]*\|$", readme, re.M):
        problems.append(f"README.md does not say how many minutes make {goal} takes")
with open(f"{ROOT}/.ci/run", encoding="utf-8") as script:
    if not re.search(r"exec make check check-tidy check-compiler$", script.read().strip()):
        problems.append(".ci/run does not end with make check check-tidy check-compiler")

print("\n".join(problems))
sys.exit(1 if problems else 0)
