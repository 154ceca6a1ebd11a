#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scripts/suites.py builds and runs programs that are laid out as PolyBench-ACC's and SHOC's are, tells which of them
are right, and does not count those that are wrong or fail. usage: check_suites.py SUITES_PY ICD_FILE"""
import pathlib
import re
import subprocess
import sys
import tempfile

SUITES, ICD = sys.argv[1:]

# Sums of 64 numbers on the first device: it says how many are wrong as PolyBench's programs do.
HOST = r"""
#include "settings.h"
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
int sum(const char* source) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int status = clGetPlatformIDs(1, &platform, NULL);
  if (status != CL_SUCCESS) return -1;
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
  if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS) return -1;
  cl_kernel kernel = clCreateKernel(program, "sum", &status);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 64 * sizeof(int), NULL, &status);
  size_t items = 64;
  int result[64], wrong = 0, i;
  clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
  clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL);
  for (i = 0; i < 64; ++i)
    if (result[i] != i * (i + 1) / 2) ++wrong;
  return wrong;
}
"""
POLYBENCH_MAIN = HOST + r"""
int main() {
  char text[4096] = "";
  FILE* file = fopen("sum.cl", "r");
  int wrong;
  if (!file) return 1;
  fread(text, 1, sizeof text - 1, file);
  wrong = sum(text);
  if (wrong < 0) abort();
#if RUN_ON_CPU
  printf("Non-Matching CPU-GPU Outputs Beyond Error Threshold of 0.05 Percent: %d\n", wrong);
#endif
  return 0;
}
"""
SHOC_MAIN = HOST + r"""
extern const char* cl_source_sum;
const char* passed();
int main(int argc, char**) {
  if (argc != 5) return 1;
  int wrong = sum(cl_source_sum);
#ifndef SILENT
  puts(wrong == 0 ? passed() : "FAILED");
#endif
}
"""
KERNEL = """kernel void sum(global int* sums) {
  int i = get_global_id(0), sum = 0; // "\\" is a backslash
  for (int k = FIRST; k <= i; ++k) sum += k;
  sums[i] = sum;
}
"""


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def lay_out(root):
    write(root / "bench/OpenCL/utilities/settings.h", "")
    for name, first in (("good", "0"), ("wrong", "2"), ("broken", "nonsense")):
        folder = root / "bench/OpenCL/kernels" / name
        write(folder / "Makefile", f"EXECUTABLE := {name}.exe\nCFILES := {name}.c\nPATH_TO_UTILS := ../../utilities\n")
        write(folder / f"{name}.c", POLYBENCH_MAIN)
        write(folder / "sum.cl", KERNEL.replace("FIRST", first))
    source = root / "heterogeneous/src"
    write(source / "opencl/common/settings.h", "")
    write(source / "opencl/common/Makefile.am", "libOne_a_SOURCES = one.cpp\n")
    write(source / "opencl/common/one.cpp", 'const char* passed() { return "Passed"; }\n')
    write(source / "opencl/common/main.cpp", SHOC_MAIN)
    write(source / "opencl/common/silent.cpp", "#define SILENT\n" + SHOC_MAIN)
    write(source / "common/Makefile.am", "")
    for name, first in (("Sum", "0"), ("WrongSum", "2"), ("SilentSum", "0")):
        main = "silent.cpp" if name == "SilentSum" else "main.cpp"
        folder = source / "opencl/level1" / name.lower()
        write(folder / "Makefile.am", f"serialopencl_PROGRAMS = {name}\n{name}_SOURCES = sum_cl.cpp \\\n  {main}\n")
        write(folder / "sum.cl", KERNEL.replace("FIRST", first))


def check(condition, what):
    if not condition:
        sys.exit(f"{what}\n{output}")


with tempfile.TemporaryDirectory() as scratch:
    root = pathlib.Path(scratch)
    lay_out(root / "sources")
    before = sorted((root / "sources").rglob("*"))
    icds = [root / "one.icd", root / "two.icd"]
    for icd in icds:
        write(icd, pathlib.Path(ICD).read_text(encoding="utf-8"))
    result = subprocess.run([SUITES, str(root / "sources"), "--platforms", ",".join(map(str, icds)), "--runs", "2"],
                            capture_output=True, text=True, check=False)
    output = result.stdout + result.stderr
    for row in ("PolyBench | good", "SHOC | Sum"):
        number = r"\d+\.\d+"
        check(re.search(rf"\| {re.escape(row)} \| {number} \| {number} \| {number} \| right \|", output),
              f"{row} is not right")
    check(re.search(r"\| wrong \|.*\| one: 63 results differ; two: 63 results differ \|", output), "wrong is not told")
    check(re.search(r"\| broken \| - \| - \| - \| one: ended by signal 6.*two: ended by signal 6", output),
          "broken is not told")
    check(re.search(r"\| WrongSum \|.*\| one: FAILED; two: FAILED \|", output), "WrongSum is not told")
    check(re.search(r"(?m)^PolyBench: 1 programs, two/one geometric mean", output), "the mean of PolyBench is missing")
    check(re.search(r"\| SilentSum \|.*\| not checked by the program \|", output), "SilentSum is called right")
    check(re.search(r"(?m)^all: 3 programs", output), "the mean of all is missing")
    check(re.search(r"(?m)^failed, and not counted: PolyBench/broken, PolyBench/wrong, SHOC/WrongSum$", output),
          "the failures are missing")
    check(result.returncode == 1, "failures on the first platform do not show in the exit status")
    check(sorted((root / "sources").rglob("*")) == before, "something was written among the sources")
