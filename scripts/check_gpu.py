#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tests of the API, kernels, images, random programs, SPIR-V and applications on the first NVIDIA GPU, and tells
what does not hold.

A suite of tests and a file of kernel tests is a process of its own, since a kernel that faults costs a process its GPU;
several run at once, but not many: they wait for each other when they start, a quarter of a second each. What has not
ended in time runs again when all others have ended. Tests of what
GPUs do not have are left out, by LEFT_OUT, which says why. Where there is no libcuda.so.1, or no GPU, nothing is run
and the status is 77. Otherwise the status is 0 if nothing failed.

usage: check_gpu.py [--build FOLDER] [--only REGEX] [--jobs N] [--timeout SECONDS] [--logs FOLDER]
"""

import argparse
import atexit
import collections
import concurrent.futures
import ctypes
import os
import pathlib
import re
import subprocess
import shutil
import sys
import tempfile

SOURCES = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = 77
PYTHON = "/usr/bin/python3"
PYOPENCL = "pyopencl"
RANDOM_PROGRAMS = 400
# By the program that they need: a script of tests/apps, and its arguments.
SCRATCH = tempfile.mkdtemp(prefix="clotho-gpu-")
atexit.register(shutil.rmtree, SCRATCH, ignore_errors=True)
APPLICATIONS = {
    "clinfo": ["clinfo"],
    "clpeak": ["clpeak"],
    "hashcat": ["hashcat", f"{SCRATCH}/hashcat"],
    "clblast_test_xgemm": ["clblast", "xaxpy", "xdot", "xgemv", "xgemm"],
    "clFFT-client": ["clfft", f"{SCRATCH}/clfft"],
    PYOPENCL: ["pyopencl", f"{SCRATCH}/pyopencl"],
}

# Names of tests as NAME or SUITE.NAME, by regex, and why they are not for GPUs.
LEFT_OUT = [
    (r"kernels\.opencl_c_3_1\.scopes_that_differ$", "no atomics of all devices"),
    (r"api\.(IlGroupsTest\.VectorsInGroups|IlBuildTest\.RequiredSubGroups\w*)$", "counts on sub-groups of 16"),
    (r"api\.(IlProducersTest\.BallotInOlderVersion|IlObjectsTest\.SubGroupsReadAndWriteRows|"
     r"InitializeMemoryTest\.OtherContextsPayNothing)$", "of CPUs"),
    (r"api\.ForwardProgressTest\.(ManySubGroupsWithPrivateArrays|AFaultEndsThemAll)$", "larger work-groups; faults"),
    (r"api\.IlGroupsTest\.TheClockGoesOn$", "reads the clock twice within its resolution"),
    (r"api\.(BufferTest\.MemoryRunsOut|ErrorsObjectTest\.BuffersWithPropertiesRunOut)$", "take all of the GPU's memory"),
    (r"api\.DeviceEnqueueLimitsTest\.(FaultsOfChildrenAreTheLaunchs|WhatAFaultyKernelHasEnqueuedDoesNotRun|"
     r"PlacesForTimesThatAreNoneAreAFault)$", "faults"),
    (r"kernels\.building\.unsupported$", "assembly, which GPUs have"),
    (r"spirv\.half\.two_arguments$", "max becomes fmax in SPIR-V by LLVM, which may take either zero"),
    (r"(kernels|spirv)\.vectors\.element_aligned$", "faults: vectors that are not aligned, which OpenCL C does not allow"),
]


def gpu_count():
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int(0)
    return count.value if cuda.cuInit(0) == 0 and cuda.cuDeviceGetCount(ctypes.byref(count)) == 0 else 0


def environment(build):
    result = dict(os.environ)
    result.update(
        OCL_ICD_VENDORS=str(build / "clotho.icd"),
        OCL_ICD_FILENAMES=str(build / "lib" / "libclotho.so"),
        CLOTHO_CACHE_DIR=str(build / "gpu-cache"),
        CLOTHO_DEVICES="gpu",
    )
    return result


class Job:
    """A process: a suite of a program with googletest, or a file of kernel tests."""

    def __init__(self, name, command, tests=(), needs=None):
        self.name, self.command, self.tests, self.needs = name, command, list(tests), needs

    def alone(self, test):
        return Job(f"{self.name}.{test.split('.')[1]}", self.command, [test])

    def arguments(self):
        return [*self.command, "--gtest_filter=" + ":".join(self.tests)] if self.tests else self.command


def is_installed(program):
    if program != PYOPENCL:
        return shutil.which(program) is not None
    return subprocess.run([PYTHON, "-c", "import numpy, pyopencl"], capture_output=True).returncode == 0


def suites_of(name, command, env):
    """A job for each suite of a program with googletest."""
    listed = subprocess.run([command[-1], "--gtest_list_tests"], env=env, capture_output=True, text=True, check=True)
    suites, suite = {}, ""
    for line in listed.stdout.splitlines():
        if not line.startswith(" "):
            suite = line.split()[0]
        elif not line.strip().startswith("DISABLED_"):
            suites.setdefault(suite, []).append(suite + line.split()[0])
    return [Job(f"{name}.{suite.rstrip('.')}", command, tests) for suite, tests in suites.items()]


def jobs_of(build, env):
    yield from suites_of("api", [build / "bin" / "clotho-api-tests"], env)
    kernels = SOURCES / "tests" / "kernels"
    for file in sorted(kernels.rglob("*.json")):
        name = ".".join(file.relative_to(kernels).with_suffix("").parts)
        version = ["env", "CLOTHO_OPENCL_VERSION=3.1"] if name.startswith("opencl_c_3_1") else []
        yield Job("kernels." + name, [*version, build / "bin" / "clotho-kernel-tests", file])
    for file in sorted((SOURCES / "tests" / "cuda" / "kernels").glob("*.json")):
        yield Job("kernels.gpu." + file.stem, [build / "bin" / "clotho-kernel-tests", file])
    images = build / "bin" / "clotho-image-tests"
    if images.exists():
        yield from suites_of("images", [images], env)
        yield from suites_of("images.versions", ["env", "CLOTHO_SPECIALISE=2", images], env)
    spirv = kernels / "spirv"
    tool = f"{spirv}/by_clotho.sh {build}/bin/clotho spirv"
    for folder in sorted({file.parent for file in kernels.rglob("*.json")}):
        files = [
            file for file in sorted(folder.glob("*.json")) if not reason_to_leave_out(f"spirv.{folder.name}.{file.stem}")
        ]
        if folder.name != "opencl_c_3_1":
            command = [build / "bin" / "clotho-kernel-tests", "--spirv", tool, "--faults", spirv / "clotho.tsv", *files]
            yield Job("spirv." + folder.name, command)
    for first in range(0, RANDOM_PROGRAMS, 50):
        seeds = ["--seeds", f"{first}-{first + 49}", "--widths", "0", "--devices", "gpu", "--jobs", "1"]
        yield Job(f"random.kernels.{first}", ["env", "CLOTHO_DEVICES=cpu", build / "bin" / "clotho-random", *seeds])
    yield Job("random.sub-groups", [build / "bin" / "clotho-random-sub-groups", "0-399", "--widths", "32"])
    for name in ("exchanges", "guards", "loops", "ranges", "updates"):
        yield Job("random." + name, [PYTHON, SOURCES / "tests" / "random" / f"{name}.py", "0", "49"], needs=PYOPENCL)
    for program, arguments in APPLICATIONS.items():
        script = SOURCES / "tests" / "apps" / f"{arguments[0]}.sh"
        yield Job("apps." + arguments[0], [script, *arguments[1:]], needs=program)


def reason_to_leave_out(name):
    return next((reason for pattern, reason in LEFT_OUT if re.search(pattern, name)), None)


class Outcome:
    """Counts of what a process has printed, with the names of what failed."""

    def __init__(self, text, status):
        self.held, self.skips = set(), set()
        self.is_late = status is None
        counts = re.search(r"^(\d+) cases, (\d+) failed, (\d+) left out", text, re.M)
        if counts:
            total, failed, self.skipped = map(int, counts.groups())
            self.passed = total - failed
            self.failures = re.findall(r"^\s*FAILED (\S.*?):", text, re.M)
        elif "[==========]" not in text:
            programs = re.search(r"^(\d+) programs, (\d+) with a difference", text, re.M)
            differing = int(programs[2]) if programs else 0
            self.passed = int(programs[1]) - differing if programs else int(status == 0)
            self.skipped = 0
            self.failures = [f"{differing} programs differ"] if differing else []
        else:
            self.held = set(re.findall(r"^\[       OK \] (\S+)", text, re.M))
            self.skips = set(re.findall(r"^\[  SKIPPED \] (\S+) \(.*ms\)$", text, re.M))
            self.passed, self.skipped = len(self.held), len(self.skips)
            self.failures = sorted(set(re.findall(r"^\[  FAILED  \] ([\w/.]+)(?: \(|,|$)", text, re.M)))
        if status != 0 and not self.failures:
            begun = re.findall(r"^\[ RUN      \] (\S+)", text, re.M)
            how = "no end in time" if self.is_late else f"status {status}"
            self.failures = [f"{how}, after {begun[-1]}" if begun else how]


def run_once(job, env, limit, logs):
    try:
        done = subprocess.run(
            job.arguments(), env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit, errors="replace"
        )
        text, status = done.stdout, done.returncode
    except subprocess.TimeoutExpired as late:
        text, status = (late.stdout or b"").decode(errors="replace"), None
    if logs:
        (logs / f"{job.name.replace('/', '-')}.log").write_text(text)
    return Outcome(text, status)


def run(job, env, limit, logs):
    """Runs the job, and those of a suite's tests by themselves that did not hold: after a fault, all later ones fail.
    A test that holds by itself is a failure still, if none before it has failed."""
    outcome = run_once(job, env, limit, logs)
    if len(job.tests) < 2 or not outcome.failures or outcome.is_late:
        return job, outcome
    others = [test for test in job.tests if test not in outcome.held and test not in outcome.skips]
    if not others:
        return job, outcome
    first = True
    outcome.failures = []
    for test in others:
        alone = run_once(job.alone(test), env, limit, logs)
        if first and not alone.failures:
            outcome.failures.append(f"{test} (holds by itself)")
        else:
            outcome.failures += alone.failures
            outcome.passed += alone.passed
            outcome.skipped += alone.skipped
        first = False
    return job, outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=SOURCES / "build" / "release")
    parser.add_argument("--only", default="", help="names of suites and folders, a regex")
    parser.add_argument("--jobs", type=int, default=6)
    parser.add_argument("--timeout", type=int, default=600)
    parser.add_argument("--logs", type=pathlib.Path)
    options = parser.parse_args()
    if gpu_count() == 0:
        print("skipped: there is no NVIDIA GPU, or no libcuda.so.1")
        return SKIPPED
    if options.logs:
        options.logs.mkdir(parents=True, exist_ok=True)
    env = environment(options.build.resolve())
    jobs, left_out = [], collections.Counter()
    for job in jobs_of(options.build.resolve(), env):
        if not re.search(options.only, job.name):
            continue
        area = job.name.split(".")[0]
        wanted = [test for test in job.tests if not reason_to_leave_out(f"{area}.{test}")]
        left_out.update(reason_to_leave_out(f"{area}.{test}") for test in job.tests if test not in wanted)
        reason = reason_to_leave_out(job.name)
        if wanted:
            jobs.append(Job(job.name, job.command, wanted))
        elif job.needs and not is_installed(job.needs):
            left_out[f"{job.needs} is not installed"] += 1
        elif not job.tests and reason:
            left_out[reason] += 1
        elif not job.tests:
            jobs.append(job)
    outcomes, late = [], []

    def take(job, outcome):
        outcomes.append(outcome)
        for failure in outcome.failures:
            print(f"FAILED {job.name}: {failure}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done in concurrent.futures.as_completed(
            [pool.submit(run, job, env, options.timeout, options.logs) for job in jobs]
        ):
            job, outcome = done.result()
            if outcome.is_late:
                late.append(job)
            else:
                take(job, outcome)
    # A GPU gives its time to one process after the other, which makes long sequences of short kernels very slow.
    for job in late:
        take(*run(job, env, options.timeout, options.logs))
    for reason, count in sorted(left_out.items()):
        print(f"left out: {count} tests ({reason})")
    failed = sum(len(each.failures) for each in outcomes)
    passed, skipped = sum(each.passed for each in outcomes), sum(each.skipped for each in outcomes)
    print(f"{passed} passed, {failed} failed, {skipped} skipped by themselves")
    return 1 if failed or not outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
