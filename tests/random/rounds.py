# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops of any kind, and integers whose arithmetic is exact: what loops.py adds to the language of lanes.py."""
import numpy as np

from lanes import (INT, OPERATIONS, UINT, Element, Expression, Lanes, Set, Statement, constant, converted, run_all,
                   text_of)

MOST_ROUNDS = 150  # of one loop each time that it runs
MOST_IN_ALL = 600  # of all loops of a launch


class Rounds(Statement):
    """A loop: `how` is for, while or do. It counts with a statement of its own in its head, or with one in its block.
    Without a condition only its block leaves it."""

    def __init__(self, how, condition, block, step=None):
        self.how, self.condition, self.step = how, condition, step
        self.blocks = (list(block),)

    def text(self, pad):
        block = f"{{\n{text_of(self.blocks[0], pad + '  ')}{pad}}}"
        if self.how == "do":
            return f"{pad}do {block} while ({self.condition or 'true'});\n"
        if self.how == "while":
            return f"{pad}while ({self.condition or 'true'}) {block}\n"
        step = self.step.text("").rstrip(";\n") if self.step else ""
        return f"{pad}for (; {self.condition or ''}; {step}) {block}\n"

    def run(self, lanes, mask):
        nothing = np.zeros(lanes.count, bool)
        lanes.leaves.append([nothing, nothing])
        left, live, rounds = nothing, mask, 0
        while live.any():
            if self.condition and (rounds or self.how != "do"):
                goesOn = live & self.condition.value(lanes, live)
                left, live = left | (live & ~goesOn), goesOn
                if not live.any():
                    break
            rounds += 1
            lanes.rounds += 1
            assert rounds <= MOST_ROUNDS and lanes.rounds <= MOST_IN_ALL, "a loop may not end"
            lanes.leaves[-1][1] = nothing
            live = run_all(self.blocks[0], lanes, live) | lanes.leaves[-1][1]
            if self.step and live.any():
                live = self.step.run(lanes, live)
        return left | lanes.leaves.pop()[0]


class CountingLanes(Lanes):
    """Lanes that count the iterations of all loops."""

    def __init__(self, count, ids, memories):
        super().__init__(count, ids, memories)
        self.rounds = 0


class Step(Set):
    """Adds a number to a counter, which wraps around if its type does; `form` is one of the ways to write it."""

    def __init__(self, counter, by, form):
        sign, size = "-" if by < 0 else "+", abs(by)
        wide = counter if counter.type.bits >= 32 else converted(counter, INT)
        super().__init__(counter, exact(sign, wide, constant(wide.type, size)))
        self.line = f"{counter} {sign}= {size}"
        if form == "whole":
            self.line = f"{counter} = {counter} {sign} {size}"
        elif size == 1:
            self.line = f"{sign * 2}{counter}" if form == "one" else f"{counter}{sign * 2}"

    def text(self, pad):
        return f"{pad}{self.line};\n"


class Table(Element):
    """An element of memory that is read at any index: the memory is told the greatest one."""

    def places(self, lanes, mask):
        places = super().places(lanes, mask)
        if mask.any():
            self.memory.most = max(self.memory.most, int(places[mask].max()))
        return places


def exact(operator, a, b):
    """Arithmetic of values with 32 bits or 64. Signed ones may not overflow where the result is needed."""
    kind = a.type

    def value(lanes, mask):
        one, other = (lanes.only(each.value(lanes, mask)).astype(kind.dtype) for each in (a, b))
        result = OPERATIONS[operator](one, other)
        if kind.isSigned:
            wide = OPERATIONS[operator](one.astype(np.float64), other.astype(np.float64))
            assert (np.abs(wide - result) < 2.0 ** (kind.bits - 1))[mask].all(), "a sum overflows"
        return result
    return Expression(kind, f"({a} {operator} {b})", value)


BITWISE = {"&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor}


def bitwise(operator, a, b):
    return Expression(a.type, f"({a} {operator} {b})",
                      lambda lanes, mask: BITWISE[operator](a.value(lanes, mask), b.value(lanes, mask)))


def rest(value, by):
    """The remainder of an unsigned division."""
    return Expression(UINT, f"({value} % {by}u)", lambda lanes, mask: value.value(lanes, mask) % np.uint32(by))
