#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The builtin functions of OpenCL C, as clang's header and ours declare them with what src/base/claims.def claims.

  builtins.py --write            writes docs/builtins.tsv
  builtins.py --check            fails when the table is not what --write would write
  builtins.py --build TOOL STD   builds kernels that call every signature in that version of the language, by the command
                                 line tool, and fails when one does not build; --emit STAGE goes no further than that;
                                 --vectorised calls one signature of each function and type of argument with values that
                                 differ from work-item to work-item, and also fails when work-items run one after the other
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLANG = "/usr/lib/llvm-22/bin/clang"
RESOURCES = "/usr/lib/llvm-22/lib/clang/22"
VERSIONS = ["CL1.2", "CL2.0", "CL3.0"]
TABLE = ROOT / "docs" / "builtins.tsv"
OWN_HEADERS = ["intel_subgroups.h", "intel_split_barrier.h", "intel_bfloat16_conversions.h",
               "extended_async_copies.h", "work_group_arithmetic.h"]
# Not functions of OpenCL C but of other extensions, which clang's header declares whatever is claimed.
FOREIGN = re.compile(r"amd_|intel_sub_group_avc_|intel_sub_group_block_prefetch|ndrange_|__builtin")
# How an image is declared: access and type.
IMAGE = re.compile(r"^(?:__)?(read_only|write_only|read_write)(?: __\w+)? (image\w+_t)(?: \w+)?$")
CALLS_IN_A_KERNEL = 24
# One is as long as a small kernel.
IMAGE_CALLS_IN_A_KERNEL = 4
KERNELS_IN_A_PROGRAM = 16

Function = collections.namedtuple("Function", "result name parameters")


def claims():
    text = (ROOT / "src/base/claims.def").read_text()
    extensions = re.findall(r"^CLAIM_EXTENSION\((\w+),.*true, [^)]*\)", text, re.M)
    return extensions, re.findall(r"^CLAIM_FEATURE\((\w+), [^)]*\)", text, re.M), re.findall(
        r"^CLAIM_EXTENSION_FEATURE\((\w+), [^)]*\)", text, re.M)


def declarations(std):
    """In the order of the headers, each once."""
    extensions, features, extension_features = claims()
    command = [CLANG, "-cc1", "-triple", "spir64", "-x", "cl", f"-cl-std={std}", "-finclude-default-header",
               "-resource-dir", RESOURCES, "-internal-isystem", RESOURCES + "/include", "-ast-print",
               "-cl-ext=" + ",".join(["-all"] + ["+" + name for name in extensions + features])]
    command += [f"-D{name}=1" for name in extensions + extension_features]
    for header in OWN_HEADERS:
        command += ["-include", str(ROOT / "src/compiler/frontend" / header)]
    text = subprocess.run(command + ["-"], input="", capture_output=True, text=True, check=True).stdout
    functions = {}
    for line in text.splitlines():
        if line.startswith(("typedef", "struct", "enum", " ", "}")):
            continue
        line = re.sub(r"__attribute__\(\(.*?\)\)\s*(?=[^)])", "", line)
        match = re.fullmatch(r"\s*([\w ]+?\s*\*?)\s*(\w+)\((.*)\)\s*;\s*", line)
        if not match or FOREIGN.match(match[2]) or "printf" in match[2] or "queue" in match[3] or "msaa" in match[3]:
            continue
        # Slips of the header's.
        if ("block_write" in match[2] and "read_only" in match[3]) or match[2].endswith("_ul16"):
            continue
        # Of no extension, though the header has them: levels of images that are read and written.
        if "read_write" in match[3] and ("sampler_t" in match[3] or (
                match[2].startswith("write_image") and match[3].count(",") == 3)):
            continue
        parameters = [p.strip() for p in match[3].split(",")]
        parameters = [IMAGE.sub(r"\1 \2", p) for p in parameters]
        parameters = [re.sub(r"\s*\*\s*\w*$", " *", p) for p in parameters]
        parameters = [p if "image" in p else re.sub(r"^(\w+) \w+$", r"\1", p) for p in parameters]
        function = Function(match[1].strip(), match[2], tuple(p for p in parameters if p not in ("", "void")))
        if re.search(r"\b(ndrange_t|clk_event_t|reserve_id_t|queue_t)\b", " ".join(function.parameters)):
            continue
        functions[function] = True
    return list(functions)


# --- The table ---

TYPES = ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "half"]
TYPE = re.compile(r"\b(" + "|".join(TYPES) + r")(2|3|4|8|16)?\b")


def folded(function):
    """Name and signature with T for the type of the first parameter, U and S for the unsigned and signed one of its size,
    n for the length of vectors; then that type and length."""
    types = [function.result, *function.parameters]
    first = next((m for t in types[1:] for m in TYPE.finditer(t)), None)
    element = first[1] if first else "-"
    lengths = {m[2] for t in types for m in TYPE.finditer(t) if m[2]}
    length = lengths.pop() if len(lengths) == 1 else "mixed" if lengths else "1"
    names = {element: "T"}
    if element in TYPES[:8]:
        names.setdefault("u" + element.lstrip("u"), "U")
        names.setdefault(element.lstrip("u"), "S")
    # The other types of a conversion, and indices, are what they are.
    text = [TYPE.sub(lambda m: names.get(m[1], m[1]) + (("n" if length != "mixed" else m[2]) if m[2] else ""), t)
            for t in types]
    name = function.name
    if name.startswith("convert_"):
        name = re.sub(r"^(convert_[a-z]+)\d+", r"\1n", name)
        text[0] = TYPE.sub(lambda m: m[1] + ("n" if m[2] else ""), types[0])
    return name, text, element, length


def scalarOf(name, text):
    """What a signature of vectors is for scalars."""
    return re.sub(r"^(convert_[a-z]+)n", r"\1", name), [re.sub(r"\b(T|U|S|" + "|".join(TYPES) + r")n\b", r"\1", t) for t in text]


def lengthsText(lengths):
    return ",".join(sorted(lengths, key=lambda w: int(w) if w.isdigit() else 0))


def table():
    rows = {}  # (name, signature) -> version -> type -> lengths
    shown = lambda text: f"{text[0]} ({', '.join(text[1:])})"
    for std in VERSIONS:
        functions = [folded(f) for f in declarations(std)]
        vectors = {}  # of a scalar's signature: the one of its vectors
        for name, text, element, length in functions:
            if length not in ("1", "mixed"):
                scalar, scalars = scalarOf(name, text)
                vectors[scalar, shown(scalars), element] = (name, shown(text))
        for name, text, element, length in functions:
            key = (name, shown(text))
            if length == "1":
                key = vectors.get((*key, element), key)
            rows.setdefault(key, {}).setdefault(std, {}).setdefault(element, set()).add(length)
    lines = ["# Every builtin function of OpenCL C that is claimed, by scripts/builtins.py from clang's declarations and ours.",
             "# T: each of the types that the columns of the versions list; U and S: the unsigned and the signed one of its size;",
             "# n: the lengths of vectors that stand behind the types, 1 for scalars; =: as in the version before.",
             "# tests/builtins compiles a call of each to lowered IR, at width 1 and without optimisation: nothing may stay undefined there;",
             "# and a call of one signature of each name and type to machine code, vectorised.",
             "name\tsignature\t" + "\t".join(VERSIONS)]
    for (name, signature), versions in sorted(rows.items()):
        cells = []
        for std in VERSIONS:
            byLengths = collections.OrderedDict()
            for element in sorted(versions.get(std, {}), key=(TYPES + ["-"]).index):
                byLengths.setdefault(lengthsText(versions[std][element]), []).append(element)
            cells.append("; ".join(f"{' '.join(elements)}: {lengths}" for lengths, elements in byLengths.items()) or "-")
        # Most are the same in all versions.
        lines.append("\t".join([name, signature, cells[0]] + ["=" if cells[i] == cells[i - 1] else cells[i] for i in (1, 2)]))
    return "\n".join(lines) + "\n"


# --- Calls ---

SPACES = {"__global": "g", "__local": "l", "__constant": "c", "__private": "p"}
CONSTANTS = {"event_t": "0", "memory_order": "memory_order_relaxed", "memory_scope": "memory_scope_device",
             "cl_mem_fence_flags": "CLK_LOCAL_MEM_FENCE", "sampler_t": "sampler"}


def argument(function, index, turn, item):
    """An expression of the parameter's type, that no compiler knows the value of where it may be any; that of `item`."""
    parameter = function.parameters[index]
    if parameter in CONSTANTS:
        return CONSTANTS[parameter]
    if IMAGE.match(parameter):
        return parameter.replace(" ", "_")
    if not parameter.endswith("*"):
        # What has to be a constant.
        if "clustered" in function.name and index == 1:
            return "1u"
        if function.name.startswith(("get_", "sub_group_non_uniform_broadcast")) and parameter == "uint":
            return "0u"
        return f"((__global {parameter}*)(g + {64 + 256 * index}))[{item}]"
    space = next((s for s in SPACES if s in parameter), None)
    if "__generic" in parameter or space is None:
        space = ["__global", "__local", "__private"][turn % 3]
        parameter = re.sub(r"__generic\b", "", parameter)
        if "event_t" in parameter:
            return "&e"
        parameter = f"{parameter.rstrip('*').strip()} {space} *"
    if "event_t" in parameter:
        return "&e"
    return f"({parameter}){SPACES[space]}" + (f" + {item}" if space != "__private" else "")


def call(function, turn, item):
    to = f"(g + {4096 + 128 * (turn % CALLS_IN_A_KERNEL)})"
    text = f"{function.name}({', '.join(argument(function, i, turn, item) for i in range(len(function.parameters)))})"
    if function.result == "void":
        return text
    if function.result == "event_t":
        return "e = " + text
    if function.result.endswith("*"):
        return f"((__global ulong*){to})[{item}] = (ulong){text}"
    return f"((__global {function.result}*){to})[{item}] = {text}"


def oneOfEach(functions):
    """One signature for each name and type of the first argument, of the lengths and address spaces in turn. Conversions
    have a test of their own."""
    groups = {}
    for function in functions:
        name, _, element, _ = folded(function)
        if not name.startswith("convert_"):
            groups.setdefault((name, element), []).append(function)
    return [group[(turn + turn // len(group)) % len(group)] for turn, group in enumerate(groups.values())]


def programs(std, vectorised):
    kernels = []
    functions = declarations(std)
    if vectorised:
        functions = oneOfEach(functions)
    item = "i" if vectorised else "0"
    ofImages = [f for f in functions if any(IMAGE.match(p) for p in f.parameters)]
    others = [f for f in functions if f not in set(ofImages)]
    groups = [others[i:i + CALLS_IN_A_KERNEL] for i in range(0, len(others), CALLS_IN_A_KERNEL)]
    groups += [ofImages[i:i + IMAGE_CALLS_IN_A_KERNEL] for i in range(0, len(ofImages), IMAGE_CALLS_IN_A_KERNEL)]
    first = 0
    for group in groups:
        body = "".join(f"  {call(f, first + i, item)};\n" for i, f in enumerate(group))
        images = sorted({p for f in group for p in f.parameters if IMAGE.match(p)})
        objects = "".join(f", {p} {p.replace(' ', '_')}" for p in images) + (", sampler_t sampler" if images else "")
        kernels.append(f"kernel void k{first}(__global char* g, __local char* l, __constant char* c{objects}) {{\n"
                       f"  const size_t i = get_global_id(0);\n"
                       f"  __private long16 private_memory[4];\n  __private char* p = (__private char*)private_memory;\n"
                       f"  event_t e = 0;\n  p[0] = g[0];\n{body}  g[1] = p[g[2]];\n}}\n")
        first += len(group)
    for first in range(0, len(kernels), KERNELS_IN_A_PROGRAM):
        yield "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" + "".join(kernels[first:first + KERNELS_IN_A_PROGRAM])


# What may run for one lane after the other: what changes memory or asks the processor, events of the device among it,
# and libclc's functions of vectors that fill registers for one lane alone.
LANE_BY_LANE = re.compile(r"\batom(ic)?_|\bclock_|_event\(|\(\(__global double(8|16)\*|lgamma.*double[234]\*")


def leftScalar(source, report):
    """The lines of the source that were to be vectorised and are not, by the report of the vectoriser."""
    lines = source.split("\n")
    for kernel in re.split(r"^(?=kernel )", report, flags=re.M):
        if re.match(r"kernel \w+: 1 work-item\b", kernel):
            yield kernel.split("\n")[0]
        for numbers in re.findall(r"^  one lane after the other, lines: (.*)", kernel, re.M):
            yield from (line for line in (lines[int(n) - 1] for n in numbers.split(", ")) if not LANE_BY_LANE.search(line))


def build(tool, std, emit, options, vectorised):
    failures = 0
    # Whether it is worth it, as with kernels of atomics alone, is not the question.
    options = f"-cl-std={std} {options}" + (" -clotho-report -clotho-width=16" if vectorised else "")
    for number, source in enumerate(programs(std, vectorised)):
        result = subprocess.run([tool, "compile", "-", "--options", options, f"--emit={emit}", "-o", "/dev/null"],
                                input=source, capture_output=True, text=True, check=False)
        complaint = result.stderr[:4000] if result.returncode != 0 else ""
        if vectorised and not complaint:
            if "work-items at once" not in result.stderr:
                complaint = "no report of the vectoriser"
            complaint += "".join(f"one lane after the other: {line.strip()}\n" for line in leftScalar(source, result.stderr))
        if complaint:
            failures += 1
            print(f"{std}, program {number}:\n{complaint}")
    return failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--build", nargs=2, metavar=("TOOL", "STD"))
    parser.add_argument("--print", metavar="STD")
    parser.add_argument("--emit", default="so")
    parser.add_argument("--options", default="")
    parser.add_argument("--vectorised", action="store_true")
    arguments = parser.parse_args()
    if arguments.write:
        TABLE.write_text(table())
    if arguments.check and TABLE.read_text() != table():
        sys.exit("docs/builtins.tsv is not what scripts/builtins.py --write writes")
    if arguments.print:
        print("\n".join(programs(arguments.print, arguments.vectorised)))
    if arguments.build and build(*arguments.build, arguments.emit, arguments.options, arguments.vectorised):
        sys.exit(1)


if __name__ == "__main__":
    main()
