# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements that read elements, overwrite them under conditions, and use what was there before."""
from lanes import (ATOMICS, INT, TYPES, UINT, Atomic, Element, Expression, If, Leave, Loop, Record, Set, Variable,
                   arithmetic, both, chosen, compared, constant, is_bounded, masked, number)
from values import Values


class Statements(Values):
    """A generator says with statement() which there are; `depth` counts the branches and loops around."""

    def __init__(self, seed):
        super().__init__(seed)
        self.outer = []      # variables that live to the end
        self.inLoop = False

    def statement(self, depth):
        raise NotImplementedError

    def block(self, depth):
        before = len(self.variables)
        result = []
        for _ in range(self.random.randrange(1, 4)):
            result += self.statement(depth)
        for variable in self.variables[before:]:  # what ends here shows in what goes on
            alike = [v for v in self.outer if v.type is variable.type]
            if alike and self.chance(0.6):
                to = self.random.choice(alike)
                result.append(Set(to, arithmetic("+", to, variable, self.clamps)))
        del self.variables[before:]
        return result

    def declaration(self, depth=0):
        kind = self.random.choice(self.kinds)
        value, variable = self.value(kind, 1), self.fresh(kind)
        self.variables.append(variable)
        return [Set(variable, value, declares=True)]

    def assignment(self, depth):
        kind = self.random.choice(self.kinds)
        to = self.target(kind)
        if to is None:
            return self.declaration()
        wraps = not is_bounded(kind, self.clamps) and (kind.bits < 32 or not kind.isSigned)
        if wraps and self.chance(0.3):
            return [Set(to, self.value(kind, 1), operator=self.random.choice(["+=", "-="]))]
        if self.chance(0.2):
            return [Set(to, chosen(self.condition(), self.value(kind, 1), to))]
        return [Set(to, self.value(kind, 2))]

    def read_and_overwrite(self, depth):
        """What was there before, if a condition holds, and the use of it."""
        found = self.element()
        kind, old = found.type, self.fresh(found.type, "old")
        if kind is not INT and kind not in self.kinds:
            self.kinds.append(kind)
        start = self.value(kind, 1)
        condition = self.condition()
        again = found if self.chance(0.7) else self.element(kind)
        inner = [Set(old, found)]
        self.variables.append(old)
        if self.chance(0.3) and (to := self.target(kind)) is not None:
            inner.append(Set(to, self.value(kind, 1)))
        inner.append(Set(again, self.value(kind, self.random.randrange(2))))
        if self.chance(0.2):
            inner = [If(self.condition(), inner)]
        if self.chance(0.2) and depth < 3:
            inner += self.block(depth + 1)
        other = [Set(old, self.value(kind, 1))] if self.chance(0.15) else []
        result = [Set(old, start, declares=True), If(condition, inner, other)]
        dice = self.random.random()
        if dice < 0.4:
            to = self.target(kind)
            if to is not None:
                result.append(Set(to, arithmetic("+", old, self.value(kind, 0), self.clamps)))
        elif dice < 0.6:
            result.append(Set(found, chosen(condition, old, self.value(kind, 1))))
        return result

    def swap(self, depth):
        one = self.element()
        other = self.element(one.type)
        if self.chance(0.5):
            return [If(compared(self.random.choice("<>"), one, other), self.swapped(one, other))]
        return [If(self.condition(), self.swapped(one, other))]

    def pairs(self, depth):
        """One pass through neighbours, each pair of which is put in order with its values."""
        keys = self.with_slots(2)
        if not keys:
            return self.swap(depth)
        key = self.random.choice(keys)
        value = self.random.choice(self.places)
        counter, path, other = self.fresh_counter(), self.path(key), self.path(value)
        one, next_ = self.at(key, counter, path), self.at(key, self.beside(counter, 1), path)
        inner = self.swapped(one, next_)
        if value.slots >= key.slots and value is not key:
            inner += self.swapped(self.at(value, counter, other), self.at(value, self.beside(counter, 1), other))
        condition = compared(self.random.choice("<>"), one, next_)
        if self.chance(0.3):
            condition = both(condition, self.condition())
        return [Loop(counter, number(0), number(key.slots - 1), [If(condition, inner)])]

    def insertion(self, depth):
        """Moves elements up as long as they are larger, and puts one below them."""
        keys = self.with_slots(2)
        if not keys:
            return self.swap(depth)
        place, path = self.random.choice(keys), None
        path = self.path(place)
        outer, inner = self.fresh_counter(), self.fresh_counter()
        found = self.fresh(self.at(place, outer, path).type, "x")
        at = self.fresh(INT, "j")
        upper, lower = self.at(place, at, path), self.at(place, self.beside(at, -1), path)
        goesOn = both(compared(">", at, number(0)), compared(">", lower, found))
        moves = Loop(inner, number(0), number(place.slots), [Set(upper, lower), Set(at, self.beside(at, -1))], goesOn)
        return [Loop(outer, number(1), number(place.slots),
                     [Set(found, self.at(place, outer, path), declares=True), Set(at, outer, declares=True), moves,
                      Set(upper, found)])]

    def stack(self, depth):
        """Elements come and go at the top."""
        places = self.with_slots(2)
        if not places:
            return self.read_and_overwrite(depth)
        place, top = self.random.choice(places), self.fresh(INT, "top")
        path = self.path(place)
        element = self.at(place, top, path)
        popped = self.fresh(element.type, "old")
        counter = self.fresh_counter()
        start = constant(INT, self.random.randrange(place.slots))
        self.variables.append(popped)
        push = If(both(compared("<", top, number(place.slots)), self.condition()),
                  [Set(element, self.value(element.type, 1)), Set(top, self.beside(top, 1))])
        below = self.at(place, self.beside(top, -1), path)
        pop = If(both(compared(">", top, number(0)), self.condition()),
                 [Set(popped, below), Set(below, self.value(element.type, 0)), Set(top, self.beside(top, -1))])
        steps = [push, pop] if self.chance(0.5) else [pop, push]
        start_value = Set(popped, constant(element.type, 5), declares=True)
        return [start_value, Set(top, start, declares=True), Loop(counter, number(0), self.rounds()[0], steps)]

    def several_names(self, depth):
        """Loads before and behind a store to what may be the same element."""
        found = self.element()
        kind = found.type
        place = next(p for p in self.places if p.memory is found.memory)
        again = Element(self.random.choice(place.names), found.memory, place.index(self.slot(place)), found.path)
        before, behind = self.fresh(kind, "v"), self.fresh(kind, "v")
        store = Set(again, self.value(kind, 1))
        stores = [If(self.condition(), [store])] if self.chance(0.6) else [store]
        result = [Set(before, found, declares=True), *stores, Set(behind, found, declares=True)]
        self.variables += [before, behind]
        return result

    def atomic(self, depth):
        places = [p for p in self.places if p.space != "private" and p.memory.type in
                  (INT, UINT, TYPES["long"], TYPES["ulong"], TYPES["float"])]
        if not places:
            return self.read_and_overwrite(depth)
        place = self.random.choice(places)
        element = self.at(place, self.slot(place), None)
        kind, old = element.type, self.fresh(element.type, "old")
        expected = None
        operation = "xchg" if kind.isFloat else self.random.choice([*ATOMICS, "cmpxchg"])
        if operation == "cmpxchg":
            expected = element if self.chance(0.5) else self.value(kind, 1)
        result = [Set(old, self.value(kind, 0), declares=True)]
        self.variables.append(old)
        change = Atomic(old, operation, element, self.value(kind, 0), expected)
        result.append(If(self.condition(), [change]) if self.chance(0.8) else change)
        if self.chance(0.5) and (to := self.target(kind)) is not None:
            result.append(If(compared(">", old, self.value(kind, 0)), [Set(to, old)]))
        return result

    def records_whole(self, depth):
        """Structs and vectors in one piece."""
        places = [p for p in self.places if isinstance(p.memory.type, Record)]
        if not places:
            return self.swap(depth)
        place = self.random.choice(places)
        alike = [p for p in places if p.memory.type is place.memory.type]
        one, other = (Element(self.random.choice(p.names), p.memory, p.index(self.slot(p)))
                      for p in (place, self.random.choice(alike)))
        kind = place.memory.type
        if self.chance(0.5):
            return [If(self.condition(), self.swapped(one, other))]
        old = self.fresh(kind, "s")
        path = self.random.choice(list(kind.scalars))
        member = Variable(old.name, kind, path)
        self.kinds += [member.type] if member.type not in self.kinds else []
        result = [Set(old, one, declares=True), If(self.condition(), [Set(old, other), Set(other, one)])]
        if self.chance(0.5):
            result.append(Set(member, self.value(member.type, 1)))
        self.variables.append(member)
        return result + ([If(self.condition(), [Set(one, old)])] if self.chance(0.7) else [])

    def branch(self, depth):
        condition = self.condition()
        return [If(condition, self.block(depth + 1), self.block(depth + 1) if self.chance(0.3) else [])]

    def rounds(self):
        """An end for a loop, and what it is at most."""
        most = self.random.randrange(1, 5)
        dice = self.random.random()
        if dice < 0.3:
            return number(most), most
        if dice < 0.6:
            return self.argument(most), most
        bits = masked(self.value(self.random.choice(self.kinds), 0), 4)
        return Expression(INT, f"(int){bits}", bits.value), 3

    def loop(self, depth):
        counter = self.fresh(TYPES[self.random.choice(["int"] * 5 + ["uint", "uchar", "short", "long"])], "k")
        end, most = self.rounds()
        self.counters.append((counter, most))
        outside, self.inLoop = self.inLoop, True
        # The end is asked for in each round, so that it must not depend on what the body changes.
        bound = self.fresh(INT, "e")
        block = self.block(depth + 1)
        self.inLoop = outside
        self.counters.pop()
        return [Set(bound, end, declares=True), Loop(counter, number(0), bound, block)]

    def leave(self, depth):
        ways = ["break", "continue"] * 3 if self.inLoop else []
        return [If(self.condition(), [Leave(self.random.choice(ways + ["return"]))])]
