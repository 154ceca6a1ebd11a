#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs whose work-items exchange elements of global and local memory between barriers, against numpy:
exchanges.py FIRST LAST [BUILD OPTION ...] runs those of the seeds from FIRST to LAST, and says which differ."""
import os
import random
import sys

os.environ["PYOPENCL_NO_CACHE"] = "1"
import numpy as np
import pyopencl as cl

GROUPS = 3
ARRAYS = ("x", "y", "z")
TYPES = {"uint": np.uint32, "int": np.int32, "ushort": np.uint16, "short": np.int16, "ulong": np.uint64,
         "uchar": np.uint8}
COMPARISONS = {"<": np.less, ">": np.greater, "<=": np.less_equal, ">=": np.greater_equal}
BARRIER = "  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"


class Program:
    """Writes a kernel step by step, and does in `now` what each step does: a row of each array for each group."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.size = self.random.choice([8, 16, 24, 32, 64, 128, 48, 100])
        self.ids = np.arange(self.size)
        self.name, self.type = self.random.choice(list(TYPES.items()))
        numbers = np.random.RandomState(seed)
        self.read = numbers.randint(0, 100, (GROUPS, self.size)).astype(self.type)
        self.given = {name: numbers.randint(0, 100, (GROUPS, self.size)).astype(self.type) for name in ARRAYS}
        self.now = {name: values.copy() for name, values in self.given.items()}
        self.body = ""
        for _ in range(self.random.randrange(4, 12)):
            self.random.choice([self.set, self.sum, self.copy, self.fetch, self.send, self.repeat, self.order])()

    def arrays(self):
        return self.random.choice(ARRAYS), self.random.choice(ARRAYS)

    def condition(self):
        kind = self.random.randrange(4)
        if kind == 0:
            bound = self.random.randrange(1, self.size + 1)
            return f"l < {bound}", self.ids < bound
        if kind == 1:
            rest = self.random.randrange(2)
            return f"l % 2 == {rest}", self.ids % 2 == rest
        return "true", np.ones(self.size, bool)

    def permutation(self):
        kind = self.random.randrange(3)
        if kind == 0 and self.size & (self.size - 1) == 0:
            bits = self.random.randrange(1, self.size)
            return f"(l ^ {bits})", self.ids ^ bits
        if kind == 1:
            return f"({self.size - 1} - l)", self.size - 1 - self.ids
        by = self.random.randrange(1, self.size)
        return f"((l + {by}) % {self.size})", (self.ids + by) % self.size

    def rounds(self):
        """A number, which the kernel may be given."""
        number = self.random.randrange(1, 5)
        return self.random.choice([str(number), f"n{number}"]), number

    def put(self, name, places, values, mask):
        changed = self.now[name].copy()
        changed[:, places[mask]] = values.astype(self.type)[:, mask]
        self.now[name] = changed

    def set(self):
        name, _ = self.arrays()
        text, mask = self.condition()
        number = self.random.randrange(1, 9)
        self.body += f"  if ({text}) {name}[l] = {number};\n"
        self.put(name, self.ids, np.full((GROUPS, self.size), number), mask)

    def sum(self):
        name, _ = self.arrays()
        text, mask = self.condition()
        count, number = self.rounds()
        self.body += f"  if ({text})\n    for (int j = 0; j < {count}; ++j) {name}[l] += a[(l + j) % {self.size}];\n"
        total = self.now[name].copy()
        for j in range(number):
            total = total + self.read[:, (self.ids + j) % self.size]
        self.put(name, self.ids, total, mask)

    def copy(self):
        to, source = self.arrays()
        text, mask = self.condition()
        self.body += f"  if ({text}) {to}[l] = {source}[l] + ({self.name})3;\n"
        self.put(to, self.ids, self.now[source] + self.type(3), mask)

    def fetch(self):
        to, source = self.arrays()
        text, mask = self.condition()
        place, places = self.permutation()
        self.body += BARRIER + f"  w = {source}[{place}];\n" + BARRIER + f"  if ({text}) {to}[l] = w;\n"
        self.put(to, self.ids, self.now[source][:, places], mask)

    def send(self):
        to, source = self.arrays()
        text, mask = self.condition()
        place, places = self.permutation()
        self.body += BARRIER + f"  w = {source}[l];\n" + BARRIER + f"  if ({text}) {to}[{place}] = w;\n" + BARRIER
        self.put(to, places, self.now[source], mask)

    def repeat(self):
        name, _ = self.arrays()
        text, mask = self.condition()
        place, places = self.permutation()
        count, number = self.rounds()
        self.body += f"  for (int j = 0; j < {count}; ++j) {{\n" + BARRIER + f"    w = {name}[{place}];\n" + BARRIER
        self.body += f"    if ({text}) {name}[l] += w;\n  }}\n"
        for _ in range(number):
            self.put(name, self.ids, self.now[name] + self.now[name][:, places], mask)

    def order(self):
        """One of each pair may exchange what both have."""
        name, _ = self.arrays()
        bits = self.random.randrange(1, self.size)
        others = self.ids ^ bits
        isFirst = (others > self.ids) & (others < self.size)
        comparison, compare = self.random.choice(list(COMPARISONS.items()))
        text, mask = self.condition()
        self.body += BARRIER + f"  if ((l ^ {bits}) > l && (l ^ {bits}) < {self.size})\n"
        self.body += f"    if (({name}[l] {comparison} {name}[l ^ {bits}]) == ({text})) {{\n"
        self.body += f"      w = {name}[l]; {name}[l] = {name}[l ^ {bits}]; {name}[l ^ {bits}] = w;\n    }}\n" + BARRIER
        row = self.now[name].copy()
        for group in row:
            for i in self.ids[isFirst]:
                if bool(compare(group[i], group[others[i]])) == bool(mask[i]):
                    group[i], group[others[i]] = group[others[i]], group[i]
        self.now[name] = row

    def source(self):
        word = self.random.choice(["", "restrict "])
        required = self.random.choice(["", f"__attribute__((reqd_work_group_size({self.size}, 1, 1))) "])
        locals_ = [name for name in ARRAYS if self.random.random() < 0.4]
        parameters = [f"global const {self.name}* {word}a0"] + [f"global {self.name}* {word}{name}0" for name in ARRAYS]
        text = f"{required}kernel void k({', '.join(parameters + [f'int n{i}' for i in range(1, 5)])}) {{\n"
        text += f"  uint l = get_local_id(0), g = get_group_id(0) * {self.size};\n"
        text += f"  {self.name} w;\n  global const {self.name}* a = a0 + g;\n"
        for name in ARRAYS:
            text += (f"  local {self.name} {name}[{self.size}];\n  {name}[l] = {name}0[g + l];\n"
                     if name in locals_ else f"  global {self.name}* {name} = {name}0 + g;\n")
        text += BARRIER + self.body + BARRIER
        return text + "".join(f"  {name}0[g + l] = {name}[l];\n" for name in locals_) + "}\n"


def agrees(seed, context, queue, options):
    with np.errstate(over="ignore"):
        program = Program(seed)
    source = program.source()
    kernel = cl.Kernel(cl.Program(context, source).build(options), "k")
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    buffers = [cl.Buffer(context, flags, hostbuf=values) for values in [program.read, *program.given.values()]]
    kernel(queue, (GROUPS * program.size,), (program.size,), *buffers, *(np.int32(i) for i in range(1, 5)))
    for name, buffer in zip(ARRAYS, buffers[1:]):
        found = np.empty_like(program.now[name])
        cl.enqueue_copy(queue, found, buffer)
        if not np.array_equal(found, program.now[name]):
            print(f"seed {seed}: {name} differs in\n{source}")
            return False
    return True


def main():
    first, last, options = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    context = cl.Context(cl.get_platforms()[0].get_devices())
    queue = cl.CommandQueue(context)
    wrong = [seed for seed in range(first, last + 1) if not agrees(seed, context, queue, options)]
    print(f"{last + 1 - first} programs, {len(wrong)} with a difference")
    sys.exit(1 if wrong else 0)


main()
