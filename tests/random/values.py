# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs that know their meaning are made of: elements of memory, expressions and conditions at random."""
import random

import numpy as np

import harness
from lanes import (INT, TYPES, UINT, Element, Expression, Record, Set, Variable, arithmetic, both, bounded, chosen, compared,
                   constant, either, extreme, identity, inverted, is_bounded, masked, mixed, number,
                   run_all, text_of, vector)


class Place:
    """Memory of which each work-item has `slots` elements of its own, by the names that the kernel has for it."""

    def __init__(self, space, memory, names, slots, index):
        self.space, self.memory, self.names, self.slots, self.index = space, memory, names, slots, index
        self.isBeside = False  # the element of work-item g is [g]


class Values(harness.Program):
    """Needs the attributes that its constructor makes; a generator fills them in."""

    def __init__(self, seed):
        super().__init__(seed)
        self.random = random.Random(seed)
        self.numbers = np.random.RandomState(seed)
        self.clamps = self.chance(0.5)
        self.kinds = [TYPES[self.random.choice(list(TYPES))] for _ in range(2)] + [INT]
        self.records = []
        self.places, self.variables, self.counters, self.next = [], [], [], 0
        self.parameters, self.declarations, self.ends = [], [], []
        self.local = 1       # work-items of a group
        self.idNames = "gl"  # ids that a condition may ask for

    def whole_text(self, attribute, ids):
        text = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" + "".join(r.declaration() for r in self.records)
        text += f"{attribute}kernel void k({', '.join(self.parameters)}) {{\n{ids}"
        return text + text_of(self.declarations + self.statements + self.ends, "  ") + "}\n"

    def run_in(self, lanes):
        run_all(self.declarations + self.statements + self.ends, lanes, lanes.everyone)
        return lanes.data

    def chance(self, share):
        return self.random.random() < share

    def record(self, at):
        if self.chance(0.4):
            return vector(self.random.choice(self.kinds), self.random.choice([2, 3, 4, 8]))
        members = []
        for i in range(self.random.randrange(1, 5)):
            kind = self.random.choice(["scalar", "scalar", "scalar", "vector", "array"])
            length = {"scalar": 1, "vector": self.random.choice([2, 4]), "array": 3}[kind]
            members.append((f"m{i}", self.random.choice(self.kinds), length, kind))
        return Record(f"S{at}", members)

    def contents(self, kind, count):
        """Values that are alike at times."""
        if isinstance(kind, Record):
            result = np.zeros(count, kind.dtype)
            for path, scalar in kind.scalars.items():
                result[path] = self.contents(scalar, count)
            return result
        if is_bounded(kind, self.clamps):
            return self.numbers.randint(-50, 50, count).astype(kind.dtype)
        small = self.numbers.randint(0, 100, count).astype(kind.dtype)
        if self.chance(0.6):
            return small
        wide = np.frombuffer(self.numbers.bytes(count * kind.dtype.itemsize), kind.dtype)
        return np.where(self.numbers.randint(0, 2, count) == 0, small, wide)

    def order(self, id_, items, slots):
        """How a work-item's own elements lie: what gives the index of a slot."""
        forms = ["beside", "beside", "rows", "rows", "reversed"] if slots > 1 else ["beside"] * 4 + ["reversed"]
        if items % 2 == 0:
            forms.append("pairs")
        form = self.random.choice(forms)

        def index(slot):
            text, places = {
                "beside": (f"{id_} * {slots} + {slot}", lambda i, s: i * slots + s),
                "rows": (f"{slot} * {items} + {id_}", lambda i, s: s * items + i),
                "reversed": (f"({items - 1} - {id_}) * {slots} + {slot}", lambda i, s: (items - 1 - i) * slots + s),
                "pairs": (f"({id_} ^ 1) * {slots} + {slot}", lambda i, s: (i ^ 1) * slots + s)}[form]
            if slots == 1 and form == "beside":
                text = id_
            return Expression(UINT, text, lambda lanes, mask: places(
                lanes.ids[id_], lanes.only(slot.value(lanes, mask)).astype(np.int64)))
        return index

    def fresh(self, kind, prefix="v"):
        self.next += 1
        return Variable(f"{prefix}{self.next}", kind)

    def fresh_counter(self):
        return self.fresh(INT, "k")

    def slot(self, place):
        if place.slots == 1:
            return number(0)
        fitting = [counter for counter, bound in self.counters if bound <= place.slots]
        scalars = [variable for variable in self.variables if not isinstance(variable.whole, Record)]
        dice = self.random.random()
        if fitting and dice < 0.4:
            return self.random.choice(fitting)
        if scalars and dice < 0.75:
            return masked(self.random.choice(scalars), place.slots)
        return number(self.random.randrange(place.slots))

    def element(self, kind=None, place=None, space=None):
        """A scalar of memory, of a kind if there is one."""
        places = [place] if place else [p for p in self.places if space is None or p.space in space]
        self.random.shuffle(places)
        for one in places:
            paths = ([path for path, scalar in one.memory.type.scalars.items() if kind in (None, scalar)]
                     if isinstance(one.memory.type, Record) else [None] if kind in (None, one.memory.type) else [])
            if paths:
                name = self.random.choice(one.names)
                return Element(name, one.memory, one.index(self.slot(one)), self.random.choice(paths))
        return None

    def value(self, kind, depth=1):
        """An expression."""
        dice = self.random.random()
        if depth == 0 or dice < 0.35:
            scalars = [v for v in self.variables if not isinstance(v.whole, Record)]
            alike = [v for v in scalars if v.type is kind]
            if alike and self.chance(0.7):
                return self.random.choice(alike)
            found = self.element(kind if self.chance(0.7) else None)
            if found is not None and self.chance(0.6):
                return bounded(found, kind, self.clamps)
            if scalars and self.chance(0.7):
                return bounded(self.random.choice(scalars), kind, self.clamps)
            return constant(kind, self.random.randrange(1, 9))
        one, other = self.value(kind, depth - 1), self.value(kind, depth - 1)
        if dice < 0.7:
            operators = ["+", "-"] if kind is TYPES["ushort"] else ["+", "+", "-", "*"]
            return arithmetic(self.random.choice(operators), one, other, self.clamps)
        if dice < 0.8:
            return extreme(self.chance(0.5), one, other)
        if dice < 0.9 and not kind.isFloat and not is_bounded(kind, self.clamps):
            return mixed(one, other)
        return chosen(self.condition(), one, other)

    def condition(self, depth=1):
        dice = self.random.random()
        if dice < 0.4:
            kind = self.random.choice(self.kinds)
            one, other = self.value(kind, 0), self.value(kind, 0)
            if one.text == other.text:
                other = constant(kind, self.random.randrange(1, 60))
            return compared(self.random.choice(["<", ">", "<=", ">=", "==", "!="]), one, other)
        if dice < 0.65:
            name, by = self.random.choice(self.idNames), self.random.choice([2, 2, 2, 3, 4, 5])
            rest = Expression(UINT, f"({name} % {by})", lambda lanes, mask: lanes.ids[name] % by)
            return compared(self.random.choice(["==", "!="]), rest, number(self.random.randrange(by)))
        if dice < 0.75:
            return self.below(self.random.randrange(1, self.local + 1))
        if dice < 0.8:
            argument = self.argument(self.random.randrange(1, 5))
            return compared(self.random.choice(["<", ">"]), argument, number(self.random.randrange(1, 5)))
        if self.counters and dice < 0.87:
            counter = self.random.choice(self.counters)[0]
            return compared(self.random.choice(["==", "<", ">"]), counter, number(self.random.randrange(4)))
        if depth == 0:
            return inverted(self.below(self.random.randrange(1, self.local + 1)))
        join = self.random.choice([both, either])
        return join(self.condition(depth - 1), self.condition(depth - 1))

    def target(self, kind):
        """What can be assigned to: memory more often than a variable."""
        alike = [v for v in self.variables if v.type is kind]
        found = self.element(kind)
        if found is None or (alike and self.chance(0.3)):
            return self.random.choice(alike) if alike else None
        return found

    def known_kind(self):
        found = self.element()
        return found.type if found is not None else INT

    @staticmethod
    def argument(value):
        """One of those that add_numbers() gives the kernel."""
        return Expression(INT, f"n{value}", lambda lanes, mask: np.full(lanes.count, value))

    def add_numbers(self):
        self.parameters += [f"int n{i}" for i in range(1, 5)]
        self.arguments += [("value", np.int32(i)) for i in range(1, 5)]

    def below(self, bound):
        return compared("<", identity("l", "l"), number(bound))

    def swapped(self, one, other):
        between = self.fresh(one.type, "t")
        return [Set(between, one, declares=True), Set(one, other), Set(other, between)]

    def with_slots(self, least):
        return [place for place in self.places if place.slots >= least]

    def at(self, place, slot, path):
        return Element(self.random.choice(place.names), place.memory, place.index(slot), path)

    def path(self, place):
        kind = place.memory.type
        return self.random.choice(list(kind.scalars)) if isinstance(kind, Record) else None

    def beside(self, counter, by):
        return Expression(INT, f"({counter} + {by})" if by > 0 else f"({counter} - {-by})",
                          lambda lanes, mask: counter.value(lanes, mask) + by)
