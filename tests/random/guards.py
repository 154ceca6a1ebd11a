#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs that ask before they access memory whether it is there, in buffers that end or begin at a page which
nothing may touch: guards.py FIRST LAST [BUILD OPTION ...] runs those of the seeds from FIRST to LAST, and says which
fail, or differ from what they do without optimisation."""
import ctypes
import os
import random
import sys

os.environ["PYOPENCL_NO_CACHE"] = "1"
import numpy as np
import pyopencl as cl

WIDTHS = ("", "-clotho-width=1", "-clotho-width=4", "-clotho-width=16")
PAGE = 4096
STRUCTS = """typedef struct { float4 pos, vel, acc, misc; } Body;
typedef struct { int x, y, z; } Point;
typedef struct { uchar r, g, b; } Colour;
"""
# Of each type its bytes, the scalars that it is made of, and what makes an int of the element INDEX of P.
TYPES = {
    "char": (1, np.int8, ["P[INDEX]"]),
    "ushort": (2, np.uint16, ["P[INDEX]"]),
    "int": (4, np.int32, ["P[INDEX]"]),
    "long": (8, np.int64, ["(int)P[INDEX]"]),
    "float": (4, np.float32, ["(int)P[INDEX]"]),
    "double": (8, np.float64, ["(int)P[INDEX]"]),
    "int2": (8, np.int32, ["P[INDEX].x", "P[INDEX].x + P[INDEX].y"]),
    "char4": (4, np.int8, ["P[INDEX].z", "P[INDEX].x - P[INDEX].w"]),
    "float4": (16, np.float32, ["(int)P[INDEX].y", "(int)dot(P[INDEX], (float4)(1, 2, 3, 4))"]),
    "short8": (16, np.int16, ["P[INDEX].s3", "P[INDEX].s0 + P[INDEX].s7"]),
    "Body": (64, np.float32, ["(int)P[INDEX].pos.x", "(int)(P[INDEX].vel.x + P[INDEX].vel.w)",
                              "(int)dot(P[INDEX].misc, P[INDEX].pos)"]),
    "Point": (12, np.int32, ["P[INDEX].y", "P[INDEX].x + P[INDEX].z", "P[INDEX].x - P[INDEX].y + P[INDEX].z"]),
    "Colour": (3, np.uint8, ["P[INDEX].b", "P[INDEX].r + P[INDEX].g + P[INDEX].b"]),
}
SCALARS = ("char", "ushort", "int", "long", "float", "double")


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.local = self.random.choice([16, 32, 48, 64, 100, 128, 256])
        self.items = 3 * self.local
        self.loops = 0
        self.hasBarrier = self.random.random() < 0.5
        # A name, a type, and how many elements there are, as the kernel says it.
        self.globals = [(f"p{i}", self.random.choice(list(TYPES)), self.random.choice(["global", "global", "constant"]))
                        for i in range(4)]
        self.sizes = [self.random.randrange(1, 2 * self.items) for _ in self.globals]
        self.stored = [(f"q{i}", self.random.choice(SCALARS)) for i in range(2)]
        self.storedSizes = [self.random.randrange(1, 2 * self.items) for _ in self.stored]
        # Each work-item stores to one place of its own.
        self.storedPlaces = [self.random.choice(["g", "g + 5", "g - 3", "2 * g + 1", "5 * g", f"m{i} - 1 - g"])
                             for i in range(2)]
        self.arrays = [("a", self.random.choice(SCALARS + ("float4", "int2")), self.random.choice([3, 9, 16, 40]))]
        self.places = [(name, kind, f"n{i}") for i, (name, kind, _) in enumerate(self.globals)]
        self.places += [(name, kind, str(size)) for name, kind, size in self.arrays]
        if self.hasBarrier:
            self.tile = ("t", self.random.choice(("int", "float", "ushort", "float4")), self.local)
            self.places.append(("t", self.tile[1], str(self.local)))
        self.body = "".join(self.statement(1) for _ in range(self.random.randrange(3, 8)))
        self.numbers = [self.random.choice([-9, -1, 0, 2, 7, 15, 16, 100, 100000, 1 << 28]) for _ in range(2)]

    def index(self):
        number = self.random.randrange(1, 40)
        forms = ["g", "g", f"g + {number}", f"g - {number}", f"{number} * g", f"2 * g + {number % 2}", "g / 2", "(g ^ 1)",
                 "n0 - 1 - g", "l", f"l + {number}", "top", "top", f"top + l", "other", f"g + top", "v", f"v + {number}",
                 f"v * {number}"]
        if self.loops:
            forms += ["k", "g + k", f"{number % 8 + 1} * g + k", "k + top", "l + k", "g - k"]
        return self.random.choice(forms)

    def condition(self):
        number = self.random.randrange(1, 20)
        return self.random.choice(["v > 3", f"v < {number}", "l % 3 == 1", f"top < {number}", f"n0 > {number}",
                                   "g % 8 != 0", "s > 0", "other != 2", f"l < {number}", "true"])

    def isThere(self, index, size):
        forms = [f"(uint)({index}) < (uint){size}", f"{index} >= 0 && {index} < {size}"]
        # Of these the lower bound is known.
        if index in ("g", "g / 2", "l") or (index.endswith("* g") and index[0] != "-"):
            forms += [f"{index} < {size}"] * 3
        return self.random.choice(forms)

    def guard(self, index, size):
        parts = [self.isThere(index, size)]
        for _ in range(self.random.randrange(3)):
            parts.insert(self.random.randrange(len(parts) + 1), self.condition())
        return parts

    def value(self, place, index):
        name, kind, _ = place
        return self.random.choice(TYPES[kind][2]).replace("P", name).replace("INDEX", index)

    def statement(self, depth):
        pad = "  " * depth
        kinds = [self.add, self.add, self.choose, self.put]
        if depth < 3:
            kinds += [self.loop, self.branch]
        return self.random.choice(kinds)(pad, depth)

    def under(self, parts, pad, text):
        """In one condition, or each in the one before."""
        if self.random.random() < 0.6:
            return f"{pad}if ({' && '.join(parts)}) {text}\n"
        return pad + " ".join(f"if ({part})" for part in parts) + f" {text}\n"

    def add(self, pad, depth):
        place, index = self.random.choice(self.places), self.index()
        text = f"s += {self.value(place, index)};"
        if self.random.random() < 0.3:
            text = f"{{ s += {self.value(place, index)}; s = 3 * s + {self.value(place, index)}; }}"
        return self.under(self.guard(index, place[2]), pad, text)

    def choose(self, pad, depth):
        place, index = self.random.choice(self.places), self.index()
        return f"{pad}s += {' && '.join(self.guard(index, place[2]))} ? {self.value(place, index)} : {depth};\n"

    def put(self, pad, depth):
        if self.random.random() < 0.5:
            name, kind, size = self.random.choice(self.arrays)
            value = f"({kind})((float)(s & 63))" if kind == "float4" else f"({kind})(s & 63)"
            index = self.index()
            return self.under(self.guard(index, str(size)), pad, f"{name}[{index}] = {value};")
        number = self.random.randrange(len(self.stored))
        name, kind = self.stored[number]
        index = self.storedPlaces[number]
        return self.under(self.guard(index, f"m{number}"), pad, f"{name}[{index}] = s & 63;")

    def loop(self, pad, depth):
        if self.loops:
            return self.branch(pad, depth)
        self.loops += 1
        count = self.random.choice(["4", "9", "(n1 & 15)", "(v & 7)", "(top & 3) + 2"])
        body = "".join(self.statement(depth + 1) for _ in range(self.random.randrange(1, 3)))
        self.loops -= 1
        return f"{pad}for (int k = 0; k < {count}; ++k) {{\n{body}{pad}}}\n"

    def branch(self, pad, depth):
        body = "".join(self.statement(depth + 1) for _ in range(self.random.randrange(1, 3)))
        text = f"{pad}if ({self.condition()}) {{\n{body}{pad}}}"
        if self.random.random() < 0.4:
            text += f" else {{\n{self.statement(depth + 1)}{pad}}}"
        return text + "\n"

    def source(self):
        parameters = [f"{space} const {kind}* {name}" for name, kind, space in self.globals]
        parameters += [f"global {kind}* {name}" for name, kind in self.stored]
        parameters += ["global const int* x", "global int* out"]
        parameters += [f"int n{i}" for i in range(4)] + ["int m0", "int m1", "int top", "int other", "int items"]
        text = STRUCTS + f"kernel void k({', '.join(parameters)}) {{\n"
        text += "  int g = get_global_id(0), l = get_local_id(0), s = 0, v = x[g & 63];\n"
        for name, kind, size in self.arrays:
            scalar = "(float)" if kind == "float4" else ""
            text += f"  {kind} {name}[{size}];\n"
            text += f"  for (int i = 0; i < {size}; ++i) {name}[i] = ({kind})({scalar}x[(g + i) & 63]);\n"
            text += f"  {name}[(v & 63) % {size}] += ({kind})({scalar}7);\n"
        if self.hasBarrier:
            name, kind, size = self.tile
            text += f"  local {kind} t[{size}];\n  t[l] = ({kind})((float)v);\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
        return text + self.body + "  if (g < items) out[g] = s;\n}\n"


class Memory:
    """Arrays in shared virtual memory, which may begin anywhere, each with an inaccessible page beside it."""

    def __init__(self, context):
        self.context = context
        self.system = ctypes.CDLL(None, use_errno=True)
        self.opencl = ctypes.CDLL("libOpenCL.so.1")
        self.opencl.clSVMAlloc.restype = ctypes.c_void_p
        self.opencl.clSVMAlloc.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_uint]
        self.opencl.clSVMFree.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        self.system.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        self.made = []

    def array(self, values, isAtEnd):
        """A copy of the bytes."""
        inside = -(-values.nbytes // PAGE) * PAGE
        allocated = self.opencl.clSVMAlloc(self.context.int_ptr, (1 << 0) | (1 << 10), inside + 2 * PAGE, 0)
        first = -(-allocated // PAGE) * PAGE
        guard = first + inside if isAtEnd else first
        place = guard - values.nbytes if isAtEnd else first + PAGE
        array = np.ctypeslib.as_array((ctypes.c_ubyte * values.nbytes).from_address(place))
        array[:] = values.view(np.uint8)
        assert self.system.mprotect(guard, PAGE, 0) == 0
        self.made.append((allocated, guard))
        return array

    def free(self):
        for allocated, guard in self.made:
            assert self.system.mprotect(guard, PAGE, 3) == 0
            self.opencl.clSVMFree(self.context.int_ptr, allocated)
        self.made = []


def contents(kind, count, numbers):
    size, scalar, _ = TYPES[kind]
    return numbers.randint(0, 50, count * size // np.dtype(scalar).itemsize).astype(scalar)


def run(program, seed, kernel, context, queue, memory):
    """What the program stores."""
    numbers = np.random.RandomState(seed)
    given = [contents(kind, count, numbers) for (_, kind, _), count in zip(program.globals, program.sizes)]
    given += [contents(kind, count, numbers) for (_, kind), count in zip(program.stored, program.storedSizes)]
    given += [contents("int", 64, numbers), contents("int", program.items, numbers)]
    isAtEnd = [program.random.random() < 0.6 for _ in given]
    arrays = [memory.array(values, end) for values, end in zip(given, isAtEnd)]
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
    buffers = [cl.Buffer(context, flags, hostbuf=array) for array in arrays]
    values = program.sizes + program.storedSizes + program.numbers + [program.items]
    launch = kernel(queue, (program.items,), (program.local,), *buffers, *(np.int32(value) for value in values))
    queue.finish()
    status = launch.command_execution_status
    first = len(program.globals)
    stored = [array.copy() for array in arrays[first:first + 2] + arrays[-1:]]
    for buffer in buffers:
        buffer.release()
    memory.free()
    return status, stored


def agrees(seed, context, queue, memory, options):
    program = Program(seed)
    source = program.source()
    expected = None
    for width in ("-cl-opt-disable", *WIDTHS):
        kernel = cl.Kernel(cl.Program(context, source).build([*options, *width.split()]), "k")
        status, stored = run(program, seed, kernel, context, queue, memory)
        expected = stored if expected is None else expected
        isSame = all(np.array_equal(one, other) for one, other in zip(stored, expected))
        if status < 0 or not isSame:
            print(f"seed {seed}: {'differs' if status >= 0 else 'fails'} with '{width}', "
                  f"{program.sizes + program.storedSizes + program.numbers}, in groups of {program.local}:\n{source}")
            return False
    return True


def main():
    first, last, options = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    context = cl.Context(cl.get_platforms()[0].get_devices())
    queue, memory = cl.CommandQueue(context), Memory(context)
    wrong = [seed for seed in range(first, last + 1) if not agrees(seed, context, queue, memory, options)]
    print(f"{last + 1 - first} programs, {len(wrong)} that fail or differ")
    sys.exit(1 if wrong else 0)


main()
