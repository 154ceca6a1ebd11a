#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs over ranges of one to three dimensions that are larger than their data, which ends at a page that nothing
may touch, against numpy: ranges.py FIRST LAST [--widths 0,4,16] [--jobs N] [--reduce] runs those of the seeds from FIRST
to LAST."""
import math

import numpy as np

import harness
from lanes import (ATOMICS, INT, TYPES, UINT, Barrier, Element, Expression, If, Lanes, Leave, Loop, Memory, Record, Set,
                   Statement, Text, Variable, arithmetic, both, bounded, chosen, compared, constant, identity, inverted,
                   masked, number)
from statements import Statements
from values import Place

AXES = "xyz"
LONGEST = {1: [(200,)], 2: [(40, 12), (12, 40), (40, 40)], 3: [(18, 7, 5), (5, 7, 18)]}


class Count(Statement):
    """Changes a counter that work-items share, in an order that does not matter."""

    def __init__(self, operation, element, value):
        self.operation, self.element, self.value = operation, element, value

    def text(self, pad):
        return f"{pad}atomic_{self.operation}(&{self.element}, {self.value});\n"

    def run(self, lanes, mask):
        places = self.element.places(lanes, mask)[mask]
        ATOMICS[self.operation].at(self.element.scalars(lanes), places, lanes.only(self.value.value(lanes, mask))[mask])
        return mask


class Region:
    """Work-items with coordinates of their own, and what says whether these are inside of the data."""

    def __init__(self, coordinates, guards, places):
        self.coordinates, self.guards, self.places = coordinates, guards, places


class Ranges(Statements):
    def __init__(self, seed):
        super().__init__(seed)
        self.records = [self.record(i) for i in range(self.random.randrange(3))]
        self.inputs, self.regions = [], []
        self.tile = self.counted = self.region = None
        self.rows = {}  # what has an element for each coordinate of an axis
        self.isTurned = self.chance(0.3)  # the last dimension goes along memory, and coordinates wrap around at 32 bits
        self.isShort = self.isTurned and self.chance(0.5)  # a few assignments without control flow in each region
        self.returns = not self.isTurned and self.chance(0.3)  # work-items without data end at once
        self.make_range()
        for at in range(1 if self.returns else self.random.randrange(2 if self.isTurned else 1, 4)):
            self.make_region(at)
        for at in range(self.random.randrange(1, 4)):
            self.make_input(f"in{at}")
        for d in range(self.dimensions):
            if self.isTurned or self.chance(0.5):
                self.rows[d] = self.buffer(f"row{d}", self.random.choice(self.kinds), self.data[d], "const ")
        if self.chance(0.3):
            # Those that may come in any order.
            self.operations = self.random.choice([("add", "sub"), ("or",), ("and",), ("xor",), ("min",), ("max",)])
            self.counted = self.buffer("counts", self.random.choice([INT, UINT]), self.random.choice([1, 7, 32]))
        self.make_values()
        self.statements = []
        if self.isShort:
            for region in self.regions[1:]:
                self.statements += self.guarded(region, self.assignments)
        else:
            for _ in range(self.random.randrange(3, 7)):
                self.statements += self.section()
        self.ends = self.end()
        self.add_numbers()
        kind = {"int": np.int32, "uint": np.uint32, "ulong": np.uint64}[self.sizeType]
        for name in self.sizeNames:
            self.parameters.append(f"{self.sizeType} {name}")
            self.arguments.append(("value", kind(self.data[AXES.index(name[1])])))

    # The range and the data.

    def make_range(self):
        self.dimensions = self.random.choice([1, 2, 2, 2, 3])
        longest = self.random.choice(LONGEST[self.dimensions])
        self.data = tuple(self.random.randrange(1, most + 1) for most in longest)
        if self.isShort:  # several sub-groups along memory
            longest = (*longest[:-1], self.random.choice([64, 96, 130]))
            self.data = (*self.data[:-1], longest[-1])
        size, local = [], []
        for most, data in zip(longest, self.data):
            local.append(self.random.choice([n for n in (1, 2, 3, 4, 5, 7, 8, 16, 32, 64) if n <= min(most, 4096 // math.prod(local))]))
            size.append(data + self.random.choice([0, 0, 1, self.random.randrange(9)]))
        kind = self.random.randrange(3)
        if kind == 0:  # rounded up
            size = [-(-n // by) * by for n, by in zip(size, local)]
        local = [min(by, n) for n, by in zip(size, local)]
        self.groupSize = None if kind == 2 else local
        offset = [self.random.randrange(30) for _ in size] if self.chance(0.3) else None
        self.range = (tuple(size), None if kind == 2 else tuple(local), None if offset is None else tuple(offset))
        self.count = int(np.prod(size))
        axes = np.meshgrid(*(np.arange(n) for n in reversed(size)), indexing="ij")
        self.ids = {AXES[d]: axes[-1 - d].ravel() for d in range(self.dimensions)}
        group = 0
        for d in reversed(range(self.dimensions)):
            by = local[d]
            self.ids[f"l{AXES[d]}"] = self.ids[AXES[d]] % by
            self.ids[f"s{AXES[d]}"] = np.minimum(by, size[d] - self.ids[AXES[d]] // by * by)
            group = group * -(-size[d] // by) + self.ids[AXES[d]] // by
        self.ids["group"] = group
        self.idNames = AXES[:self.dimensions]
        self.isNamed = self.isTurned or self.chance(0.6)
        self.arePitchesKnown = self.chance(0.7 if self.isShort else 0.3)
        self.sizeNames, self.sizeType = [], self.random.choice(["int", "uint", "ulong", "ulong"])
        self.idType = TYPES[self.random.choice(["int", "uint", "ulong", "ulong", "long"])]
        for d in range(self.dimensions):
            axis = AXES[d]
            text = f"get_global_id({d})"
            if offset is not None:
                text += self.random.choice([f" - {offset[d]}", f" - get_global_offset({d})"])
            if self.chance(0.5):
                text = f"({self.idType.name})({text})"
            variable = Variable(axis, self.idType)
            self.declarations.append(Set(variable, identity(axis, text, self.idType), declares=True))

    def extent(self, axis, isPitch=False):
        """How far the data goes, as an argument or a number."""
        extent = self.data[AXES.index(axis)]
        if not self.isNamed or (isPitch and self.arePitchesKnown):
            return number(extent)
        name = f"n{axis}"
        if name not in self.sizeNames:
            self.sizeNames.append(name)
        return Expression(INT, name, lambda lanes, mask: np.full(lanes.count, extent, np.int64))

    def below(self, bound):
        axis = self.random.choice(self.idNames)
        return compared("<", identity(axis, axis), number(self.random.randrange(1, self.data[AXES.index(axis)] + 2)))

    def buffer(self, name, kind, count, qualifier=""):
        memory = Memory(name, kind, self.contents(kind, count), np.zeros(self.count, np.int64), count)
        self.memories.append(memory)
        self.arguments.append(("buffer", name))
        self.parameters.append(f"global {qualifier}{kind.name}* {name}")
        return memory

    def make_region(self, at):
        """The first has the work-items' own coordinates; those of others are moved, and may wrap around."""
        coordinates, guards = [], []
        for d in range(self.dimensions):
            axis = AXES[d]
            extent = self.extent(axis)
            isLast = self.isShort and d == self.dimensions - 1
            if at == 0 or (not isLast and self.chance(0.7 if self.isShort else 0.4)):
                coordinates.append(identity(axis, axis, self.idType))
                guards.append(self.is_below(coordinates[-1], extent, False))
                continue
            by = self.random.choice([-5, -4, -1] if isLast else [-5, -3, -1, -1, 2, 4])
            kind = TYPES["ulong" if self.isTurned else self.random.choice(["int", "uint", "ulong", "ulong"])]
            name, bits = f"{axis}{at}", kind.bits
            distance = f"n{abs(by)}" if abs(by) < 5 and self.chance(0.5) else str(abs(by))
            sum_ = f"{'-' if by < 0 else '+'} {distance}"
            if kind.bits == 64 and (self.isTurned or self.chance(0.6)):
                bits, source = 32, f"(uint){axis} {sum_}u" if distance.isdigit() else f"(uint)((uint){axis} {sum_})"
            else:
                source = f"({kind.name}){axis} {sum_}"
            self.ids[name] = (self.ids[axis] + by if kind.isSigned else
                              np.array([(int(n) + by) % (1 << bits) for n in self.ids[axis]], np.uint64))
            variable = Variable(name, kind)
            self.declarations.append(Set(variable, identity(name, source, kind), declares=True))
            coordinates.append(identity(name, name, kind))
            guards.append(self.is_below(coordinates[-1], extent, kind.isSigned))
        self.random.shuffle(guards)
        region = Region(coordinates, guards, [])
        self.regions.append(region)
        for i in range(self.random.randrange(1, 4)):
            self.make_place(region, f"p{at}{i}")

    def is_below(self, coordinate, extent, asksForSign):
        """Whether it is in the data."""
        def value(lanes, mask):
            found = lanes.only(coordinate.value(lanes, mask))
            end = extent.value(lanes, mask)
            return (found >= 0) & (found < end.astype(np.uint64 if found.dtype.kind == "u" else np.int64))
        if asksForSign:
            return Expression(None, self.random.choice([f"({coordinate} >= 0 && {coordinate} < {self.signed(extent)})",
                                                        f"((uint){coordinate} < (uint){extent})"]), value)
        return Expression(None, self.random.choice([f"({coordinate} < {extent})", f"!({coordinate} >= {extent})"]), value)

    def signed(self, extent):
        return f"(int){extent}"

    def place_of(self, coordinates, slots):
        """Gives the index of a slot of what is at the coordinates."""
        order = list(range(self.dimensions))
        if self.isTurned:
            order.reverse()
        elif self.chance(0.5):
            self.random.shuffle(order)
        turned = self.random.randrange(self.dimensions) if self.chance(0.2) and not self.isShort else None
        text, steps, step = "", [], 1
        for d in order:
            steps.append((d, step))
            step *= self.data[d]
        for d in reversed(order):
            axis, coordinate = AXES[d], str(coordinates[d])
            if d == turned:
                coordinate = f"({self.extent(axis)} - 1 - {coordinate})"
            text = f"({text}) * {self.extent(axis, True)} + {coordinate}" if text else coordinate
        if slots > 1:
            text = f"({text}) * {slots}"

        def index(slot):
            def value(lanes, mask):
                result = np.zeros(lanes.count, np.int64)
                for d, by in steps:
                    at = lanes.only(coordinates[d].value(lanes, mask)).astype(np.int64)
                    result = result + by * (self.data[d] - 1 - at if d == turned else at)
                return result * slots + lanes.only(slot.value(lanes, mask)).astype(np.int64)
            return Expression(UINT, f"{text} + {slot}" if slots > 1 else text, value)
        return index

    def make_place(self, region, name):
        kind = self.random.choice(self.kinds + self.records)
        slots = 1 if self.isShort else self.random.choice([1, 1, 1, 2, 3])
        count = int(np.prod(self.data)) * slots
        names = [name]
        if self.chance(0.25):
            memory = self.part(name, kind, count)
        else:
            memory = self.buffer(name, kind, count)
            if self.chance(0.3):
                names.append(f"q{name[1:]}")
                self.arguments.append(("buffer", name))
                self.parameters.append(f"global {kind.name}* {names[1]}")
        region.places.append(Place("global", memory, names, slots, self.place_of(region.coordinates, slots)))

    def part(self, name, kind, count):
        """A part of a larger buffer that begins where parts may on all devices; at times it ends where the buffer does."""
        size = kind.dtype.itemsize
        first = 256 * self.random.randrange(1, 4)
        while first % size:
            first += 256
        behind = self.random.choice([0, 0, self.random.randrange(40)])
        whole = Memory(f"whole_{name}", kind, self.contents(kind, first // size + count + behind),
                       np.zeros(self.count, np.int64), 0)
        self.memories.append(whole)
        self.arguments.append(("part", whole.name, first, count * size))
        self.parameters.append(f"global {kind.name}* {name}")
        return Memory(whole.name, kind, whole.initial, np.full(self.count, first // size, np.int64), count)

    def make_input(self, name):
        """What is only read: as large as the data, or of any length."""
        kind = self.random.choice(self.kinds)
        isLike = self.chance(0.7)
        count = int(np.prod(self.data)) if isLike else self.random.randrange(1, 2 * self.count + 1)
        qualifier = self.random.choice(["const ", "const ", ""])
        memory = self.buffer(name, kind, count, qualifier)
        names = [name]
        if self.chance(0.2):
            names.append(f"{name}b")
            self.arguments.append(("buffer", name))
            self.parameters.append(f"global const {kind.name}* {name}b")
        self.inputs.append((memory, names, isLike, kind))

    def make_values(self):
        for kind in self.kinds:
            variable = self.fresh(kind)
            start = constant(kind, 3) if self.isShort else self.read(kind)
            self.declarations.append(Set(variable, start, declares=True))
            self.variables.append(variable)
        self.outer = list(self.variables)
        if self.returns:
            self.declarations.append(If(inverted(self.joined(self.regions[0].guards)), [Leave("return")]))
        elif self.groupSize and self.chance(0.5):
            kind, size = self.random.choice(self.kinds), int(np.prod(self.groupSize))
            groups = int(self.ids["group"].max()) + 1
            self.tile = Memory("tile", kind, np.zeros(groups * size, kind.dtype), self.ids["group"] * size, size)
            self.memories.append(self.tile)
            self.declarations.append(Text(f"local {kind.name} tile[{size}];"))

    # Values.

    def moved(self, coordinate, by):
        return Expression(INT, f"((int){coordinate} + {by})",
                          lambda lanes, mask: lanes.only(coordinate.value(lanes, mask)).astype(np.int64) + by)

    @staticmethod
    def joined(guards):
        condition = guards[0]
        for guard in guards[1:]:
            condition = both(condition, guard)
        return condition

    def is_inside(self, coordinate, extent):
        """Of an int that may be negative."""
        def value(lanes, mask):
            found = coordinate.value(lanes, mask)
            return (found >= 0) & (found < extent.value(lanes, mask))
        text = self.random.choice([f"((uint){coordinate} < (uint){extent})",
                                   f"({coordinate} >= 0 && {coordinate} < (int){extent})"])
        return Expression(None, text, value)

    def clamped(self, coordinate, extent):
        return Expression(INT, f"clamp({coordinate}, 0, (int){extent} - 1)",
                          lambda lanes, mask: np.clip(coordinate.value(lanes, mask), 0, extent.value(lanes, mask) - 1))

    def read(self, kind):
        """What an input has, wherever the work-item is."""
        memory, names, isLike, has = self.random.choice(self.inputs)
        name = self.random.choice(names)
        other = constant(has, self.random.randrange(9))
        if isLike and self.chance(0.8):
            guards, coordinates = [], []
            for axis in self.idNames:
                extent = self.extent(axis)
                by = self.random.choice([0, 0, 1, -1, self.random.randrange(-9, 10)])
                at = self.moved(identity(axis, axis, self.idType), by)
                if self.chance(0.4):
                    at = self.clamped(at, extent)
                else:
                    guards.append(self.is_inside(at, extent))
                coordinates.append(at)
            element = Element(name, memory, self.plain_index(coordinates))
            if guards:
                return bounded(chosen(self.joined(guards), element, other), kind, self.clamps)
            return bounded(element, kind, self.clamps)
        if self.chance(0.5):
            scalars = [v for v in self.variables if not isinstance(v.whole, Record)]
            at = self.random.choice(scalars) if scalars and self.chance(0.5) else identity("x", "x", self.idType)
            return bounded(Element(name, memory, masked(at, memory.size)), kind, self.clamps)
        axis = self.random.choice(self.idNames)
        by, more = self.random.randrange(1, 5), self.random.randrange(-3, 9)
        at = Expression(INT, f"((int){axis} * {by} + {more})",
                        lambda lanes, mask: lanes.ids[axis].astype(np.int64) * by + more)
        return bounded(chosen(self.is_inside(at, number(memory.size)), Element(name, memory, at), other), kind, self.clamps)

    def plain_index(self, coordinates):
        text = ""
        for d in reversed(range(self.dimensions)):
            text = f"({text}) * {self.extent(AXES[d], True)} + {coordinates[d]}" if text else str(coordinates[d])

        def value(lanes, mask):
            result = np.zeros(lanes.count, np.int64)
            for d in reversed(range(self.dimensions)):
                result = result * self.data[d] + lanes.only(coordinates[d].value(lanes, mask)).astype(np.int64)
            return result
        return Expression(INT, text, value)

    def read_inside(self, kind):
        """What there is for the coordinates of the work-item, or one of them, which are inside."""
        alike = [(memory, names) for memory, names, isLike, _ in self.inputs if isLike]
        if alike and (not self.rows or self.chance(0.8 if self.isShort else 0.5)):
            memory, names = self.random.choice(alike)
            at = self.plain_index(self.region.coordinates)
            return bounded(Element(self.random.choice(names), memory, at), kind, self.clamps)
        if not self.rows:
            return self.read(kind) if not self.isShort else constant(kind, 3)
        return self.read_row(self.random.choice(list(self.rows)), kind)

    def read_row(self, d, kind):
        memory = self.rows[d]
        return bounded(Element(memory.name, memory, self.region.coordinates[d]), kind, self.clamps)

    def value(self, kind, depth=1):
        if self.region and (self.rows or self.inputs) and self.chance(0.25):
            return self.read_inside(kind)
        if self.inputs and self.chance(0.25):
            return self.read(kind)
        return super().value(kind, depth)

    # Statements.

    def section(self):
        """Statements of a region's work-items, or of all."""
        if self.tile and self.chance(0.35):
            return self.exchange()
        return self.guarded(self.random.choice(self.regions), self.several)

    def several(self):
        body = []
        for _ in range(self.random.randrange(1, 4)):
            body += self.statement(1)
        return body

    def assignments(self):
        """What there is for the last coordinate, and for all of them, at times in the order of other coordinates."""
        body = []
        for _ in range(self.random.randrange(1, 3)):
            to = self.element()
            value = self.read_row(self.dimensions - 1, to.type) if self.chance(0.8) else self.read_inside(to.type)
            if self.chance(0.8):
                value = arithmetic(self.random.choice("+-"), value, self.read_inside(to.type), self.clamps)
            body.append(Set(to, value))
        return body

    def guarded(self, region, make):
        """Statements of a region's work-items."""
        before, self.places, self.region = len(self.variables), region.places, region
        body = make()
        self.places, self.region = [], None
        del self.variables[before:]
        if self.returns:
            return body
        guards = list(region.guards)
        if not self.isShort and self.chance(0.2):
            guards.insert(self.random.randrange(len(guards) + 1), self.condition())
        if self.chance(0.6):
            return [If(self.joined(guards), body)]
        for guard in reversed(guards):
            body = [If(guard, body)]
        return body

    def statement(self, depth):
        kinds = [self.read_and_overwrite] * 4 + [self.assignment] * 4 + [self.swap] * 2 + [self.several_names]
        kinds += [self.records_whole, self.pairs, self.window, self.window]
        if self.counted:
            kinds += [self.count_up] * 2
        if depth < 3:
            kinds += [self.branch] * 3 + [self.loop] * 2
        return self.random.choice(kinds)(depth)

    def count_up(self, depth):
        memory = self.counted
        at = masked(self.random.choice(self.outer), memory.size)
        return [Count(self.random.choice(self.operations), Element(memory.name, memory, at), self.value(memory.type, 0))]

    def window(self, depth):
        """A sum over what is beside the work-item, as far as there is data."""
        inputs = [entry for entry in self.inputs if entry[2]]
        if not inputs:
            return self.assignment(depth)
        memory, names, _, kind = self.random.choice(inputs)
        axis = self.random.choice(self.idNames)
        counter, total = self.fresh_counter(), self.fresh(kind, "sum")
        first, last = self.random.choice([(-1, 2), (0, 3), (-2, 3), (0, 8)])
        at = Expression(INT, f"((int){axis} + {counter})", lambda lanes, mask: (
            lanes.ids[axis].astype(np.int64) + counter.value(lanes, mask)))
        isInside, coordinates = None, []
        for other in self.idNames:
            own = at if other == axis else self.moved(identity(other, other, self.idType), 0)
            guard = self.is_inside(own, self.extent(other))
            isInside = guard if isInside is None else both(isInside, guard)
            coordinates.append(own)
        element = Element(self.random.choice(names), memory, self.plain_index(coordinates))
        if self.chance(0.3):
            step = Set(total, arithmetic("+", total, chosen(isInside, element, constant(kind, 2)), self.clamps))
        else:
            step = If(isInside, [Set(total, arithmetic("+", total, element, self.clamps))])
        self.variables.append(total)
        return [Set(total, constant(kind, 0), declares=True), Loop(counter, number(first), number(last), [step])]

    def exchange(self):
        """What others have in local memory, between barriers."""
        memory, axes = self.tile, self.idNames

        def at(turn):
            texts, values = "", []
            for d in reversed(range(self.dimensions)):
                text, value = turn(d)
                texts = f"({texts}) * {self.groupSize[d]} + {text}" if texts else text
                values.append((d, value))

            def index(lanes, mask):
                result = np.zeros(lanes.count, np.int64)
                for d, value in values:
                    result = result * self.groupSize[d] + value(lanes)
                return result
            return Element("tile", memory, Expression(INT, texts, index))

        own = at(lambda d: (f"(int)get_local_id({d})", lambda lanes: lanes.ids[f"l{axes[d]}"]))
        by = [self.random.randrange(4) for _ in axes]
        other = at(lambda d: (f"(int)((get_local_id({d}) + {by[d]}) % get_local_size({d}))",
                              lambda lanes: (lanes.ids[f"l{axes[d]}"] + by[d]) % lanes.ids[f"s{axes[d]}"]))
        old = self.fresh(memory.type, "old")
        store = Set(own, self.value(memory.type, 1))
        result = [store, Barrier(), Set(old, other, declares=True), Barrier()]
        self.variables.append(old)
        self.outer.append(old)
        return result

    # The whole.

    def end(self):
        """Stores variables where numpy can see them, for work-items that have no data, too."""
        linear = Expression(UINT, "i", lambda lanes, mask: lanes.ids["i"])
        order = list(range(self.dimensions))
        if not self.isTurned:
            order.reverse()
        text, self.ids["i"] = "", np.zeros(self.count, np.int64)
        for d in order:
            text = f"({text}) * {self.range[0][d]} + {AXES[d]}" if text else AXES[d]
            self.ids["i"] = self.ids["i"] * self.range[0][d] + self.ids[AXES[d]]
        result = [Text(f"uint i = {text};")]
        for at, variable in enumerate(v for v in self.variables if not isinstance(v.whole, Record)):
            memory = self.buffer(f"o{at}", variable.type, self.count)
            result.append(Set(Element(memory.name, memory, linear), variable))
        return result

    def source(self):
        return self.whole_text("", "")

    def expected(self):
        return self.run_in(Lanes(self.count, self.ids, self.memories))


if __name__ == "__main__":
    harness.main(Ranges, __doc__)
