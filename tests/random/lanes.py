# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small language whose programs have a text in OpenCL C and a meaning in numpy. A value is an array with one element
for each work-item of a launch, and a statement runs for the work-items of a mask."""
import numpy as np


class Type:
    """A scalar."""

    def __init__(self, name, dtype):
        self.name, self.dtype = name, np.dtype(dtype)
        self.bits = 8 * self.dtype.itemsize
        self.isFloat = self.dtype.kind == "f"
        self.isSigned = self.dtype.kind != "u"

    def of(self, number):
        return f"({self.name}){number}"


TYPES = {name: Type(name, dtype) for name, dtype in {
    "char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32, "uint": np.uint32,
    "long": np.int64, "ulong": np.uint64, "half": np.float16, "float": np.float32, "double": np.float64}.items()}
INT, UINT = TYPES["int"], TYPES["uint"]


class Record:
    """A struct, or a vector: its scalars are known by their paths, as in a.x, a.v.s3 or a.m[1]."""

    def __init__(self, name, members, isVector=False):
        """Members are (name, type, length, kind); the kind is one of scalar, vector, array."""
        self.name, self.isVector, self.scalars, self.lines = name, isVector, {}, []
        names, formats, offsets, end, most = [], [], [], 0, 1
        for member, scalar, length, kind in members:
            size = scalar.dtype.itemsize
            room = size * (4 if length == 3 else length) if kind == "vector" else size * length
            align = room if kind == "vector" else size
            most = max(most, align)
            start = -(-end // align) * align
            end = start + room
            self.lines.append(f"{scalar.name}{length if kind == 'vector' else ''} {member}"
                              + (f"[{length}]" if kind == "array" else ""))
            for i in range(length):
                path = {"scalar": member, "vector": f"{member}.s{i:x}", "array": f"{member}[{i}]"}[kind]
                path = path.lstrip(".")
                self.scalars[path] = scalar
                names.append(path)
                formats.append(scalar.dtype)
                offsets.append(start + i * size)
        self.dtype = np.dtype({"names": names, "formats": formats, "offsets": offsets,
                               "itemsize": -(-end // most) * most})

    def declaration(self):
        return "" if self.isVector else f"typedef struct {{ {' '.join(line + ';' for line in self.lines)} }} {self.name};\n"


def vector(scalar, length):
    return Record(f"{scalar.name}{length}", [("", scalar, length, "vector")], isVector=True)


class Lanes:
    """What there is while a program runs: values of variables, memory, and which work-items have left loops."""

    def __init__(self, count, ids, memories):
        self.count, self.ids, self.variables = count, ids, {}
        self.data = {memory.name: memory.initial.copy() for memory in memories}
        self.everyone = np.ones(count, bool)
        self.leaves = []  # of each loop that runs, those that have broken out and those that go on with the next round

    def only(self, value):
        return np.broadcast_to(np.asarray(value), (self.count,))


class Expression:
    """`value` is called with the lanes and the mask of those that need the value."""

    def __init__(self, kind, text, value):
        self.type, self.text, self.value = kind, text, value

    def __str__(self):
        return self.text


class Memory:
    """Elements that work-items reach by base + index, each with its own base; `size` bounds the index."""

    def __init__(self, name, kind, initial, base, size):
        self.name, self.type, self.initial, self.base, self.size = name, kind, initial, base, size


class Variable(Expression):
    def __init__(self, name, kind, path=None):
        self.name, self.path = name, path
        super().__init__(kind.scalars[path] if path else kind, f"{name}.{path}" if path else name, self.read)
        self.whole = kind

    def read(self, lanes, mask):
        value = lanes.variables[self.name]
        return value[self.path] if self.path else value

    def write(self, lanes, mask, values):
        old = lanes.variables.get(self.name)
        new = np.zeros(lanes.count, self.whole.dtype) if old is None else old.copy()
        target = new[self.path] if self.path else new
        target[mask] = lanes.only(values)[mask]
        lanes.variables[self.name] = new


class Element(Expression):
    """An element of memory, or a scalar in it, by a name that the kernel has for the memory."""

    def __init__(self, name, memory, index, path=None):
        self.memory, self.index, self.path = memory, index, path
        kind = memory.type.scalars[path] if path else memory.type
        super().__init__(kind, f"{name}[{index}]" + (f".{path}" if path else ""), self.read)

    def places(self, lanes, mask):
        index = lanes.only(self.index.value(lanes, mask)).astype(np.int64)
        isInside = (index >= 0) & (index < self.memory.size)
        assert isInside[mask].all(), f"{self} is outside"
        return np.where(mask, self.memory.base + index, 0)

    def scalars(self, lanes):
        data = lanes.data[self.memory.name]
        return data[self.path] if self.path else data

    def read(self, lanes, mask):
        return self.scalars(lanes)[self.places(lanes, mask)]

    def write(self, lanes, mask, values):
        self.scalars(lanes)[self.places(lanes, mask)[mask]] = lanes.only(values)[mask]


def constant(kind, number):
    return Expression(kind, f"({kind.of(number)})", lambda lanes, mask: np.full(lanes.count, number, kind.dtype))


def number(value):
    """An int as it stands in a text."""
    return Expression(INT, str(value), lambda lanes, mask: np.full(lanes.count, value, np.int64))


def identity(name, text, kind=UINT):
    """What each work-item is given, such as its id."""
    return Expression(kind, text, lambda lanes, mask: lanes.ids[name])


COMPARISONS = {"<": np.less, ">": np.greater, "<=": np.less_equal, ">=": np.greater_equal, "==": np.equal,
               "!=": np.not_equal}


def compared(operator, a, b):
    return Expression(None, f"({a} {operator} {b})",
                      lambda lanes, mask: COMPARISONS[operator](a.value(lanes, mask), b.value(lanes, mask)))


def both(a, b):
    def value(lanes, mask):
        first = a.value(lanes, mask)
        return first & b.value(lanes, mask & first)
    return Expression(None, f"({a} && {b})", value)


def either(a, b):
    def value(lanes, mask):
        first = a.value(lanes, mask)
        return first | b.value(lanes, mask & ~first)
    return Expression(None, f"({a} || {b})", value)


def inverted(a):
    return Expression(None, f"!{a}", lambda lanes, mask: ~a.value(lanes, mask))


def chosen(condition, a, b):
    def value(lanes, mask):
        first = lanes.only(condition.value(lanes, mask))
        return np.where(first, a.value(lanes, mask & first), b.value(lanes, mask & ~first))
    promoted = "" if a.type.isFloat or a.type.bits >= 32 else f"({a.type.name})"
    return Expression(a.type, f"({promoted}({condition} ? {a} : {b}))" if promoted else f"({condition} ? {a} : {b})", value)


def masked(value, room):
    """An index below `room` of any value."""
    kind = value.type
    isPowerOfTwo = room & (room - 1) == 0
    bits = f"(uint)(int){value}" if kind.isFloat else f"(uint){value}"
    text = f"({bits} & {room - 1})" if isPowerOfTwo else f"({bits} % {room})"
    return Expression(UINT, text,
                      lambda lanes, mask: (value.value(lanes, mask).astype(np.int64) & 0xffffffff) % room)


def is_bounded(kind, clamps):
    """Whether arithmetic of this type stays within -99 to 99 instead of wrapping around. It does so that the type has
    the operators that may not wrap, and so that floats are whole."""
    return kind.isFloat or (clamps and kind.isSigned and kind.bits >= 32)


OPERATIONS = {"+": np.add, "-": np.subtract, "*": np.multiply}


def arithmetic(operator, a, b, clamps):
    kind = a.type

    def plain(lanes, mask):
        return OPERATIONS[operator](a.value(lanes, mask), b.value(lanes, mask), dtype=kind.dtype)

    if is_bounded(kind, clamps):
        name = kind.name
        return Expression(kind, f"clamp(({name})({a} {operator} {b}), ({name})-99, ({name})99)",
                          lambda lanes, mask: np.clip(plain(lanes, mask), kind.dtype.type(-99), kind.dtype.type(99)))
    if kind.isSigned and kind.bits >= 32:
        return Expression(kind, f"({kind.name})((u{kind.name}){a} {operator} (u{kind.name}){b})", plain)
    return Expression(kind, f"({kind.name})({a} {operator} {b})", plain)


def extreme(isLeast, a, b):
    name = ("fmin" if isLeast else "fmax") if a.type.isFloat else ("min" if isLeast else "max")
    function = np.minimum if isLeast else np.maximum
    return Expression(a.type, f"{name}({a}, {b})",
                      lambda lanes, mask: function(a.value(lanes, mask), b.value(lanes, mask)))


def mixed(a, b):
    """The bits that two integers do not share."""
    return Expression(a.type, f"({a.type.name})({a} ^ {b})",
                      lambda lanes, mask: a.value(lanes, mask) ^ b.value(lanes, mask))


def converted(a, kind):
    if a.type is kind:
        return a
    if kind.isFloat and not a.type.isFloat:
        return Expression(kind, f"({kind.name})((int){a} & 63)",
                          lambda lanes, mask: (a.value(lanes, mask).astype(np.int64) & 63).astype(kind.dtype))
    if a.type.isFloat and not kind.isFloat:
        return Expression(kind, f"({kind.name})(int){a}",
                          lambda lanes, mask: a.value(lanes, mask).astype(np.int64).astype(kind.dtype))
    return Expression(kind, f"({kind.name}){a}", lambda lanes, mask: a.value(lanes, mask).astype(kind.dtype))


def bounded(a, kind, clamps):
    """A value of another type, within what the kind promises (is_bounded())."""
    if is_bounded(kind, clamps) and not kind.isFloat and not is_bounded(a.type, clamps) and a.type is not kind:
        return Expression(kind, f"(({kind.name})((int){a} & 63))",
                          lambda lanes, mask: (a.value(lanes, mask).astype(np.int64) & 63).astype(kind.dtype))
    return converted(a, kind)


# Statements: run() gives the mask of the work-items that go on with what follows.

class Statement:
    blocks = ()

    def text(self, pad):
        raise NotImplementedError

    def run(self, lanes, mask):
        raise NotImplementedError


def text_of(block, pad):
    return "".join(statement.text(pad) for statement in block)


def run_all(block, lanes, mask):
    for statement in block:
        if not mask.any():
            break
        mask = statement.run(lanes, mask)
    return mask


class Set(Statement):
    """An assignment, or with a type the declaration of a variable."""

    def __init__(self, to, value, declares=False, operator="="):
        self.to, self.value, self.declares, self.operator = to, value, declares, operator

    def text(self, pad):
        head = f"{self.to.whole.name} " if self.declares else ""
        return f"{pad}{head}{self.to} {self.operator} {self.value};\n"

    def run(self, lanes, mask):
        value = self.value.value(lanes, mask)
        if self.operator != "=":
            value = OPERATIONS[self.operator[0]](self.to.read(lanes, mask), value, dtype=self.to.type.dtype)
        self.to.write(lanes, mask, value)
        return mask


class If(Statement):
    def __init__(self, condition, block, other=()):
        self.condition, self.blocks = condition, (list(block), list(other))

    def text(self, pad):
        text = f"{pad}if ({self.condition}) {{\n{text_of(self.blocks[0], pad + '  ')}{pad}}}"
        if self.blocks[1]:
            text += f" else {{\n{text_of(self.blocks[1], pad + '  ')}{pad}}}"
        return text + "\n"

    def run(self, lanes, mask):
        isTrue = lanes.only(self.condition.value(lanes, mask)) & mask
        return run_all(self.blocks[0], lanes, isTrue) | run_all(self.blocks[1], lanes, mask & ~isTrue)


class Loop(Statement):
    """Counts up from a start as long as the counter is below an end and the condition holds, if there is one."""

    def __init__(self, counter, start, end, block, condition=None, step=1):
        self.counter, self.start, self.end, self.condition, self.step = counter, start, end, condition, step
        self.blocks = (list(block),)

    def text(self, pad):
        more = f" && {self.condition}" if self.condition else ""
        step = f"++{self.counter}" if self.step == 1 else f"{self.counter} += {self.step}"
        head = f"{self.counter.type.name} {self.counter} = {self.start}; {self.counter} < {self.end}{more}; {step}"
        return (f"{pad}for ({head}) {{\n"
                f"{text_of(self.blocks[0], pad + '  ')}{pad}}}\n")

    def run(self, lanes, mask):
        self.counter.write(lanes, mask, self.start.value(lanes, mask))
        nothing = np.zeros(lanes.count, bool)
        lanes.leaves.append([nothing, nothing])
        left, live = nothing, mask
        while True:
            goesOn = live & (self.counter.read(lanes, live) < self.end.value(lanes, live))
            if self.condition and goesOn.any():
                goesOn = goesOn & self.condition.value(lanes, goesOn)
            left = left | (live & ~goesOn)
            if not goesOn.any():
                break
            lanes.leaves[-1][1] = nothing
            live = run_all(self.blocks[0], lanes, goesOn) | lanes.leaves[-1][1]
            counted = np.add(self.counter.read(lanes, live), self.step, dtype=np.int64)
            self.counter.write(lanes, live, counted.astype(self.counter.type.dtype))
        return left | lanes.leaves.pop()[0]


class Leave(Statement):
    """break, continue or return."""

    def __init__(self, how):
        self.how = how

    def text(self, pad):
        return f"{pad}{self.how};\n"

    def run(self, lanes, mask):
        if self.how != "return":
            at = 0 if self.how == "break" else 1
            lanes.leaves[-1][at] = lanes.leaves[-1][at] | mask
        return np.zeros(lanes.count, bool)


ATOMICS = {"add": np.add, "sub": np.subtract, "xchg": lambda old, value: value, "min": np.minimum, "max": np.maximum,
           "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


class Atomic(Statement):
    """Gives what the element was before. No other work-item changes it meanwhile."""

    def __init__(self, to, operation, element, value, expected=None):
        self.to, self.operation, self.element, self.value, self.expected = to, operation, element, value, expected

    def text(self, pad):
        prefix = "atom_" if self.element.type.bits == 64 else "atomic_"
        more = f"{self.expected}, " if self.expected else ""
        return f"{pad}{self.to} = {prefix}{self.operation}(&{self.element}, {more}{self.value});\n"

    def run(self, lanes, mask):
        old = self.element.read(lanes, mask)
        value = self.value.value(lanes, mask)
        if self.expected:
            new = np.where(old == self.expected.value(lanes, mask), value, old)
        else:
            new = ATOMICS[self.operation](old, value)
        self.element.write(lanes, mask, new)
        self.to.write(lanes, mask, old)
        return mask


class Barrier(Statement):
    def text(self, pad):
        return f"{pad}barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"

    def run(self, lanes, mask):
        return mask


class Text(Statement):
    """Lines that numpy has no need of, such as declarations of arrays."""

    def __init__(self, line):
        self.line = line

    def text(self, pad):
        return f"{pad}{self.line}\n"

    def run(self, lanes, mask):
        return mask
