#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program with CLOTHO_TRACE and looks at its trace.

usage: check_trace.py WHAT PROGRAM CLOTHO FOLDER"""

import collections
import ctypes
import errno
import glob
import json
import os
import platform
import re
import resource
import signal
import subprocess
import sys
import time

WHAT, PROGRAM, CLOTHO, FOLDER = sys.argv[1:]
ON_GPU = os.environ.get("CLOTHO_DEVICES") == "gpu"
SCRATCH = os.path.join(FOLDER, WHAT + "-" + os.environ.get("CLOTHO_DEVICES", os.environ.get("CLOTHO_CPU_DEVICES", "near")))
os.makedirs(SCRATCH, exist_ok=True)
FILE = os.path.join(SCRATCH, "trace.json")


def run(*arguments, trace=FILE, code=0, **variables):
    """The program's output and errors."""
    for old in glob.glob(os.path.join(SCRATCH, "*")):
        os.remove(old)
    environment = dict(os.environ, CLOTHO_TRACE=trace, **variables)
    done = subprocess.run([PROGRAM, *arguments], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done.stdout, done.stderr


def load(path=FILE):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


class Trace:
    """Events by what they are."""

    def __init__(self, path=FILE):
        self.events = load(path)
        self.processes = {e["pid"]: e["args"]["name"] for e in self.events if e["name"] == "process_name"}
        self.tracks = {(e["pid"], e["tid"]): e["args"]["name"] for e in self.events if e["name"] == "thread_name"}
        slices = [e for e in self.events if e["ph"] == "X"]
        self.commands = [e for e in slices if e["pid"] != 1]
        self.work = [e for e in slices if e["pid"] == 1]

    def named(self, name, among=None):
        return [e for e in (self.commands if among is None else among) if e["name"] == name]


def tracks():
    run("everything")
    trace = Trace()
    check_format(trace.events)
    assert trace.processes[1].startswith("clotho-traced"), trace.processes
    assert len(trace.processes) == 2, trace.processes
    queues = {name for (pid, _), name in trace.tracks.items() if pid != 1}
    # Nothing is in the first queue.
    assert queues == {"queue 2 (in order)", "queue 3 (out of order)"}, queues
    for event in trace.commands + trace.work:
        assert (event["pid"], event["tid"]) in trace.tracks, event
    # Events of one track lie within each other or beside each other.
    lines = collections.defaultdict(list)
    for event in trace.commands + trace.work:
        lines[event["pid"], event["tid"]].append((round(event["ts"] * 1000), round((event["ts"] + event["dur"]) * 1000)))
    for line, spans in lines.items():
        open_ends = []
        for begin, end in sorted(spans, key=lambda span: (span[0], -span[1])):
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            assert not open_ends or end <= open_ends[-1] + 1, (trace.tracks[line], begin, end, open_ends)
            open_ends.append(end)
    # Each launch is on the threads that have run it.
    assert len(trace.named("saxpy", trace.work)) >= len(trace.named("saxpy")) > 0


def times():
    output, _ = run("everything")
    trace = Trace()
    kinds = {"write": "write buffer", "fill": "fill buffer", "read": "read buffer"}
    told = collections.defaultdict(list)
    for line in output.splitlines():
        name, *numbers = line.split()
        told[kinds.get(name, name)].append([int(number) for number in numbers])
    queues = {track for track, name in trace.tracks.items() if name == "queue 2 (in order)"}
    base = None
    for name, known in told.items():
        found = [e for e in trace.named(name) if (e["pid"], e["tid"]) in queues]
        assert len(found) == len(known), (name, found, known)
        for event, (queued, submitted, start, end) in zip(found, known):
            start_ns, length = round(event["ts"] * 1000), round(event["dur"] * 1000)
            if base is None:
                base = start - start_ns
            assert start - start_ns == base, (event, start, base)
            assert end - start == length, (event, start, end)
            assert start - queued == round(event["args"]["queued"] * 1000), (event, queued, start)
            submit = event["args"].get("submit", event["args"]["queued"])
            assert start - submitted == round(submit * 1000), (event, submitted, start)


def arrows():
    run("everything")
    trace = Trace()
    tails = {e["id"]: e for e in trace.events if e["ph"] == "s"}
    heads = {e["id"]: e for e in trace.events if e["ph"] == "f"}
    assert len(tails) == len(heads) == 5 and set(tails) == set(heads), (tails, heads)

    def command_at(event):
        around = [e for e in trace.commands if (e["pid"], e["tid"]) == (event["pid"], event["tid"]) and
                  e["ts"] - 0.0005 <= event["ts"] <= e["ts"] + e["dur"] + 0.0005]
        assert around, event
        return around[-1]["ts"] if event["ph"] == "s" else around[0]["ts"]

    for arrow, tail in tails.items():
        head = heads[arrow]
        assert head["bp"] == "e" and head["ts"] >= tail["ts"], (tail, head)
        assert command_at(tail) < command_at(head), (tail, head)


def sizes():
    _, errors = run("flood", "20000")
    trace = Trace()
    assert len(trace.named("saxpy")) == 20000, len(trace.named("saxpy"))
    size = os.path.getsize(FILE)
    assert size <= 100 * len(trace.events), (size, len(trace.events))
    last = trace.events[-1]
    assert last["name"] == "clotho_trace" and last["args"]["lost"] == 0, last
    assert last["args"]["events"] == len(trace.events) - 1, last
    assert "saxpy" in errors and "20000" in errors and "queue 1 (in order)" in errors, errors


def check_format(events):
    """Each event has what its phase needs in Chrome's trace format, and its track has a name before it."""
    phases = {"X": {"ts", "dur", "pid", "tid", "name"}, "i": {"ts", "pid", "tid", "name", "s"},
              "s": {"ts", "pid", "tid", "name", "cat", "id"}, "f": {"ts", "pid", "tid", "name", "cat", "id", "bp"}}
    named = set()
    for event in events:
        if event["ph"] == "M":
            assert event["name"] in ("process_name", "thread_name", "thread_sort_index", "clotho_trace"), event
            if event["name"] == "thread_name":
                named.add((event["pid"], event["tid"]))
            continue
        assert phases[event["ph"]] <= set(event), event
        assert (event["pid"], event["tid"]) in named, event
        assert event["ts"] >= 0 and event.get("dur", 0) >= 0 and event["name"], event


def million():
    """A trace of a million events is valid, small, and read by other programs in seconds."""
    run("flood", "500000")
    page = os.path.join(SCRATCH, "page.html")
    done = subprocess.run([CLOTHO, "trace", FILE], capture_output=True, text=True, check=True)
    subprocess.run([CLOTHO, "trace", FILE, "--html", page], capture_output=True, check=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"the program, clotho trace and clotho trace --html: {used.ru_utime + used.ru_stime:.1f} s of processor time, "
          f"{used.ru_maxrss // 1024} MiB at most; the page has {os.path.getsize(page)} bytes")
    row = next(line.split() for line in done.stdout.splitlines() if line.startswith("saxpy"))
    assert row[1] == "500000", row
    with open(page, encoding="utf-8") as file:
        hidden = int(re.search(r'"hidden":(\d+)', file.read())[1])
    begin = time.process_time()
    events = load()
    print(f"{len(events)} events, {os.path.getsize(FILE)} bytes: read by Python in {time.process_time() - begin:.1f} s, "
          f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MiB")
    assert len(events) >= 1_000_000 and events[-1]["args"]["lost"] == 0, events[-1]
    assert os.path.getsize(FILE) <= 100 * len(events), os.path.getsize(FILE)
    assert 0 < hidden < len(events), hidden  # the page has the longest blocks, and says how many it lacks
    check_format(events)
    for path in glob.glob(os.path.join(SCRATCH, "*")):
        os.remove(path)


def work():
    _, errors = run("work", CLOTHO_SPECIALISE="0")
    trace = Trace()
    saxpy, matrix, search = (trace.named(name)[0]["args"] for name in ("saxpy", "matrix", "search"))
    assert saxpy["flop"] == 2 * 65536 or abs(saxpy["flop"] / (2 * 65536) - 1) < 1e-3, saxpy
    assert abs(saxpy["bytes"] / (12 * 65536) - 1) < 1e-3, saxpy
    assert abs(matrix["flop"] / (2 * 64**3) - 1) < 1e-3, matrix
    assert abs(matrix["bytes"] / (4 * 64**2 * 6) - 1) < 1e-3, matrix  # each buffer read and written once
    assert "flop" not in search or search["flop"] == 0, search
    assert "bytes" not in search, search
    assert "GFLOP/s" in errors, errors


def builds():
    run("everything", CLOTHO_CACHE="0")
    trace = Trace()
    builds_seen = trace.named("build", trace.work)
    assert builds_seen and builds_seen[0]["args"]["of"] == "program", builds_seen
    stages = [e for name in ("front end", "builtins", "lower") for e in trace.named(name, trace.work)]
    assert len(stages) >= 3, stages
    for stage in stages[:3]:
        assert builds_seen[0]["ts"] <= stage["ts"] and stage["dur"] < builds_seen[0]["dur"], stage


def names():
    run("everything")
    trace = Trace()
    seen = {e["name"] for e in trace.commands}
    wanted = {"saxpy", "write buffer", "read buffer", "fill buffer", "map buffer", "unmap"}
    assert wanted <= seen, seen
    sizes_seen = {e["name"]: e["args"] for e in trace.commands}
    assert sizes_seen["read buffer"]["bytes"] == 4 * 65536, sizes_seen
    assert sizes_seen["saxpy"]["items"] == 65536, sizes_seen


def waits():
    run("everything")
    trace = Trace()
    assert trace.named("clFinish", trace.work) and trace.named("clWaitForEvents", trace.work)
    blocking = trace.named("blocking call", trace.work)
    assert {e["args"]["of"] for e in blocking} == {"read buffer", "map buffer"}, blocking


def is_within(event, others):
    return any(each["ts"] - 0.001 <= event["ts"] and event["ts"] + event["dur"] <= each["ts"] + each["dur"] + 0.001 for each in others)


def buffer():
    """The kernels of a command buffer are on threads, or on the queue of a GPU."""
    run("command_buffer")
    trace = Trace()
    buffers = trace.named("command buffer")
    assert len(buffers) == 4, trace.commands
    kernels = trace.named("saxpy", trace.commands if ON_GPU else trace.work)
    assert len(kernels) == 12, kernels
    if ON_GPU:
        assert all(is_within(kernel, buffers) and kernel["args"]["items"] == 64 for kernel in kernels), (kernels, buffers)


def enqueued():
    """Likewise the kernels that a kernel has enqueued."""
    run("enqueues")
    trace = Trace()
    parents = trace.named("parent")
    assert len(parents) == 1, trace.commands
    children = [e for e in (trace.commands if ON_GPU else trace.work) if "block_invoke" in e["name"]]
    assert len(children) == 2, (trace.commands, trace.work)
    if ON_GPU:
        assert all(child["args"]["items"] == 32 for child in children), children


def processes():
    # A child that uses OpenCL has a file of its own; the other one leaves the parent's alone.
    run("forks", trace=os.path.join(SCRATCH, "of-%p.json"))
    files = glob.glob(os.path.join(SCRATCH, "of-*.json"))
    assert len(files) == 2, files
    assert sorted(len(Trace(file).named("saxpy")) for file in files) == [1, 2], files
    run("forks")
    files = sorted(glob.glob(os.path.join(SCRATCH, "trace.json*")))
    assert len(files) == 2 and files[0] == FILE, files
    assert len(Trace().named("saxpy")) == 2


def launcher():
    """A process that only looks for devices leaves the file to the one that uses them, and no file if none does."""
    _, errors = run("launches", "command_buffer")
    assert glob.glob(os.path.join(SCRATCH, "*")) == [FILE], os.listdir(SCRATCH)
    assert len(Trace().named("command buffer")) == 4
    told = [line for line in errors.splitlines() if "nothing to show of clotho-traced" in line]
    assert len(told) == 1 and FILE in told[0], errors
    _, errors = run("launches", "nothing")
    assert not os.path.exists(FILE) and errors.count("nothing to show") == 1, errors


def unwritable():
    _, errors = run("everything", trace="/nonexistent/folder/trace.json")
    assert errors.count("/nonexistent/folder/trace.json") == 1 and "command" not in errors, errors


def full():
    _, errors = run("everything", trace="/dev/full")
    assert errors.count("/dev/full") == 1, errors


def killed():
    for how, code in (("kill", -signal.SIGKILL), ("fault", -signal.SIGSEGV), ("_exit", 3), ("quick_exit", 3)):
        run("leave", how, code=code)
        assert len(Trace().named("saxpy")) == 10, how


def leaves():
    _, errors = run("leave", "exit", code=3)
    assert len(Trace().named("saxpy")) == 10
    assert "saxpy" in errors, errors


def refusal_of_counters():
    """The error with which the system refuses the counters that the driver asks for; 0: it does not."""
    class Attributes(ctypes.Structure):
        _fields_ = [("type", ctypes.c_uint32), ("size", ctypes.c_uint32), ("config", ctypes.c_uint64), ("period", ctypes.c_uint64),
                    ("sample_type", ctypes.c_uint64), ("read_format", ctypes.c_uint64), ("flags", ctypes.c_uint64),
                    ("rest", ctypes.c_uint8 * 64)]

    libc, number = ctypes.CDLL(None, use_errno=True), {"x86_64": 298, "aarch64": 241}[platform.machine()]
    exclude_kernel, exclude_hypervisor = 1 << 5, 1 << 6
    for config in (0, 1, 3):  # cycles, instructions, cache misses
        attributes = Attributes(size=112, config=config, flags=exclude_kernel | exclude_hypervisor)
        descriptor = libc.syscall(number, ctypes.byref(attributes), 0, -1, -1, 0)
        if descriptor < 0:
            return ctypes.get_errno()
        os.close(descriptor)
    return 0


def counters():
    _, errors = run("everything", CLOTHO_TRACE_COUNTERS="1")
    shares = [e.get("args", {}) for e in Trace().named("saxpy", Trace().work)]
    refusal = refusal_of_counters()
    if refusal:
        told = [line for line in errors.splitlines() if "no counters in the trace: " in line]
        assert len(told) == 1 and f"(error {refusal})" in told[0], (refusal, errors)
        assert not any("cycles" in args for args in shares) and "IPC" not in errors, shares
        print("skipped:", told[0])
        sys.exit(77)
    assert shares and all(args["cycles"] > 0 and args["instructions"] > 0 and "misses" in args for args in shares), shares
    assert "IPC" in errors, errors


def refused():
    _, errors = run("refused", CLOTHO_TRACE_COUNTERS="1")
    told = [line for line in errors.splitlines() if "no counters in the trace" in line]
    assert len(told) == 1 and "the system does not allow it" in told[0] and f"(error {errno.EPERM})" in told[0], errors
    trace = Trace()
    assert len(trace.named("saxpy", trace.work)) >= len(trace.named("saxpy")) > 0
    assert not any("cycles" in e.get("args", {}) for e in trace.work) and "IPC" not in errors, errors


def off():
    _, errors = run("everything", trace="")
    assert not os.path.exists(FILE) and "trace" not in errors, errors


def arrows_of_page(text):
    """The dependencies on the page, as pairs of places among its blocks."""
    return json.loads(text[text.index('"arrows":') + len('"arrows":'):text.index(',"slices":')])


def tool():
    if not os.path.exists(CLOTHO):
        return
    for old in glob.glob(os.path.join(SCRATCH, "*")):
        os.remove(old)
    done = subprocess.run([CLOTHO, "trace", "-o", FILE, "--", PROGRAM, "leave", "exit"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 3 and "saxpy" in done.stderr, done
    again = subprocess.run([CLOTHO, "trace", FILE], capture_output=True, text=True, check=False)
    assert again.returncode == 0, again
    speed = re.search(r"this machine, measured now: ([0-9.e+]+) GB/s from and to memory, ([0-9.e+]+) GFLOP/s", again.stdout)
    assert speed and 0 < float(speed[1]) < float(speed[2]), again.stdout
    rows = [line.split()[:2] for line in done.stderr.splitlines() if line.startswith("saxpy")]
    assert rows and rows == [line.split()[:2] for line in again.stdout.splitlines() if line.startswith("saxpy")], again
    page = os.path.join(SCRATCH, "page.html")
    html = subprocess.run([CLOTHO, "trace", FILE, "--html", page], capture_output=True, text=True, check=False)
    assert html.returncode == 0, html
    with open(page, encoding="utf-8") as file:
        text = file.read()
    assert "saxpy" in text and "<script" in text and "src=" not in text, text[:400]
    assert arrows_of_page(text) == [], arrows_of_page(text)
    run("everything")
    subprocess.run([CLOTHO, "trace", FILE, "--html", page], check=True, capture_output=True)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    # a -> b, c; b, c -> d; d -> e, in the order of time.
    found = arrows_of_page(text)
    a, b, c, d, e = sorted({place for arrow in found for place in arrow})
    assert found == [[a, b], [a, c], [b, d], [c, d], [d, e]], found


globals()[WHAT]()
