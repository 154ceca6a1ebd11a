# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random programs against what they mean in numpy (lanes.py), in buffers that end or begin at an inaccessible page.
A generator calls main() with a function that makes the program of a seed."""
import argparse
import ctypes
import os
import sys

os.environ["PYOPENCL_NO_CACHE"] = "1"
os.environ["PYTHONWARNINGS"] = "ignore"
import numpy as np
import pyopencl as cl

from lanes import Barrier

PAGE = 4096
CHANGING = ("CLOTHO_CPU", "CLOTHO_CPU_DEVICES", "CLOTHO_SPECIALISE", "CLOTHO_WIDTH")  # that change what is compiled


class Program:
    """What a generator fills in."""

    def __init__(self, seed):
        self.seed = seed
        self.options = "-cl-std=CL3.0"
        self.memories = []    # lanes.Memory of buffers, of local and of private arrays
        self.arguments = []   # ("buffer", name), ("part", name, first byte, bytes), ("value", numpy scalar)
        self.range = ((1,), None, None)  # global size, local size, offset
        self.statements = []
        self.launches = 1     # with arguments of their own

    def choose(self, launch):
        """Sets the arguments of one of the launches."""

    def source(self):
        raise NotImplementedError

    def expected(self):
        """The data of each memory after the launch."""
        raise NotImplementedError

    def all_expected(self):
        """What each launch leaves."""
        result = []
        for launch in range(self.launches):
            self.choose(launch)
            result.append(self.expected())
        return result

    def buffers(self):
        names = {argument[1] for argument in self.arguments if argument[0] != "value"}
        return {memory.name: memory.initial for memory in self.memories if memory.name in names}


class GuardedMemory:
    """Copies of arrays in shared virtual memory, which may begin anywhere, each with an inaccessible page behind it, or
    before it."""

    def __init__(self, context):
        self.context = context
        self.system = ctypes.CDLL(None, use_errno=True)
        self.system.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        self.opencl = ctypes.CDLL("libOpenCL.so.1")
        self.opencl.clSVMAlloc.restype = ctypes.c_void_p
        self.opencl.clSVMAlloc.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_uint]
        self.opencl.clSVMFree.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        self.made = []

    def bytes_of(self, values, isAtEnd):
        inside = -(-values.nbytes // PAGE) * PAGE
        allocated = self.opencl.clSVMAlloc(self.context.int_ptr, (1 << 0) | (1 << 10), inside + 2 * PAGE, 0)
        first = -(-allocated // PAGE) * PAGE
        guard = first + inside if isAtEnd else first
        place = guard - values.nbytes if isAtEnd else first + PAGE
        result = np.ctypeslib.as_array((ctypes.c_ubyte * values.nbytes).from_address(place))
        result[:] = np.frombuffer(values.tobytes(), np.uint8)
        assert self.system.mprotect(guard, PAGE, 0) == 0
        self.made.append((allocated, guard))
        return result

    def free(self):
        for allocated, guard in self.made:
            assert self.system.mprotect(guard, PAGE, 3) == 0
            self.opencl.clSVMFree(self.context.int_ptr, allocated)
        self.made = []


class Device:
    def __init__(self):
        self.context = cl.Context(cl.get_platforms()[0].get_devices())
        self.queue = cl.CommandQueue(self.context)
        self.memory = GuardedMemory(self.context)

    def build(self, program, options):
        return cl.Kernel(cl.Program(self.context, program.source()).build([program.options, *options]), "k")

    def run(self, program, kernel):
        """What the launch leaves in the buffers; an exception where it fails."""
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
        arrays = {name: self.memory.bytes_of(values, (program.seed + i) % 3 != 0)
                  for i, (name, values) in enumerate(program.buffers().items())}
        buffers, parts, arguments = {}, [], []
        try:
            for name, array in arrays.items():
                buffers[name] = cl.Buffer(self.context, flags, hostbuf=array)
            for kind, *what in program.arguments:
                if kind == "value":
                    arguments.append(what[0])
                elif kind == "buffer":
                    arguments.append(buffers[what[0]])
                else:
                    parts.append(buffers[what[0]].get_sub_region(what[1], what[2]))
                    arguments.append(parts[-1])
            size, local, offset = program.range
            launch = kernel(self.queue, size, local, *arguments, global_offset=offset)
            self.queue.finish()
            if launch.command_execution_status < 0:
                raise RuntimeError(f"the launch gave {launch.command_execution_status}")
            result = {}
            for name, values in program.buffers().items():
                found = np.empty(values.nbytes, np.uint8)
                cl.enqueue_copy(self.queue, found, buffers[name])
                result[name] = found.view(values.dtype)
            return result
        finally:
            for buffer in [*parts, *buffers.values()]:
                buffer.release()
            self.memory.free()


def scalars_of(values):
    return {"": values} if values.dtype.names is None else {name: values[name] for name in values.dtype.names}


def difference(program, expected, device, options):
    """Says what is wrong with one of the launches, or nothing."""
    try:
        kernel = device.build(program, options)
        for launch, wanted in enumerate(expected):
            program.choose(launch)
            wrong = first_difference(program, wanted, device.run(program, kernel))
            if wrong is not None:
                return wrong
    except (cl.Error, RuntimeError) as error:
        text = str(error)
        return f"fails: {text[max(0, text.find('error:')):][:500]}"
    return None


def first_difference(program, expected, found):
    for name in program.buffers():
        wanted, seen = scalars_of(expected[name]), scalars_of(found[name])
        for path, values in wanted.items():
            isWrong = values != seen[path]
            if isWrong.any():
                at = int(np.argmax(isWrong))
                return (f"{int(isWrong.sum())} elements of {name} differ: {name}[{at}]{path and '.' + path} is "
                        f"{seen[path][at]} and should be {values[at]}")
    return None


def blocks_of(statements):
    yield statements
    for statement in statements:
        for block in statement.blocks:
            yield from blocks_of(block)


def reduce(program, device, options):
    """Takes out each statement, or the control flow around its block, as long as there is a difference. A program that
    then does not build, or that numpy refuses, is no smaller one."""
    def isStillWrong():
        try:
            expected = program.all_expected()
        except (AssertionError, KeyError, IndexError):
            return False
        found = difference(program, expected, device, options)
        return found is not None and "fails" not in found

    isSmaller = True
    while isSmaller:
        isSmaller = False
        for block in list(blocks_of(program.statements)):
            i = 0
            while i < len(block):
                statement = block[i]
                if isinstance(statement, Barrier):
                    i += 1
                    continue
                replacements = [[]] + [list(inner) for inner in statement.blocks if inner]
                for replacement in replacements:
                    before = list(block)
                    block[i:i + 1] = replacement
                    if isStillWrong():
                        isSmaller = True
                        break
                    block[:] = before
                else:
                    i += 1


def check(make, seed, device, widths, arguments):
    """Whether the seed's program agrees at all widths."""
    with np.errstate(all="ignore"):
        program = make(seed)
        expected = program.all_expected()
        for width in widths:
            options = list(arguments.option) + ([f"-clotho-width={width}"] if width != "0" else [])
            wrong = difference(program, expected, device, options)
            if wrong is None:
                continue
            if arguments.reduce and "fails" not in wrong:
                reduce(program, device, options)
                wrong = difference(program, program.all_expected(), device, options)
            variables = [f"{name}={value} " for name, value in os.environ.items() if name in CHANGING]
            more = [f" --option={option}" for option in arguments.option]
            again = f"{''.join(variables)}{os.path.basename(sys.argv[0])} {seed} {seed} --widths {width}{''.join(more)}"
            print(f"seed {seed}, width {width}, {program.range}: {wrong}\n{program.source()}// {again} --reduce",
                  flush=True)
            return False
    return True


def run_seeds(make, seeds, widths, arguments):
    device = Device()
    return [seed for seed in seeds if not check(make, seed, device, widths, arguments)]


def in_processes(make, widths, arguments):
    """Each process has a share of the seeds; what it finds comes back by a pipe."""
    readers = []
    for share in range(arguments.jobs):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            wrong = run_seeds(make, range(arguments.first + share, arguments.last + 1, arguments.jobs), widths, arguments)
            os.write(writer, f"done {' '.join(map(str, wrong))}".encode())
            os._exit(0)
        os.close(writer)
        readers.append((child, reader))
    wrong = []
    for child, reader in readers:
        with os.fdopen(reader) as pipe:
            words = pipe.read().split()
        os.waitpid(child, 0)
        if not words:
            print("a process ended before its last program")
        wrong += words[1:] if words else ["?"]
    return wrong


def main(make, description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--widths", default="0,4,16", help="work-items at once, 0: as the driver chooses")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes there are")
    parser.add_argument("--reduce", action="store_true", help="make programs that differ small")
    parser.add_argument("--print", action="store_true", help="print the programs and run none")
    parser.add_argument("--option", action="append", default=[], help="a build option")
    arguments = parser.parse_args()
    widths = arguments.widths.split(",")
    if arguments.print:
        for seed in range(arguments.first, arguments.last + 1):
            print(make(seed).source())
        return
    if arguments.jobs > 1:
        wrong = in_processes(make, widths, arguments)
    else:
        wrong = run_seeds(make, range(arguments.first, arguments.last + 1), widths, arguments)
    print(f"{arguments.last + 1 - arguments.first} programs, {len(wrong)} with a difference"
          + (f": {' '.join(map(str, wrong))}" if wrong else ""))
    sys.exit(1 if wrong else 0)
