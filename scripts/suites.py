#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the OpenCL programs of PolyBench-ACC and SHOC on two platforms in turn and compares their processor time.

Nothing is fetched and nothing is copied: the user names a folder that has the sources of one or both, which are built
in a folder of their own (temporary, or --build). Each program first runs once on each platform without being timed, to
fill caches of built kernels and to have its result checked: most of SHOC's programs check it themselves, PolyBench's
are built once more with the C version of the computation and the small data set, since that version takes long. Times
are user and system time of the whole process, with all that it does on the host.

SHOC's level 0 is left out: it measures the device, for as long as it takes."""
import argparse
import contextlib
import math
import os
import pathlib
import re
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Failure(Exception):
    """What to say of a program that could not be built or run."""


class Program:
    """A program as the suite's makefile describes it. `measured` and `checked` are commands, which may be the same."""

    def __init__(self, suite, name, folder):
        self.suite, self.name, self.folder = suite, name, folder
        self.measured = self.checked = None


# --- Building ---


def compile_program(arguments, log):
    """Runs a compiler's command; what it says is kept in `log`."""
    result = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    log.write_text(shlex.join(arguments) + "\n" + result.stdout, encoding="utf-8")
    if result.returncode:
        raise Failure(f"does not build, see {log}")


def assignments(makefile):
    """Variables of a makefile; lines that end in a backslash go on."""
    text = makefile.read_text(encoding="utf-8", errors="replace").replace("\\\n", " ")
    return {name: value.strip() for name, value in re.findall(r"(?m)^(\w+)[ \t]*:?=(.*)$", text)}


def folder_for(program, build):
    """An empty enough folder in which the program is built and runs, with links to the kernels that it reads."""
    folder = build / program.suite / program.name
    folder.mkdir(parents=True, exist_ok=True)
    for kernel in program.folder.glob("*.cl"):
        with contextlib.suppress(FileExistsError):
            (folder / kernel.name).symlink_to(kernel)
    return folder


def polybench_programs(sources):
    """Each folder with a makefile of PolyBench's OpenCL version."""
    for makefile in sorted(sources.rglob("Makefile")):
        variables = assignments(makefile)
        if "CFILES" in variables and "PATH_TO_UTILS" in variables and list(makefile.parent.glob("*.cl")):
            yield Program("PolyBench", makefile.parent.name, makefile.parent)


def build_polybench(program, build, options):
    folder = folder_for(program, build)
    variables = assignments(program.folder / "Makefile")
    files = [str(program.folder / file) for file in variables["CFILES"].split()]
    commands = []
    for on_host, size in ((0, options.polybench_size), (1, "SMALL")):
        target = folder / f"{program.name}-{'checked' if on_host else 'measured'}"
        compile_program([*shlex.split(options.cc), "-std=gnu89", "-O2", "-w", f"-DRUN_ON_CPU={on_host}",
                         "-DOPENCL_DEVICE_SELECTION=CL_DEVICE_TYPE_ALL", f"-D{size}_DATASET",
                         "-I", str(program.folder / variables["PATH_TO_UTILS"]), *files, "-o", str(target),
                         "-lOpenCL", "-lm"], target.with_suffix(".log"))
        commands.append([str(target)])
    program.measured, program.checked = commands


def shoc_programs(sources):
    """Each program that a Makefile.am of SHOC's levels 1 and 2 builds without MPI."""
    for makefile in sorted(sources.rglob("Makefile.am")):
        if not re.search(r"/opencl/level[12]/\w+/Makefile\.am$", str(makefile)):
            continue
        for name in assignments(makefile).get("serialopencl_PROGRAMS", "").split():
            yield Program("SHOC", name, makefile.parent)


def embedded(kernel, target):
    """The kernels' source as the string that SHOC's programs expect."""
    lines = kernel.read_text(encoding="utf-8", errors="replace").replace("\r", "").splitlines()
    quoted = ['"' + line.replace("\\", "\\\\").replace('"', '\\"') + '\\n"' for line in lines]
    target.write_text(f"extern const char* cl_source_{kernel.stem};\nconst char* cl_source_{kernel.stem} =\n"
                      + "\n".join(quoted) + ";\n", encoding="utf-8")
    return target


def library_of(places, build, compiler):
    """The object files that all of SHOC's programs share, built once."""
    objects = []
    for place in places:
        variables = assignments(place / "Makefile.am")
        for name, value in variables.items():
            if not name.endswith("_a_SOURCES"):
                continue
            for file in value.split():
                target = build / "SHOC" / "common" / (pathlib.Path(file).stem + ".o")
                target.parent.mkdir(parents=True, exist_ok=True)
                if not target.exists():
                    compile_program([*compiler, "-c", str(place / file), "-o", str(target)], target.with_suffix(".log"))
                objects.append(str(target))
    return objects


# What SHOC's configure script finds on a system of today.
SHOC_CONFIGURATION = ["-DHAVE_CLOCK_GETTIME", "-DHAVE_CLOCK_PROCESS_CPUTIME_ID", "-DHAVE_STDINT_H",
                      "-Drestrict=__restrict"]


def build_shoc(program, build, options):
    folder = folder_for(program, build)
    opencl = program.folder.parent.parent
    places = [opencl / "common", opencl.parent / "common"]
    (folder / "config.h").touch()
    compiler = [*shlex.split(options.cxx), "-std=gnu++14", "-O2", "-w", *SHOC_CONFIGURATION, "-I", str(folder),
                *[word for place in places for word in ("-I", str(place))]]
    files = []
    for file in assignments(program.folder / "Makefile.am")[f"{program.name}_SOURCES"].split():
        found = [place / file for place in (program.folder, *places) if (place / file).exists()]
        kernel = program.folder / file.replace("_cl.cpp", ".cl")
        if not found and not kernel.exists():
            raise Failure(f"{file} is missing")
        files.append(str(found[0] if found else embedded(kernel, folder / file)))
    target = folder / program.name
    compile_program([*compiler, *files, *library_of(places, build, compiler), "-o", str(target), "-lOpenCL", "-lm"],
                    target.with_suffix(".log"))
    program.measured = program.checked = [str(target), "-s", str(options.shoc_size), "-n", str(options.shoc_passes)]


# --- Running ---


class Platform:
    """One platform alone, with caches of its own."""

    def __init__(self, icd, build):
        self.icd = pathlib.Path(icd).absolute()
        self.name = self.icd.stem
        caches = build / "caches" / self.name
        self.environment = dict(os.environ, OCL_ICD_VENDORS=str(self.icd))
        for variable in ("CLOTHO_CACHE_DIR", "POCL_CACHE_DIR", "XDG_CACHE_HOME"):
            (caches / variable).mkdir(parents=True, exist_ok=True)
            (caches / variable).chmod(0o700)
            self.environment[variable] = str(caches / variable)


def run(program, command, platform, build, limit):
    """Processor time in seconds, and what the program has printed."""
    output = build / program.suite / program.name / f"{platform.name}.out"
    with open(output, "wb") as file:
        process = subprocess.Popen(command, cwd=output.parent, env=platform.environment, stdin=subprocess.DEVNULL,
                                   stdout=file, stderr=subprocess.STDOUT)
        timer = threading.Timer(limit, process.kill)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)  # it is gone: nobody else may wait for it
    text = output.read_text(encoding="utf-8", errors="replace")
    if process.returncode == -signal.SIGKILL:
        raise Failure(f"killed after {limit:g} s or by somebody else, see {output}")
    if process.returncode < 0:
        raise Failure(f"ended by signal {-process.returncode}, see {output}")
    if process.returncode > 0:
        raise Failure(f"ended with {process.returncode}, see {output}")
    return usage.ru_utime + usage.ru_stime, text


COUNTED = re.compile(r"Non-Matching.*: (?P<polybench>\d+)|: (?P<stencil>\d+) validation errors")
BAD = re.compile(r"(?im)^.*(\bfailed\b|\berror in\b|build error|\bmismatch\b|\berror:).*$")
UNCHECKED = "not checked by the program"


def verdict(text):
    """What is wrong with a result by what its program says; UNCHECKED if it says neither that nor that all is right."""
    counts = [int(match[match.lastgroup]) for match in COUNTED.finditer(text)]
    if any(counts):
        return f"{sum(counts)} results differ"
    bad = BAD.search(text)
    if bad:
        return bad[0].strip()[:80]
    return "" if counts or re.search(r"(?i)\bpassed\b", text) else UNCHECKED


def compare(program, platforms, build, options):
    """Times by platform, and what is wrong by platform. Only what runs on both is timed."""
    times, problems, runs = [[] for _ in platforms], [""] * len(platforms), options.runs
    for i, platform in enumerate(platforms):
        try:
            problems[i] = verdict(run(program, program.checked, platform, build, options.limit)[1])
            if program.measured != program.checked:
                run(program, program.measured, platform, build, options.limit)
        except Failure as failure:
            problems[i], runs = str(failure), 0
    for _ in range(runs):
        for i, platform in enumerate(platforms):
            try:
                times[i].append(run(program, program.measured, platform, build, options.limit)[0])
            except Failure as failure:
                problems[i] = str(failure)
                return times, problems
    return times, problems


# --- The table ---


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def cell(values):
    return f"{statistics.median(values):.3f}" if values else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="where the sources are, of one suite or of both")
    parser.add_argument("--platforms", default=f"{ROOT}/build/release/clotho.icd,/etc/OpenCL/vendors/pocl.icd",
                        help="two ICD files; default: %(default)s")
    parser.add_argument("--build", type=pathlib.Path,
                        help="folder to build in, which is kept with all outputs; default: a temporary one")
    parser.add_argument("--programs", default=".*", help="only those whose SUITE/NAME matches a regex")
    parser.add_argument("--runs", type=int, default=5, help="timed runs on each platform (%(default)s)")
    parser.add_argument("--limit", type=float, default=300, help="seconds that a run may take (%(default)s)")
    parser.add_argument("--polybench-size", default="STANDARD", choices=["MINI", "SMALL", "STANDARD", "LARGE"])
    parser.add_argument("--shoc-size", type=int, default=1, choices=[1, 2, 3, 4])
    parser.add_argument("--shoc-passes", type=int, default=10)
    parser.add_argument("--cc", default="cc", help="C compiler and options")
    parser.add_argument("--cxx", default="c++", help="C++ compiler and options")
    options = parser.parse_args()
    icds = options.platforms.split(",")
    if len(icds) != 2 or not all(map(os.path.exists, icds)):
        parser.error("--platforms wants two files that exist, with a comma between")
    sources = options.folder.resolve()
    programs = [*polybench_programs(sources), *shoc_programs(sources)]
    programs = [each for each in programs if re.search(options.programs, f"{each.suite}/{each.name}")]
    if not programs:
        parser.error(f"{sources} has no programs of PolyBench-ACC or SHOC that match")
    with contextlib.ExitStack() as stack:
        build = options.build or pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="suites-")))
        build = build.resolve()
        if build.is_relative_to(ROOT) or build.is_relative_to(sources):
            parser.error("--build is inside of the repository or of the sources")
        return report(programs, [Platform(icd, build) for icd in icds], build, options)


def report(programs, platforms, build, options):
    """Prints the table; the exit status is 1 if a program failed on the first platform, or none ran."""
    first, second = (platform.name for platform in platforms)
    print(f"| suite | program | {first} s | {second} s | {second}/{first} | results |\n"
          "| --- | --- | --: | --: | --: | --- |", flush=True)
    ratios, failures, first_failed = {}, [], False
    for program in programs:
        times, unchecked = [[], []], False
        try:
            (build_polybench if program.suite == "PolyBench" else build_shoc)(program, build, options)
            times, problems = compare(program, platforms, build, options)
            unchecked = UNCHECKED in problems
            problems = [problem.replace(UNCHECKED, "") for problem in problems]
            first_failed |= bool(problems[0])
            wrong = "; ".join(f"{name}: {what}" for name, what in zip((first, second), problems) if what)
        except Failure as failure:
            wrong = str(failure)
        ratio = statistics.median(theirs / ours for ours, theirs in zip(*times)) if all(times) else None
        print(f"| {program.suite} | {program.name} | {cell(times[0])} | {cell(times[1])} | "
              f"{f'{ratio:.2f}' if ratio else '-'} | {wrong or (UNCHECKED if unchecked else 'right')} |", flush=True)
        if wrong:
            failures.append(f"{program.suite}/{program.name}")
        elif ratio:
            ratios.setdefault(program.suite, []).append((ratio, program.name))
    print()
    every = [each for suite in ratios.values() for each in suite]
    for suite, values in [*ratios.items(), ("all", every)]:
        if values:
            mean, (least, name) = geometric_mean([ratio for ratio, _ in values]), min(values)
            print(f"{suite}: {len(values)} programs, {second}/{first} geometric mean {mean:.2f}, "
                  f"least {least:.2f} ({name}), {sum(ratio < 1 for ratio, _ in values)} below 1")
    print("failed, and not counted: " + (", ".join(failures) or "none"))
    return 1 if not every or first_failed else 0


if __name__ == "__main__":
    sys.exit(main())
