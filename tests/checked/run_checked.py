#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs faulty kernels on a driver that checks them, and their corrected versions.

Each file has the kernels `faulty` and `fixed`, and says in comments how to launch them:

  // kind: memory                 which check finds the fault
  // launch: global=64 local=16   the NDRange
  // options: -cl-std=CL3.0       build options
  // says: TEXT                   a regular expression for the reports; without it, any
  // args: float[64]=i int:8      the arguments in order:
         TYPE[N], TYPE[N]=i, TYPE[N]=0   a buffer: arbitrary numbers, counted from 0, zeros
         TYPE:N                          a number
         local:N                         local memory in bytes
         null                            no buffer
         sub:TYPE[N]                     a sub-buffer in the middle of a larger buffer
         begin:NUMBER:TYPE[N]            a sub-buffer from the begin of the buffer that is the argument of this number
         same:NUMBER                     the same argument once more
         svm:TYPE[N]                     shared virtual memory
         pointers:TYPE[N], freed:TYPE[N] addresses of shared virtual memory: of some, of some that is freed, and null
         image:W,H:r or :w               an image of floats
         pipe:TYPE:N                     a pipe of so many packets

A report must name the line of the comment FAULT, or one of a comment ALSO: the other access of a race, or the other of two
barriers. No report may name another line. There must be none of `fixed`.

usage: run_checked.py [--against oclgrind] FILE...
Prints for each file whether all is right, the milliseconds of both launches, and those of the build. With --against, it reads
what Oclgrind says: run it below `oclgrind --data-races --uninitialized`.
"""
import argparse
import os
import re
import sys
import tempfile
import time

os.environ.setdefault("PYOPENCL_NO_CACHE", "1")
import numpy
import pyopencl

TYPES = {"float": numpy.float32, "int": numpy.int32, "uchar": numpy.uint8, "short": numpy.int16,
         "ushort": numpy.uint16, "ulong": numpy.uint64}
# A place in the source, as Clotho and Oclgrind write it.
CLOTHO = re.compile(r"^(?:clotho: \w+: )?\S*?:(\d+):\d+: runtime error: (.*)$", re.M)
OCLGRIND = re.compile(r"At line (\d+)")


def header(text, key):
    found = re.search(rf"^// {key}: (.*)$", text, re.M)
    return found.group(1) if found else ""


def array(text):
    """TYPE[N]=WHAT as an array of numpy."""
    name, lanes, count, what = re.fullmatch(r"([a-z]+?)(\d*)\[(\d+)\](?:=(\w))?", text).groups()
    count = int(count) * int(lanes or 1)
    if what == "i":
        return numpy.arange(count).astype(TYPES[name])
    return numpy.full(count, 0 if what == "0" else 7, TYPES[name])


class Launch:
    """The arguments of one kernel, with what they keep alive."""

    def __init__(self, context, queue, text):
        self.context, self.queue, self.kept = context, queue, []
        self.args = []
        for each in text.split():
            self.args.append(self.argument(each))

    def buffer(self, values):
        flags = pyopencl.mem_flags.READ_WRITE | pyopencl.mem_flags.COPY_HOST_PTR
        return pyopencl.Buffer(self.context, flags, hostbuf=values)

    def shared(self, values):
        memory = pyopencl.csvm_empty(self.context, values.shape, values.dtype)
        svm = pyopencl.SVM(memory)
        with svm.map_rw(self.queue) as mapped:
            mapped[:] = values
        self.kept.append(memory)
        return svm, memory

    def argument(self, text):
        kind, _, rest = text.partition(":")
        if text == "null":
            return None
        if kind == "local":
            return pyopencl.LocalMemory(int(rest))
        if kind == "sub":
            values = array(rest)
            whole = self.buffer(numpy.concatenate([values, values, values]))
            self.kept.append(whole)
            return whole.get_sub_region(values.nbytes, values.nbytes)
        if kind == "same":
            return self.args[int(rest)]
        if kind == "begin":
            whole, values = rest.split(":")
            return self.args[int(whole)].get_sub_region(0, array(values).nbytes)
        if kind == "svm":
            return self.shared(array(rest))[0]
        if kind in ("pointers", "freed"):
            live, freed = self.shared(array(rest))[1], self.shared(array(rest))[1]
            addresses = [live.ctypes.data, freed.ctypes.data if kind == "freed" else live.ctypes.data, 0]
            if kind == "freed":
                self.kept = [each for each in self.kept if each is not freed]
                del freed
            return self.buffer(numpy.array(addresses, numpy.uint64))
        if kind == "pipe":
            packet, count = rest.split(":")
            return pyopencl.Pipe(self.context, pyopencl.mem_flags.READ_WRITE, TYPES[packet]().nbytes, int(count))
        if kind == "image":
            size, access = rest.split(":")
            shape = tuple(int(each) for each in size.split(","))
            form = pyopencl.ImageFormat(pyopencl.channel_order.RGBA, pyopencl.channel_type.FLOAT)
            flags = pyopencl.mem_flags.READ_ONLY if access == "r" else pyopencl.mem_flags.WRITE_ONLY
            return pyopencl.Image(self.context, flags, form, shape=shape)
        if rest:
            return TYPES[kind](int(rest))
        return self.buffer(array(text))


def sizes(text, name):
    found = re.search(rf"{name}=([\d,]+)", text)
    return tuple(int(each) for each in found.group(1).split(","))


class Output:
    """Collects what is written to standard error."""

    def __enter__(self):
        self.file = tempfile.TemporaryFile()
        self.before = os.dup(2)
        os.dup2(self.file.fileno(), 2)
        return self

    def __exit__(self, *_):
        os.dup2(self.before, 2)
        os.close(self.before)
        self.file.seek(0)
        self.text = self.file.read().decode(errors="replace")


def run(context, queue, text, program, kernel):
    """What the driver writes about the launch, and seconds."""
    launch = Launch(context, queue, header(text, "args"))
    compiled = getattr(program, kernel)
    for i, argument in enumerate(launch.args):
        compiled.set_arg(i, argument)
    where = header(text, "launch")
    with Output() as output:
        begin = time.perf_counter()
        try:
            pyopencl.enqueue_nd_range_kernel(queue, compiled, sizes(where, "global"), sizes(where, "local")).wait()
        except pyopencl.Error as error:
            if header(text, "kind") != "loop":  # which are ended
                print("status:", error, file=sys.stderr)
        queue.finish()
        seconds = time.perf_counter() - begin
    return output.text, seconds


def lines_of(text, mark):
    return {number for number, line in enumerate(text.splitlines(), 1) if f"// {mark}" in line}


def check(context, queue, path, places):
    """What is wrong with the reports of a file, and the seconds of both launches."""
    text = open(path).read()
    allowed = lines_of(text, "FAULT") | lines_of(text, "ALSO")
    begin = time.perf_counter()
    try:
        program = pyopencl.Program(context, text).build(header(text, "options").split())
    except pyopencl.RuntimeError as error:
        return [str(error)], 0, 0
    built = time.perf_counter() - begin
    wrong = []
    found, spent = run(context, queue, text, program, "faulty")
    lines = {int(each.group(1)) for each in places.finditer(found)}
    if not lines & allowed:
        wrong.append(f"the fault at line {min(lines_of(text, 'FAULT'))} is not found")
    if lines - allowed:
        wrong.append(f"reports of lines {sorted(lines - allowed)}, which are right")
    if not re.search(header(text, "says"), found):
        wrong.append("the report does not say " + header(text, "says"))
    if wrong or os.environ.get("VERBOSE"):
        wrong.append(found) if wrong else print(found)
    silent, others = run(context, queue, text, program, "fixed")
    if silent.strip():
        wrong.append("a report of the kernel that is right:\n" + silent)
    return wrong, spent + others, built


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--against", choices=["clotho", "oclgrind"], default="clotho")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    context = pyopencl.create_some_context(interactive=False)
    queue = pyopencl.CommandQueue(context)
    failed = 0
    for path in arguments.files:
        name = os.path.basename(path).removesuffix(".cl")
        wrong, seconds, built = check(context, queue, path, CLOTHO if arguments.against == "clotho" else OCLGRIND)
        print(f"{name}\t{'wrong' if wrong else 'right'}\t{1e3 * seconds:.3f}\t{1e3 * built:.1f}", flush=True)
        for each in wrong:
            print("  " + each.rstrip().replace("\n", "\n  "), flush=True)
        failed += bool(wrong)
    print(f"{len(arguments.files) - failed} of {len(arguments.files)}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
