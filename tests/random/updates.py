#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs that read memory, overwrite it under conditions, and use what was there before, against numpy:
updates.py FIRST LAST [--widths 0,4,16] [--jobs N] [--reduce] runs those of the seeds from FIRST to LAST."""

import numpy as np

import harness
from lanes import (INT, TYPES, UINT, Barrier, Element, Expression, If, Lanes, Loop, Memory, Record, Set, Text, Variable,
                   arithmetic, both, chosen, compared, constant, identity, masked, number)
from statements import Statements
from values import Place

ATOMIC_KINDS = ("int", "uint", "int", "uint", "long", "ulong")


class Updates(Statements):
    def __init__(self, seed):
        super().__init__(seed)
        self.isPlain = self.chance(0.5)  # one element each, one next to the other
        self.local = self.random.choice([8, 16, 24, 32, 48, 64, 100, 128])
        self.groups = self.random.randrange(2, 4)
        self.count = self.local * self.groups
        self.isGroup = self.chance(0.5)
        self.ids = np.arange(self.count)
        self.records = [] if self.isPlain else [self.record(i) for i in range(self.random.randrange(3))]
        self.shorts, self.outputs, self.lists = [], [], []
        self.isRestricted = self.chance(0.3)  # no buffer is two arguments
        self.strided = None
        self.make_places()
        body = []
        for _ in range(self.random.randrange(3, 6)):
            body += self.declaration()
        self.outer = list(self.variables)
        for _ in range(self.random.randrange(3, 9)):
            body += self.statement(0)
        self.statements = body
        self.ends = self.end()

    # Memory.

    def buffer(self, name, kind, count):
        memory = Memory(name, kind, self.contents(kind, count), np.zeros(self.count, np.int64), count)
        self.memories.append(memory)
        self.arguments.append(("buffer", name))
        self.parameters.append(f"global {kind.name}* {self.qualifier()}{name}")
        return memory

    def qualifier(self):
        return "restrict " if self.isRestricted else ""

    def make_places(self):
        slots = lambda: 1 if self.isPlain and self.chance(0.8) else self.random.choice([1, 1, 2, 4, 6, 8])
        for i in range(self.random.randrange(2, 5)):
            kind = self.random.choice(self.kinds + self.records + [TYPES[self.random.choice(ATOMIC_KINDS)]])
            own = slots()
            memory = self.buffer(f"p{i}", kind, self.count * own)
            names = [memory.name]
            if not self.isRestricted and self.chance(0.5):  # the same buffer by another argument
                names.append(f"q{i}")
                self.arguments.append(("buffer", memory.name))
                other = "volatile " if not isinstance(kind, Record) and self.chance(0.15) else ""
                self.parameters.append(f"global {other}{kind.name}* q{i}")
            self.places.append(Place("global", memory, names, own, self.order("g", self.count, own)))
            self.places[-1].isBeside = self.places[-1].index(number(0)).text == "g"
        for i in range(self.random.randrange(3)):
            self.array("private", f"a{i}", self.random.choice(self.kinds + self.records), slots())
        if self.isGroup:
            for i in range(self.random.randrange(3)):
                self.array("local", f"t{i}", self.random.choice(self.kinds + self.records), self.random.choice([1, 1, 2]))
            for i in range(self.random.choice([0, 2, 2, 3])):
                self.short(f"b{i}")
            if self.chance(0.3):
                self.make_strided()
        if self.chance(0.3):
            self.make_list()

    def array(self, space, name, kind, slots):
        if space == "private":
            base, size = self.ids * slots, slots
            index = lambda slot: slot
        else:
            size = self.local * slots
            base, index = self.ids // self.local * size, self.order("l", self.local, slots)
        memory = Memory(name, kind, np.zeros(self.count * slots, kind.dtype), base, size)
        self.memories.append(memory)
        place = Place(space, memory, [name], slots, index)
        self.places.append(place)
        prefix = "local " if space == "local" else ""
        given = self.buffer(f"{name}0", kind, self.count * slots)
        source = Place("global", given, [given.name], slots, self.order("g", self.count, slots))
        self.declarations.append(Text(f"{prefix}{kind.name} {name}[{size}];"))
        self.declarations += self.every(place, lambda slot: [self.copied(place, source, slot)])
        self.outputs.append((place, source))

    @staticmethod
    def copied(to, source, slot):
        return Set(Element(to.names[0], to.memory, to.index(slot)), Element(source.names[0], source.memory,
                                                                            source.index(slot)))

    def short(self, name):
        """A local array shorter than the group."""
        kind = self.random.choice(self.kinds)
        size = self.random.randrange(1, self.local + 1)
        if self.shorts and self.chance(0.7):
            kind, size = self.shorts[0].type, self.shorts[0].size
        memory = Memory(name, kind, np.zeros(self.groups * size, kind.dtype), self.ids // self.local * size, size)
        self.memories.append(memory)
        self.shorts.append(memory)
        self.declarations.append(Text(f"local {kind.name} {name}[{size}];"))
        own = Element(name, memory, identity("l", "l"))
        self.declarations.append(If(self.below(size), [Set(own, constant(kind, 1))]))

    def make_strided(self):
        """A local array that the work-items go through in steps of the group."""
        kind, size = self.random.choice(self.kinds), self.random.randrange(1, 3 * self.local)
        memory = Memory("w", kind, np.zeros(self.groups * size, kind.dtype), self.ids // self.local * size, size)
        self.memories.append(memory)
        self.declarations.append(Text(f"local {kind.name} w[{size}];"))
        self.strided = memory
        self.declarations.append(self.steps(0, lambda at: [Set(Element("w", memory, at), constant(kind, 4))]))

    def steps(self, first, block):
        kinds = ["int", "uint", "uint", "ulong"] + (["short"] if self.local + self.strided.size < 10000 else [])
        counter = self.fresh(TYPES[self.random.choice(kinds)], "i")
        kind = counter.type

        def value(lanes, mask):
            return (lanes.ids["l"] + first).astype(kind.dtype)  # unsigned ones wrap around below 0
        text = f"({kind.name})l" if first == 0 else f"({kind.name})l {'+' if first > 0 else '-'} {abs(first)}"
        start = Expression(kind, text, value)
        return Loop(counter, start, number(self.strided.size), block(counter), step=self.local)

    def every(self, place, block):
        counter = self.fresh_counter()
        if place.slots == 1:
            return block(number(0))
        return [Loop(counter, number(0), number(place.slots), block(counter))]

    def make_list(self):
        """Nodes of a list for each work-item, linked by index; -1 ends it."""
        slots = self.random.choice([3, 4, 8])
        memory = self.buffer("next", INT, self.count * slots)
        memory.initial[:] = self.numbers.randint(-1, slots, self.count * slots)
        place = Place("global", memory, ["next"], slots, self.order("g", self.count, slots))
        head = Variable("head", INT)
        self.declarations.append(Set(head, constant(INT, self.random.randrange(-1, slots)), declares=True))
        self.lists.append((place, head))

    # Statements. `depth` counts the branches and loops around.

    def statement(self, depth):
        kinds = [self.read_and_overwrite] * 5 + [self.swap] * 3 + [self.pairs] * 2 + [self.insertion, self.stack]
        kinds += [self.several_names] * 2 + [self.atomic] * 3 + [self.records_whole] * 2 + [self.assignment] * 2
        kinds += [self.far_away]
        if self.lists:
            kinds += [self.linked] * 5
        if depth < 3:
            kinds += [self.branch] * 4 + [self.loop] * 4
        if depth and not self.isGroup:
            kinds += [self.leave]
        if depth == 0 and self.isGroup:
            kinds += [self.exchange] * 4 + [self.exchange_global] * 3
            if self.strided:
                kinds += [self.go_in_steps] * 4
        return self.random.choice(kinds)(depth)

    def linked(self, depth):
        """Nodes are put in front, taken from there, and gone through."""
        place, head = self.random.choice(self.lists)
        node = lambda slot: Element("next", place.memory, place.index(slot))
        isThere = compared(">=", head, number(0))
        kind = self.random.randrange(4)
        if kind == 0:
            new = self.fresh(INT, "n")
            taken = masked(self.value(INT, 0), place.slots)
            taken = Expression(INT, f"(int){taken}", taken.value)
            return [If(self.condition(), [Set(new, taken, declares=True), Set(node(new), head), Set(head, new)])]
        if kind == 1:
            old = self.fresh(INT, "old")
            self.variables.append(old)
            return [Set(old, constant(INT, 7), declares=True),
                    If(both(isThere, self.condition()),
                       [Set(old, head), Set(head, node(head)), Set(node(old), constant(INT, -1))])]
        at, counter, sum_ = self.fresh(INT, "at"), self.fresh_counter(), self.fresh(INT, "sum")
        if kind == 2:
            self.variables.append(sum_)
            goesOn = compared(">=", at, number(0))
            return [Set(sum_, constant(INT, 0), declares=True), Set(at, head, declares=True),
                    Loop(counter, number(0), number(2 * place.slots),
                         [Set(sum_, arithmetic("+", arithmetic("+", sum_, sum_, self.clamps), at, self.clamps)),
                          Set(at, node(at))], goesOn)]
        before, next_ = self.fresh(INT, "b"), self.fresh(INT, "t")
        return [Set(before, constant(INT, -1), declares=True),  # turned around
                Loop(counter, number(0), number(2 * place.slots),
                     [Set(next_, node(head), declares=True), Set(node(head), before), Set(before, head),
                      Set(head, next_)], isThere),
                Set(head, before)]

    def exchange(self, depth):
        """What others have in local memory, between barriers."""
        places = [p for p in self.places if p.space == "local" and not isinstance(p.memory.type, Record)]
        if self.shorts and (not places or self.chance(0.5)):
            return self.exchange_shorts()
        if places:
            place = self.random.choice(places)
            memory, slots = place.memory, place.slots
            by = self.random.randrange(1, self.local)
            turned = Expression(UINT, f"((l + {by}) % {self.local})", lambda lanes, mask: (lanes.ids["l"] + by) % self.local)
            if self.local & (self.local - 1) == 0 and self.chance(0.5):
                turned = Expression(UINT, f"(l ^ {by})", lambda lanes, mask: lanes.ids["l"] ^ by)
            slot = self.slot(place)
            at = Expression(UINT, f"{turned} * {slots} + {slot}", lambda lanes, mask: (
                turned.value(lanes, mask) * slots + lanes.only(slot.value(lanes, mask)).astype(np.int64)))
            old = self.fresh(memory.type, "old")
            result = [Barrier(), Set(old, Element(memory.name, memory, at), declares=True), Barrier()]
        else:
            return self.read_and_overwrite(depth)
        self.variables.append(old)
        return result

    def exchange_shorts(self):
        """Work-items at one end of the group store to arrays that lie side by side, and all read them."""
        first = self.random.choice(self.shorts)
        chosen_ = [memory for memory in self.shorts if memory.size == first.size]
        chosen_ = self.random.sample(chosen_, self.random.randrange(1, len(chosen_) + 1))
        past = self.local - first.size
        if self.chance(0.6):
            isOwner, at = self.below(first.size), identity("l", "l")
        else:
            isOwner = compared(">=", identity("l", "l"), number(past))
            at = Expression(UINT, f"(l - {past})", lambda lanes, mask: lanes.ids["l"] - past)
        stores = [Set(Element(memory.name, memory, at), self.value(memory.type, 1)) for memory in chosen_]
        if self.chance(0.2):
            stores = [If(self.condition(), stores)]
        declarations, reads = [], []
        place = masked(self.value(INT, 0) if self.chance(0.6) else identity("l", "l"), first.size)
        for memory in chosen_:
            old = self.fresh(memory.type, "old")
            declarations.append(Set(old, constant(memory.type, 1), declares=True))
            reads.append(Set(old, arithmetic("+", old, Element(memory.name, memory, place), self.clamps)))
            self.variables.append(old)
        steps = [Barrier(), If(isOwner, stores), Barrier(), *reads, Barrier()]
        if self.chance(0.3):
            end = self.random.randrange(1, 4)
            steps = [Loop(self.fresh_counter(), number(0), self.argument(end), steps)]
        return declarations + steps

    def go_in_steps(self, depth):
        """Each work-item has every so many elements, and reads those of others behind a barrier."""
        memory = self.strided
        kind, old = memory.type, self.fresh(memory.type, "old")
        first = self.random.choice([0, 0, self.random.randrange(9), -self.random.randrange(1, 9)])

        def change(at):
            own = Element("w", memory, at)
            if self.chance(0.5):
                return [Set(own, arithmetic("+", own, self.value(kind, 0), self.clamps))]
            return [If(self.condition(), [Set(own, self.value(kind, 1))])]
        if first < 0:
            steps = self.steps(first, change)
            if steps.counter.type.isSigned:
                steps = self.steps(-first, change)
        else:
            steps = self.steps(first, change)
        other = Element("w", memory, masked(self.value(INT, 0), memory.size))
        self.variables.append(old)
        return [Barrier(), steps, Barrier(), Set(old, other, declares=True), Barrier()]

    def exchange_global(self, depth):
        """What others of the group have in global memory, between barriers."""
        places = [p for p in self.places if p.space == "global" and p.slots == 1 and not isinstance(p.memory.type, Record)
                  and p.isBeside]
        if not places:
            return self.exchange(depth)
        place = self.random.choice(places)
        by = self.random.randrange(1, self.local)
        other = Expression(UINT, f"(g - l + (l + {by}) % {self.local})", lambda lanes, mask: (
            lanes.ids["g"] - lanes.ids["l"] + (lanes.ids["l"] + by) % self.local))
        element = Element(self.random.choice(place.names), place.memory, other)
        old = self.fresh(element.type, "old")
        result = [Barrier(), Set(old, element, declares=True), Barrier()]
        if self.chance(0.4):  # no memory is read while others write
            flag = self.fresh(INT, "flag")
            asked = chosen(self.condition(), constant(INT, 1), constant(INT, 0))
            result = [Set(old, self.value(element.type, 1), declares=True), Set(flag, asked, declares=True), Barrier(),
                      If(compared("==", flag, number(1)), [Set(element, old)]), Barrier()]
        self.variables.append(old)
        return result

    def far_away(self, depth):
        """What never happens, as the compiler does not know."""
        found = self.element()
        place = next(p for p in self.places if p.memory is found.memory)
        far = self.random.choice([70000, 1 << 20, 1 << 28])
        inside = found.index
        at = Expression(UINT, f"({inside} {self.random.choice('+-')} {far})", inside.value)
        element = Element(self.random.choice(place.names), found.memory, at, found.path)
        never = compared(">", self.argument(self.random.randrange(1, 5)), number(9))
        return [If(never, [Set(element, self.value(found.type, 0))])]

    # The whole.

    def end(self):
        """Stores variables and arrays where numpy can see them."""
        result = []
        for at, variable in enumerate(v for v in self.variables if not isinstance(v.whole, Record) or v.path):
            memory = self.buffer(f"o{at}", variable.type, self.count)
            result.append(Set(Element(memory.name, memory, identity("g", "g")), variable))
        for place, source in self.outputs:
            result += self.every(place, lambda slot: [self.copied(source, place, slot)])
        if self.lists:
            memory = self.buffer("heads", INT, self.count)
            result.append(Set(Element("heads", memory, identity("g", "g")), self.lists[0][1]))
        self.add_numbers()
        self.range = ((self.count,), (self.local,) if self.isGroup or self.chance(0.6) else None, None)
        return result

    def source(self):
        required = self.isGroup and self.seed % 3 == 0
        attribute = f"__attribute__((reqd_work_group_size({self.range[1][0]}, 1, 1))) " if required else ""
        kind = ["uint", "int", "size_t", "ulong"][self.seed % 4]
        local = "get_local_id(0)" if self.range[1] else f"(g % {self.ids_local()})"
        return self.whole_text(attribute, f"  {kind} g = get_global_id(0);\n  {kind} l = {local};\n")

    def ids_local(self):
        return self.count // self.groups

    def expected(self):
        return self.run_in(Lanes(self.count, {"g": self.ids, "l": self.ids % self.ids_local()}, self.memories))


if __name__ == "__main__":
    harness.main(Updates, __doc__)
