#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs of loops with several ends, bounds that are the lesser of two, and loops in turn, against numpy:
loops.py FIRST LAST [--widths 0,4,16] [--jobs N] [--reduce] runs those of the seeds from FIRST to LAST."""
import random

import numpy as np

import harness
from lanes import (INT, TYPES, UINT, If, Element, Expression, Leave, Memory, Set, Variable, both, chosen, compared,
                   constant, converted, either, extreme, identity, masked, number, run_all, text_of)
from rounds import CountingLanes, Rounds, Step, Table, bitwise, exact, rest

ULONG = TYPES["ulong"]
LOCAL_SIZES = (1, 3, 4, 7, 8, 16, 17, 20, 24, 32, 33, 48, 64)
SMALL_COUNTERS = ("uchar", "char", "short", "ushort")
TABLE = 2048  # elements of tables before they are cut behind the last one that is read
LAUNCHES = 4
OWN = 64      # elements that each work-item stores to
NUMBERS = ("n", "m", "all", "u", "x", "y")


class Bounds:
    """What loops may end at: the type of the counter, an end, the lesser of two, and the test of both."""

    def __init__(self, kind, end, lesser, two):
        self.kind, self.end, self.lesser, self.two = kind, end, lesser, two


class Loops(harness.Program):
    def __init__(self, seed):
        super().__init__(seed)
        self.random = random.Random(seed)
        self.values = np.random.RandomState(seed)
        while not self.make():
            pass

    def chance(self, share):
        return self.random.random() < share

    # The whole.

    def make(self):
        """Whether the program has a meaning: its loops end, no signed sum overflows, and tables are long enough."""
        dice = self.random.random()
        self.isChain = dice < 0.3         # loops that end at one of two numbers, which the loops before have counted
        self.hasEnds = 0.3 <= dice < 0.6  # short loops with several ends
        kinds = ["long", "ulong", "uint", "uint"] if self.isChain else ["int", "int", "uint", "uint", "long", "ulong"]
        self.kind = TYPES[self.random.choice(kinds)]
        self.isByGroup = self.chance(0.3)  # numbers come from memory, others for each group
        self.local = self.random.choice(LOCAL_SIZES)
        self.count = min(100, self.local * 2 + self.random.choice([0, 0, self.random.randrange(self.local)]))
        self.local = min(self.local, self.count)
        self.groups = -(-self.count // self.local)
        self.range = ((self.count,), (self.local,), None)
        self.next, self.isRestricted = 0, self.chance(0.7)
        self.around = []          # of each loop the step that `continue` needs before it, and the variable that tells its end
        self.changed = []         # variables that the loops before have changed
        self.beginOfExtra = None  # of a second counter, if the loop needs one
        self.make_memories()
        self.statements = self.body()
        self.drawn = []
        for _ in range(3 * LAUNCHES):
            self.drawn.append(self.draw_numbers())
            self.choose(-1)
            try:
                self.expected()
            except AssertionError:
                self.drawn.pop()
            if len(self.drawn) == LAUNCHES:
                break
        for memory in (self.bytes, self.ints):
            memory.size = max(memory.most, 0) + 1
            memory.initial = memory.initial[:memory.size]
        self.launches = len(self.drawn)
        return self.launches > 0

    def memory(self, name, kind, initial, base=0, size=None):
        initial = np.asarray(initial, kind.dtype)
        memory = Memory(name, kind, initial, np.zeros(self.count, np.int64) + base, size or len(initial))
        memory.most = -1
        self.memories.append(memory)
        self.arguments.append(("buffer", name))
        return memory

    def make_memories(self):
        self.memories, self.arguments = [], []
        items = np.arange(self.count)
        self.bytes = self.memory("tb", TYPES["uchar"], self.values.randint(0, 256, TABLE))
        self.ints = self.memory("ti", INT, self.values.randint(0, 61, TABLE))
        self.data = self.memory("data", INT, self.values.randint(0, self.random.choice([4, 16, 61]), self.count))
        self.own = self.memory("own", UINT, np.zeros(self.count * OWN), items * OWN, OWN)
        self.sums, self.finds, self.totals = (
            self.memory(name, kind, np.full(self.count, 77))
            for name, kind in (("sums", UINT), ("finds", self.kind), ("totals", ULONG)))

    def draw_numbers(self):
        """The numbers that work-items have in common: small ones, and some at the ends of their type."""
        limits = np.iinfo(self.kind.dtype)
        columns = zip(*(self.draw_common(int(limits.min), int(limits.max))
                        for _ in range(self.groups if self.isByGroup else 1)))
        return [np.array(column, self.kind.dtype) for column in columns]

    def choose(self, launch):
        columns = self.drawn[launch]
        self.arguments = [argument for argument in self.arguments if argument[1] != "numbers" and argument[0] == "buffer"]
        self.memories = [memory for memory in self.memories if memory.name != "numbers"]
        if self.isByGroup:
            self.memory("numbers", self.kind, np.stack(columns, 1).reshape(-1))
        else:
            self.arguments += [("value", column[0]) for column in columns]
        group = np.arange(self.count) // self.local if self.isByGroup else np.zeros(self.count, np.int64)
        self.common = {name: column[group] for name, column in zip(NUMBERS, columns)}

    def draw_common(self, lowest, highest):
        draw, count = self.random.choice, self.count
        n = draw([0, 1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 30, 32, self.random.randint(1, 40)])
        if lowest < 0 and self.chance(0.08):
            n = -self.random.randint(1, 5)
        m = draw([0, 1, 2, 3, 5, 8, 20, 33, self.random.randint(0, 100)])
        whole = draw([0, 1, count * n, count * n - 1, count * n - self.random.randint(0, 3 * abs(n) + 1), count * n // 2,
                      count * n + self.random.randint(0, 20), count, count - 1, count // 2, self.random.randint(0, 600)])
        u = draw([0, 1, 2, 3, 4, 5, 6, 17, 40])
        near = draw([0, 1, 2, n, 30])
        dice = self.random.random()
        if dice < 0.1:
            whole = highest - near
        elif dice < 0.16:
            u = highest - draw([near, n * count // 2, n * count])
        elif dice < 0.22:
            m = highest - draw([near, n * count // 2, n * count])
        elif dice < 0.25:
            n = highest - near if lowest == 0 else n
            whole = -self.random.randint(1, 100) if lowest else whole
        elif dice < 0.28 and lowest:
            u = lowest + draw([0, 1, n, count])
        x, y = draw([(5, 9), (100, 7), (0, 1), (self.random.randint(0, 99), self.random.randint(0, 99))])
        if lowest == 0:
            return [value % (highest + 1) for value in (n, m, whole, u, x, y)]
        return [min(highest, max(lowest, value)) for value in (n, m, whole, u, x, y)]

    def source(self):
        kind, restrict = self.kind.name, " restrict" if self.isRestricted else ""
        parameters = [f"global const uchar*{restrict} tb", f"global const int*{restrict} ti", "global const int* data",
                      "global uint* own", f"global uint*{restrict} sums", f"global {kind}* finds", "global ulong* totals"]
        parameters += [f"global const {kind}* numbers"] if self.isByGroup else [f"{kind} {name}" for name in NUMBERS]
        text = f"kernel void k({', '.join(parameters)}) {{\n"
        text += "  const int i = get_global_id(0), l = get_local_id(0);\n"
        if self.isByGroup:
            text += "".join(f"  const {kind} {name} = numbers[{len(NUMBERS)} * get_group_id(0) + {at}];\n"
                            for at, name in enumerate(NUMBERS))
        return text + text_of(self.statements, "  ") + "}\n"

    def expected(self):
        items = np.arange(self.count, dtype=np.int32)
        lanes = CountingLanes(self.count, {"i": items, "l": items % self.local, **self.common}, self.memories)
        run_all(self.statements, lanes, lanes.everyone)
        return lanes.data

    # Values.

    def fresh(self, kind, prefix):
        self.next += 1
        return Variable(f"{prefix}{self.next}", kind)

    def whole(self, value):
        return constant(self.kind, value)

    def sum(self, a, b):
        return exact("+", a, b)

    def difference(self, a, b):
        return exact("-", a, b)

    def product(self, a, b):
        return exact("*", a, b)

    def named(self, value, prefix):
        """The value, or a variable that is set to it before."""
        if self.chance(0.3):
            return [], value
        variable = self.fresh(self.kind, prefix)
        return [Set(variable, value, declares=True)], variable

    def small(self):
        return self.random.choice([self.u, self.whole(self.random.randint(0, 9)), self.m])

    def uniform(self):
        return self.random.choice([
            self.u, self.m, self.all, self.n, self.sum(self.u, self.m), self.difference(self.all, self.u),
            self.whole(self.random.randint(0, 70)),
            self.sum(self.product(self.u, self.whole(self.random.randint(1, 5))),
                     self.sum(bitwise("^", self.m, self.whole(self.random.randint(0, 7))), self.n))])

    def to_kind(self, value):
        return converted(value, self.kind)

    def uint_of(self, value):
        return converted(value, UINT)

    @staticmethod
    def item(name):
        return identity(name, name, INT)

    def of_item(self, memory):
        """The work-item's own element."""
        return Element(memory.name, memory, self.item("i"))

    def index(self, k):
        """An index of a table."""
        dice = self.random.random()
        if dice < 0.25:
            return k
        if dice < 0.45 and self.kind is not TYPES["ulong"]:
            return converted(k, TYPES["long"])
        if dice < 0.7:
            return masked(k, TABLE)
        if dice < 0.8:
            return self.sum(k, self.whole(self.random.randint(0, 5)))
        if dice < 0.9:
            return masked(k, 1000)
        return masked(self.sum(self.uint_of(k), self.uint_of(self.u)), TABLE)

    def read(self, k):
        memory = self.random.choice([self.bytes, self.ints])
        return Table(memory.name, memory, self.index(k))

    def own_element(self, index):
        """One of the elements that only this work-item stores to."""
        text = f"({OWN} * i + {index})"
        return Element("own", self.own, Expression(UINT, text, index.value))

    def more_to(self, value):
        return Set(self.acc, self.sum(self.product(self.acc, constant(UINT, 31)), self.uint_of(value)))

    def counted_in(self, value):
        """Adds all bits of a counter."""
        return Set(self.total, self.sum(self.total, converted(value, ULONG)))

    def added(self, value):
        return Set(self.acc, self.sum(self.acc, self.uint_of(value)))

    # Conditions.

    def uniform_test(self, k):
        order = self.random.choice(["==", "==", ">=", ">", "<"])
        return self.random.choice([
            lambda: compared(self.random.choice(["==", "==", ">=", ">"]), k, self.uniform()),
            lambda: compared(self.random.choice(["==", "==", ">=", ">"]), k, self.uniform()),
            lambda: compared(order, masked(self.random.choice([self.u, self.m, self.n]), 8),
                             constant(UINT, self.random.randrange(8))),
            lambda: compared(order, self.random.choice([self.x, self.m]), self.random.choice([self.y, self.u]))])()

    def own_test(self, k):
        return self.random.choice([
            lambda: compared("==", self.v, k),
            lambda: compared(self.random.choice([">", ">=", "=="]), k, self.sum(self.v, self.small())),
            lambda: compared("==", rest(self.acc, self.random.choice([7, 13, 31])), constant(UINT, 3)),
            lambda: compared(">", self.uint_of(Table("tb", self.bytes, masked(k, 1024))),
                             constant(UINT, self.random.randint(20, 240))),
            lambda: compared("==", masked(self.gid, self.random.choice([2, 3, 5, 8])), constant(UINT, 1)),
            lambda: compared(">=", k, self.begin)])()

    def test(self, k):
        return self.uniform_test(k) if self.chance(0.5) else self.own_test(k)

    def guard_test(self, k):
        asked = self.random.choice([
            k, self.sum(k, self.small()), self.difference(k, self.small()),
            self.sum(self.product(k, self.whole(self.random.choice([2, 3]))), self.begin)])
        bound = self.random.choice([self.limit, self.all, self.whole(self.random.randint(0, 300)),
                                    self.difference(self.all, self.n)])
        result = compared(self.random.choice(["<", "<=", ">=", ">"]), asked, bound)
        dice = self.random.random()
        if dice < 0.3:
            other = self.sum(k, self.begin) if self.chance(0.5) else k
            return both(result, compared(self.random.choice(["<", ">="]), other, self.uniform()))
        if dice < 0.45:
            return either(result, compared(self.random.choice(["<", ">="]), k, self.uniform()))
        return result

    # Statements. `depth` counts the branches and loops around.

    def block_in_parts(self, k, depth):
        return [self.statement(k, depth) for _ in range(self.random.choice([1, 1, 2, 2, 3]))]

    def block(self, k, depth):
        return sum(self.block_in_parts(k, depth), [])

    def statement(self, k, depth):
        dice = self.random.random()
        if dice < 0.2:
            return [self.random.choice([self.more_to, self.counted_in])(k)]
        if dice < 0.45:
            return [self.added(self.read(k))]
        if dice < 0.5:
            return [self.added(constant(UINT, 1))]
        if dice < 0.6:
            return [Set(self.own_element(masked(k, OWN)), self.sum(self.acc, self.uint_of(k)))]
        if dice < 0.64:
            return [Set(self.found, self.result(k))]
        if dice < 0.78 and depth < 3:
            return [If(self.guard_test(k), self.block(k, depth + 1), self.block(k, depth + 1) if self.chance(0.25) else [])]
        if dice < 0.88 and not (self.isChain and self.chance(0.8)):
            return [self.leave(k)]
        if dice < 0.91 and depth < 2 and len(self.around) < 2:
            return self.loop()
        return [If(self.own_test(k), [Set(self.acc, bitwise("^", self.acc, self.uint_of(k)))])]

    def result(self, k):
        return self.random.choice([self.x, self.y, self.x, self.y, k, self.v, self.u, self.whole(self.random.randrange(99)),
                                   chosen(self.uniform_test(k), self.x, self.y)])

    def leave(self, k):
        """An end of the loop, with a result of its own at times."""
        step, done = self.around[-1]
        inner = [Set(self.found, self.result(k))] if self.chance(0.5) else []
        if done and self.chance(0.6):
            inner.append(Set(done, constant(INT, self.random.randrange(1, 4))))
        how = self.random.choice(["break"] * 7 + ["continue"] * 2 + ["return"] * 3)
        if how == "continue" and step:
            inner.append(step)
        if how == "return":
            inner.append(Set(self.of_item(self.finds), self.result(k)))
        inner.append(Leave(how))
        if self.chance(0.2):
            inner = [self.before_end(k), If(self.test(k), inner)]
        return If(self.test(k), inner)

    def ends(self, k):
        """Two ends for all work-items at once, each with a result, and one for each of them."""
        ends = []
        for result in self.random.sample([self.x, self.y, self.u, k], 2):
            order = self.random.choice(["==", ">="])
            bound = self.random.choice([self.n, self.m, self.u, self.u, self.x, self.uniform()])
            found = [Set(self.found, result)] if self.chance(0.8) else []
            ends.append([If(compared(order, k, bound), [*found, Leave("break")])])
        own = self.random.choice([compared("==", self.v, k), self.own_test(k), self.guard_test(k)])
        inner = [Leave("break")]
        if self.chance(0.6):
            inner = [Set(self.of_item(self.finds), self.result(k)), Leave("return")]
        elif self.chance(0.5):
            inner.insert(0, Set(self.found, self.v))
        ends.append([If(own, inner)])
        self.random.shuffle(ends)
        return ends

    def before_end(self, k):
        return self.random.choice([self.more_to(k), self.added(self.read(k)), Set(self.found, self.result(k))])

    # Loops.

    def loop(self):
        counterKind = self.kind
        if self.chance(0.12):
            counterKind = TYPES[self.random.choice(SMALL_COUNTERS + ("uint", "ulong"))]
        counter = self.fresh(counterKind, "k")
        k = self.to_kind(counter)
        before, start, condition, by, index = self.shape(k, counterKind)
        how = self.random.choice(["for", "for", "for", "while", "do"])
        step = Step(counter, by, self.random.choice(["one", "behind", "whole"]))
        done = self.fresh(INT, "done") if self.chance(0.25) else None
        beginOfExtra, self.beginOfExtra = self.beginOfExtra, None
        extra = self.fresh(self.kind, "q") if beginOfExtra or self.isChain or self.chance(0.3) else None
        isFirst = how != "for" and self.chance(0.25)
        self.around.append((None if how == "for" or isFirst else step, done))
        block = []
        if self.hasEnds or (not self.isChain and self.chance(0.3)):
            block += self.ends(index)
        elif not self.isChain and self.chance(0.3):
            for _ in range(self.random.randint(1, 4)):
                block.append([self.leave(index)])
        if self.chance(0.4 if self.hasEnds or beginOfExtra else 1):
            block += self.block_in_parts(index, len(self.around))
        if extra:
            counts = Set(extra, self.sum(extra, self.whole(1)))
            if beginOfExtra is None and self.chance(0.5 if self.isChain else 0.1):
                counts = Set(extra, self.sum(extra, self.to_kind(self.read(index))))
            isPlain = self.chance(0.9 if beginOfExtra else 0.5)
            use = self.random.choice([self.more_to, self.counted_in])
            block += [[(self.counted_in if beginOfExtra else use)(extra)], [counts if isPlain else If(self.test(index), [counts])]]
        self.around.pop()
        if self.chance(0.5):
            self.random.shuffle(block)
        block = sum(block, [])
        if how != "for":
            block.insert(0 if isFirst else len(block), step)
        result = [*before, Set(counter, converted(start, counterKind), declares=True)]
        result += [Set(done, constant(INT, 0), declares=True)] if done else []
        result += [Set(extra, beginOfExtra or self.random.choice([self.begin, self.whole(0), self.u]),
                       declares=True)] if extra else []
        if not self.around:
            self.changed += ([counter] if counterKind is self.kind else []) + ([extra] * 3 if extra else []) + [self.found]
        result.append(Rounds(how, condition, block, step if how == "for" else None))
        return result + self.behind(k, done, extra)

    def behind(self, k, done, extra):
        """Uses of what the loop has counted and found."""
        result = []
        if self.chance(0.6):
            result.append(self.more_to(k))
        if self.chance(0.3):
            result.append(If(self.test(k), [self.added(k)], [self.more_to(self.found)]))
        if done:
            isDone = compared("==", done, constant(INT, self.random.randrange(1, 4)))
            result.append(If(isDone, [self.more_to(self.found)], [self.added(k)]))
        if extra:
            result.append(self.more_to(extra))
        return result + ([self.more_to(self.found)] if self.chance(0.5) else [])

    def shape(self, k, counterKind):
        """What is computed before a loop, its start, its condition, its step, and what its block counts with."""
        end = self.sum(self.begin, self.rounds)
        bounds = Bounds(counterKind, end, extreme(self.chance(0.9), *self.random.sample([end, self.limit], 2)),
                        both(*self.random.sample([compared("<", k, end), compared("<", k, self.limit)], 2)))
        shapes = [self.lesser, self.lesser, self.two, self.two, self.chosen_end, *[self.common_end] * 4, self.by_guards, self.by_guards, self.down,
                  self.unequal, self.unequal, self.counted, self.counted, self.uniform_end, self.by_exits, self.by_condition,
                  self.in_memory, self.stepped]
        if self.hasEnds and self.chance(0.8):
            shapes = [self.by_exits, self.by_exits, self.uniform_end]
        if not self.kind.isSigned and not self.hasEnds:
            shapes += [self.room] * 3
        if self.isChain and self.chance(0.8):
            shapes = [self.common_end] * 3 + [self.chosen_end] + ([] if self.kind.isSigned else [self.room] * 2)
        return self.random.choice(shapes)(k, bounds)

    def lesser(self, k, bounds):
        before, bound = self.named(bounds.lesser, "e")
        return before, self.begin, compared(self.random.choice(["<"] * 5 + ["<=", "!="]), k, bound), 1, k

    def two(self, k, bounds):
        if self.chance(0.3):  # one of them is the same for all work-items
            one = self.random.choice([bounds.lesser, self.sum(self.begin, self.m)])
            return [], self.begin, both(*self.random.sample([compared("<", k, one), compared("<", k, self.u)], 2)), 1, k
        return [], self.begin, bounds.two, 1, k

    def chosen_end(self, k, bounds):
        order = compared(self.random.choice(["<", "<=", ">", ">="]), *self.random.sample([bounds.end, self.limit], 2))
        before, bound = self.named(chosen(order, *self.random.sample([bounds.end, self.limit], 2)), "e")
        return before, self.begin, compared("<", k, bound), 1, k

    def common_end(self, k, bounds):
        """Begins at the same number in all work-items, and ends at one of two numbers, of which they share one."""
        common = self.random.choice([self.n, self.m, self.u, self.all])
        own = self.random.choice(self.changed if self.changed and self.chance(0.7) else [self.v, self.v, self.v, self.rounds])
        test = self.random.choice([compared("<", self.begin, self.limit), self.own_test(self.found),
                                   compared(">", self.random.choice([self.found, *self.changed]), self.whole(5))])
        bound = extreme(True, common, own) if self.chance(0.6) else chosen(test, common, own)
        before, bound = self.named(bound, "e")
        start = self.random.choice([self.whole(0), self.whole(0), self.u])
        return before, start, compared(self.random.choice(["<"] * 4 + ["<="]), k, bound), 1, k

    def room(self, k, bounds):
        """A number of iterations in which a second counter does not wrap around, and another one."""
        nearEnd = self.difference(self.difference(self.whole(0), self.n), self.sum(self.v, self.whole(1)))
        begin = self.fresh(self.kind, "s")
        before = [Set(begin, nearEnd if self.chance(0.7) else self.begin, declares=True)]
        hasRoom = compared("<", begin, self.difference(self.whole(0), self.n))
        bound = self.fresh(self.kind, "e")
        before.append(Set(bound, chosen(hasRoom, self.n, self.v), declares=True))
        self.beginOfExtra = begin
        start, order = self.random.choice([self.whole(0), self.u]), self.random.choice(["<", "<=", "!="])
        if self.chance(0.6):  # more iterations, of which the first ones are before zero
            start, order = self.difference(self.whole(0), self.whole(self.random.randint(1, 80))), "!="
        return before, start, compared(order, k, bound), 1, k

    def by_guards(self, k, bounds):
        """Begins at zero; guards in the block ask for the sum of the counter and a base."""
        base = self.random.choice([self.begin, self.begin, self.gid, self.difference(self.gid, self.m)])
        index = self.sum(base, k) if self.chance(0.6) else k
        by = self.random.choice([1, 1, 1, 2, 3, -1])
        if by < 0:
            return [], self.rounds, compared(">", k, self.whole(0)), by, index
        return [], self.whole(0), compared(self.random.choice(["<", "<", "<="]), k, self.rounds), by, index

    def down(self, k, bounds):
        least = self.random.choice([self.begin, extreme(False, self.begin, self.u),
                                    extreme(False, self.difference(self.all, self.rounds), self.begin)])
        start = self.random.choice([bounds.end, extreme(True, bounds.end, self.limit)])
        return [], start, compared(self.random.choice([">", ">=", "!="]), k, least), -1, k

    def unequal(self, k, bounds):
        """Ends where the counter, which may wrap around on its way, is equal to a number of its type."""
        bound = self.random.choice([bounds.end, bounds.lesser, self.n, self.sum(self.begin, self.u)])
        start = self.begin
        if not bounds.kind.isSigned and self.chance(0.3):
            start = self.difference(self.begin, self.whole(self.random.randint(1, 9)))
        bound = self.to_kind(converted(bound, bounds.kind))
        return [], start, compared("!=", k, bound), self.random.choice([1, 1, 1, -1]), k

    def counted(self, k, bounds):
        before, bound = self.named(extreme(True, self.rounds, self.difference(self.limit, self.begin)), "e")
        start = self.random.choice([self.whole(0), self.whole(0), self.whole(1), self.u])
        return (before, start, compared(self.random.choice(["<", "<", "<="]), k, bound), self.random.choice([1, 1, 1, 2]),
                self.sum(self.begin, k) if self.chance(0.5) else k)

    def uniform_end(self, k, bounds):
        bound = self.random.choice([self.n, self.m, self.sum(self.n, self.u)])
        return [], self.whole(0), compared("<", k, bound), 1, self.random.choice([k, self.sum(self.begin, k)])

    def by_exits(self, k, bounds):
        """Without a condition, or with one that holds for long."""
        condition = None if self.chance(0.5) else compared("<=", k, self.whole(100))
        return [], self.random.choice([self.whole(0), self.whole(0), self.v, self.u]), condition, 1, k

    def by_condition(self, k, bounds):
        asked = self.random.choice([compared("<", self.gid, self.u), compared("<", self.sum(self.begin, self.n), self.all),
                                    compared(">", self.v, self.whole(30))])
        other = self.random.choice([self.v, self.difference(self.limit, self.begin), self.u, self.m])
        before, bound = self.named(chosen(asked, self.random.choice([self.rounds, self.n, self.m]), other), "e")
        start = self.random.choice([self.whole(0), self.u, self.begin])
        return (before, start, compared(self.random.choice(["<", "<", "<=", "!="]), k, bound),
                self.random.choice([1, 1, 2, 3]), self.sum(self.begin, k) if self.chance(0.5) else k)

    def in_memory(self, k, bounds):
        """Asks memory for the bound, where the block may store."""
        bound = self.own_element(number(0))
        return [Set(bound, self.uint_of(bounds.lesser))], self.begin, compared("<", self.uint_of(k), bound), 1, k

    def stepped(self, k, bounds):
        condition = self.random.choice([compared("<", k, bounds.lesser), bounds.two, compared("<=", k, bounds.end)])
        return [], self.begin, condition, self.random.choice([2, 3, 4, 7]), k

    # The kernel's body.

    def body(self):
        kind = self.kind
        for name in NUMBERS:
            setattr(self, name, identity(name, name, kind))
        self.acc, self.found, self.total = Variable("acc", UINT), Variable("found", kind), Variable("total", ULONG)
        self.gid, self.v, begin = Variable("gid", kind), Variable("v", kind), Variable("begin", kind)
        result = [Set(self.gid, self.to_kind(self.item("i")), declares=True),
                  Set(self.v, self.to_kind(self.of_item(self.data)), declares=True),
                  Set(self.acc, constant(UINT, 1), declares=True), Set(self.total, constant(ULONG, 0), declares=True),
                  Set(self.found, self.random.choice([self.whole(0), self.y, self.u]), declares=True)]
        if self.chance(0.25):
            self.n = self.whole(self.random.choice([1, 2, 3, 4, 5, 8, 16, 32]))
        own = self.product(self.gid, self.n)
        starts = [own] * 5 + [self.sum(own, self.small()), self.product(self.gid, self.whole(self.random.choice([1, 2, 3, 8]))),
                              self.uniform(), self.difference(own, self.small()), self.gid, self.sum(self.gid, self.small()),
                              self.product(self.sum(self.gid, self.small()), self.n), self.v,
                              self.product(self.to_kind(self.item("l")), self.n), self.difference(self.all, own),
                              self.difference(self.whole(0), self.sum(self.n, self.sum(self.v, self.whole(1)))),
                              self.sum(self.v, self.small()), self.whole(0), self.whole(0)]
        result.append(Set(begin, self.random.choice(starts), declares=True))
        self.begin = begin
        self.rounds = self.random.choice([self.n] * 5 + [self.m, self.sum(self.n, self.whole(1)), self.v,
                                                         self.difference(self.n, self.u), self.product(self.n, self.whole(2))])
        self.limit = self.random.choice([self.all] * 6 + [
            self.difference(self.all, self.u), self.product(self.m, self.n),
            self.product(self.v, self.random.choice([self.n, self.whole(1), self.whole(3)]))])
        loops = []
        for at in range(self.random.choice([2, 2, 3] if self.isChain else [1, 2, 2, 3])):
            if at and not self.isChain and self.chance(0.6):
                loops += self.depend()
            loops += self.loop()
        if self.chance(0.15):
            loops = [If(self.random.choice([compared("<", self.gid, self.u), self.own_test(self.gid)]), loops)]
        results = [(self.sums, self.acc), (self.finds, self.found), (self.totals, self.total)]
        return result + loops + [Set(self.of_item(memory), value) for memory, value in results]

    def depend(self):
        """Has the next loop depend on what the ones before have found."""
        before, value = [], self.random.choice(self.changed)
        if self.chance(0.5):
            value = self.to_kind(bitwise("&", self.acc, constant(UINT, self.random.choice([15, 31, 63]))))
            before, value = self.named(value, "d")
        name = self.random.choice(["rounds", "rounds", "limit"])
        setattr(self, name, value)
        return before


if __name__ == "__main__":
    harness.main(Loops, __doc__)
