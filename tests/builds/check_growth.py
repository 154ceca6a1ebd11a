#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that a program that is twice as long takes about twice the processor time to build, not four times or more.
usage: check_growth.py <program> <clotho> <folder with builtins.clotho>"""
import os
import platform
import subprocess
import sys
import tempfile

NAME, TOOL, DATA = sys.argv[1:4]
# Linear growth gives 2 or, with what each build costs, less; quadratic growth gives 4. Half-way, for other load on the
# machine shifts even processor time.
LIMIT = 3
# Nested branches and cases that fall through are 2.5 to 2.8: what each variable costs grows with the blocks behind it.
LIMITS = {"cases_that_fall_through": 3.4, "nested_branches": 3.4}


def kernel(parameters, lines):
    return "kernel void k(%s) {\n  const size_t i = get_global_id(0);\n%s\n}\n" % (parameters, "\n".join(lines))


def second_results(count):
    calls = [f"{{ double y; x = sincos(x + {n}.5, &y) + y; }}" for n in range(count)]
    return kernel("global double* a", ["double x = a[i];", *calls, "a[i] = x;"])


def barriers(count):
    """With 40 values that live across all of them."""
    loads = [f"float v{n} = a[i + {n}];" for n in range(40)]
    steps = [f"t[l + {n % 2 * 256}] = v{n % 40}; barrier(CLK_LOCAL_MEM_FENCE); "
             f"v{(n + 1) % 40} += t[(l ^ {1 + n % 15}) + {n % 2 * 256}];" for n in range(count)]
    total = " + ".join(f"v{n}" for n in range(40))
    return kernel("global float* a, local float* t",
                  ["const size_t l = get_local_id(0);", *loads, *steps, f"a[i] = {total};"])


def branches(count):
    ways = [f"if (x > {n * 7 % 101}) x = x * 3 + a[x & 63]; else a[x & 31] = x - {n};" for n in range(count)]
    return kernel("global int* a", ["int x = a[i];", *ways, "a[i] = x;"])


def nested_branches(count):
    """In which two values change at different depths."""
    ways = [f"if (x > {n * 7 % 101}) {{ x = x * 3 + a[x & 63]; if (y < {n * 5 % 97}) y = y * 5 - x; else x += y; }} "
            f"else {{ a[x & 31] = x - {n}; y ^= x; }}" for n in range(count)]
    return kernel("global int* a", ["int x = a[i], y = a[i + 64];", *ways, "a[i] = x + y;"])


def cases(count):
    labels = [f"case {n}: y = a[i + {n * 37 % 1000}] * {n + 3}; break;" for n in range(count)]
    return kernel("global int* a", ["int y = 0;", "switch (a[i]) {", *labels, "}", "a[i] = y;"])


def cases_that_fall_through(count):
    labels = [f"case {n}: y += a[i + {n * 37 % 1000}] * {n + 3};" for n in range(count)]
    return kernel("global int* a", ["int y = 0;", "switch (a[i]) {", *labels, "}", "a[i] = y;"])


def kernels(count):
    return "".join(f"kernel void k{n}(global float* a, global const float* b, int n) {{ const int i = get_global_id(0);"
                   f" if (i < n) a[i] = a[i] * {n}.5f + b[i]; }}\n" for n in range(count))


# The program, and the smaller of the two numbers: enough that the build takes a third of a second.
PROGRAMS = {"second_results": (second_results, 100), "barriers": (barriers, 120), "branches": (branches, 200),
            "many_branches": (branches, 1000), "nested_branches": (nested_branches, 500),
            "cases": (cases, 400), "cases_that_fall_through": (cases_that_fall_through, 1000),
            "kernels": (kernels, 60)}


def processor_time(source):
    """Seconds that one build takes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.cl")
        with open(path, "w") as file:
            file.write(source)
        command = [TOOL, "compile", "--data", DATA, "--emit", "obj", "-o", os.path.join(folder, "program.o"), path]
        if platform.machine() in ("x86_64", "AMD64"):
            command += ["--cpu", "x86-64-v4"]
        process = subprocess.Popen(command)
        status, used = os.wait4(process.pid, 0)[1:]
    if status != 0:
        sys.exit(f"{NAME}: the build fails")
    return used.ru_utime + used.ru_stime


write, count = PROGRAMS[NAME]
for _ in range(3):  # what disturbs one measurement is gone by the next
    once, twice = processor_time(write(count)), processor_time(write(2 * count))
    print(f"{NAME}: {count} take {once:.2f} s of processor time, {2 * count} {twice:.2f} s")
    if twice < LIMITS.get(NAME, LIMIT) * once:
        sys.exit(0)
sys.exit(f"{NAME}: twice as many take {twice / once:.1f} times as long to build")
