#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes bench/RESULTS.md of the files in bench/results, which have what was measured: one file a machine and date.

usage: results.py              writes the page
       results.py --check      compares the page with the data and changes nothing
       results.py --run CLOTHO-BENCH OPTION...
                               runs the benchmark, adds what it prints to bench/results, and writes the page; a run of
                               some kernels or cases only is printed and not kept

A file has lines `key<TAB>value` (machine, driver, date; others, conditions), then sections: a line `[name]`, a line with
the names of the columns, and rows, all separated by tabs. bench/results/transformations.tsv, checked.tsv and
checked-cost.tsv have one table only."""
import datetime
import math
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "bench" / "results"
PAGE = ROOT / "bench" / "RESULTS.md"
TRANSFORMATIONS = DATA / "transformations.tsv"
CHECKED, CHECKED_COST = DATA / "checked.tsv", DATA / "checked-cost.tsv"
LICENSE = "# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
KEYS = ("machine", "driver", "date")
GOAL_COLUMNS = ["what", "goal", "measured", "state"]
LATENCY_COLUMNS = ["what", "goal", "unit", "better", "Clotho"]
# Options of clotho-bench with which a run is kept; a value (--kernels=fft) restricts it.
KEPT = ("--clotho", "--vendors", "--rounds", "--latency", "--kernels", "--spellings", "--replays", "--tool", "--checked", "--json")

HEAD = """# Results

Speed of Clotho by machine. [README.md](README.md) says what is measured and how. `scripts/results.py` makes this page of the files in
[results](results), and `make bench` adds one for the machine that it runs on. Each table says with which commit of Clotho it was taken;
a newer table of the same kind from the same machine replaces the older one.

- Ratios say how many times as fast Clotho is: C++/Clotho is the time of C++ divided by Clotho's. "AVX2" is `CLOTHO_CPU=x86-64-v3`.
- W is the number of work-items that run at once ([docs/vectoriser.md](../docs/vectoriser.md)).
"""


class Measured:
    """One file of data."""

    def __init__(self, path):
        self.path, self.head, self.sections = path, {}, {}
        if not path.is_file():
            return
        name = None
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("#") or not line:
                continue
            if line.startswith("["):
                name = line[1:line.rindex("]")]
                self.sections[name] = []
            elif name is None:
                key, value = line.split("\t")
                self.head[key] = value
            else:
                self.sections[name].append(line.split("\t"))
        self.verify()

    def verify(self):
        for key in KEYS:
            if not self.head.get(key):
                sys.exit(f"{self.path}: no {key}")
        for name, table in self.sections.items():
            for row in table:
                if len(row) != len(table[0]):
                    sys.exit(f"{self.path}: [{name}]: {row[0]} has {len(row)} columns, the head has {len(table[0])}")

    def write(self):
        text = LICENSE + "".join(f"{key}\t{value}\n" for key, value in self.head.items())
        for name, table in self.sections.items():
            text += f"\n[{name}]\n" + "".join("\t".join(row) + "\n" for row in table)
        self.path.write_text(text, encoding="utf-8")


def records(table):
    return [dict(zip(table[0], row)) for row in table[1:]]


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def meets(row):
    """Whether a row of [latency] meets its goal; None if it has none."""
    goal, value = number(row["goal"]), number(row["Clotho"])
    if goal is None:
        return None
    return value is not None and (value >= goal if row["better"] == "more" else value <= goal)


def kernel_goals(name, table):
    """Goals that follow from a table of kernels."""
    suffix = name.removeprefix("kernels")
    rows = [(row["kernel"], float(row["C++/Clotho"])) for row in records(table) if number(row["C++/Clotho"])]
    slow = sorted((ratio, kernel) for kernel, ratio in rows if ratio < 0.9)
    whole = mean([ratio for _, ratio in rows])
    goals = [[f"{len(rows)} kernels{suffix}, geometric mean of C++/Clotho", "2.0", f"{whole:.2f}", "met" if whole >= 2 else "missed"],
             [f"{len(rows)} kernels{suffix}, none below 0.9 of C++", "0",
              f"{len(slow)}" + (": " + ", ".join(f"{kernel} {ratio:.2f}" for ratio, kernel in slow) if slow else ""),
              "missed" if slow else "met"]]
    for column in table[0]:
        if column.endswith("/Clotho") and column != "C++/Clotho":
            peer = column.removesuffix("/Clotho")
            ratios = [(float(row[column]), row["kernel"]) for row in records(table) if number(row[column])]
            least = min(ratios)
            goals.append([f"{len(ratios)} kernels{suffix}, slowest beside {peer}", "1", f"{least[0]:.2f} ({least[1]}); geometric mean "
                          f"{mean([ratio for ratio, _ in ratios]):.2f}", "met" if least[0] >= 1 else "missed"])
    return goals


def latency_goals(table):
    rows = [row for row in records(table) if meets(row) is not None]
    missed = [f"{row['what']} ({row['Clotho']} {row['unit']}, goal {row['goal']})" for row in rows if not meets(row)]
    return [["starting and driving: rows that miss their goal", "0", f"{len(missed)} of {len(rows)}" + (": " + "; ".join(missed) if missed else ""),
             "missed" if missed else "met"]]


def image_goals(table):
    goals = []
    for column in table[0]:
        if column.startswith("C++/Clotho"):
            slow = [f"{row['kernel']} {row[column]}" for row in records(table) if float(row[column]) < 1]
            goals.append([f"kernels on images{column.removeprefix('C++/Clotho')}, slower than C++", "0",
                          f"{len(slow)} of {len(table) - 1}" + (": " + ", ".join(slow) if slow else ""), "missed" if slow else "met"])
    return goals


def goals_of(name, table):
    if name == "goals":
        return table[1:]
    if name == "latency":
        return latency_goals(table)
    if name == "kernels on images":
        return image_goals(table)
    return kernel_goals(name, table) if name in ("kernels", "kernels, AVX2") else []


def markdown(columns, rows):
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def section_lines(name, table):
    if name == "latency":
        shown = [column for column in table[0] if column not in ("goal", "unit", "better")]
        rows = []
        for row in records(table):
            state = {True: "met", False: "MISSED", None: ""}[meets(row)]
            goal = f"{row['goal']} {row['unit']}" if row["goal"] else ""
            rows.append([row["what"], goal] + [f"{row[column]} {row['unit']}" if number(row[column]) is not None else row[column]
                                               for column in shown[1:]] + [state])
        return markdown(["what (medians)", "goal", *shown[1:], "goal is"], rows)
    return markdown(table[0], table[1:])


def machines():
    """(machine, its files, newest first), the machine that was measured last first."""
    files = sorted((Measured(path) for path in DATA.glob("*.tsv") if path not in (TRANSFORMATIONS, CHECKED, CHECKED_COST)),
                   key=lambda file: (file.head["date"], file.path.name), reverse=True)
    found = {}
    for file in files:
        found.setdefault(file.head["machine"], []).append(file)
    return found.items()


def newest(files):
    """(name, table, file) of each section; the newest file that has it counts."""
    seen = {}
    for file in files:
        for name, table in file.sections.items():
            seen.setdefault(name, (name, table, file))
    return seen.values()


def one_table(path):
    """The rows of a file that has one table only, the names of its columns first."""
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


def checked_lines():
    """What checks of kernels find, and what they cost."""
    columns, *rows = one_table(CHECKED)
    lines = ["", "## Checked kernels", "",
             "[docs/checking.md](../docs/checking.md) explains them. Times are of both launches, of a faulty kernel and its corrected version.", ""]
    found = lambda column: sum(row[columns.index(column)].startswith("found") for row in rows)
    lines += [f"Of {len(rows)} faulty kernels Clotho finds {found('Clotho')}, Debian's Oclgrind {found('Oclgrind')}.", ""]
    lines += markdown([name if name != "ms" else "ms " for name in columns], rows)
    if not CHECKED_COST.is_file():
        return lines
    columns, *rows = one_table(CHECKED_COST)
    medians = [f"{statistics.median(float(row[i]) for row in rows):.2f}" for i in range(2, len(columns))]
    about = CHECKED_COST.read_text(encoding="utf-8").splitlines()[1].removeprefix("# ")
    lines += ["", "How many times as long the benchmark's kernels take with checks, by processor time; the goals are a median of 4 with memory and",
              f"barrier, and of 12 with race. {about}.", ""]
    return lines + markdown(columns, [["median", "", *medians], *rows])


def page():
    lines = [HEAD, "## Where the goals stand", ""]
    goals = {}  # by what is measured and the machine; the newest counts
    for machine, files in machines():
        for name, table, file in newest(files):
            for what, goal, measured, state in goals_of(name, table):
                goals.setdefault((what, machine), [what, goal, machine, file.head["date"], measured, state])
    lines += markdown(["what", "goal", "machine", "date", "measured", "goal is"], sorted(goals.values(), key=lambda goal: goal[0].lower()))
    for machine, files in machines():
        lines += ["", f"## {machine}"]
        for name, table, file in newest(files):
            if name == "goals":
                continue
            head = file.head
            about = [f"commit {head['driver']}", head["date"]] + [head[key] for key in ("others", "conditions") if head.get(key)]
            lines += ["", f"### {name[0].upper()}{name[1:]}", "", "; ".join(about) + ".", ""] + section_lines(name, table)
    lines += ["", "## What single transformations gain", "",
              "Each was measured in turn with the compiler without it when it was written. The pages of",
              "[docs/transformations](../docs/transformations/README.md) explain them; `clotho-bench --ablation` measures all of today's.", ""]
    table = one_table(TRANSFORMATIONS)
    rows = [[f"[{row[0].replace('-', ' ')}](../docs/transformations/{row[0]}.md): {row[1]}", *row[2:]] for row in table[1:]]
    lines += markdown(["transformation", "measured on", "without", "with"], rows)
    lines += checked_lines()
    return "\n".join(lines) + "\n"


def printed_tables(text):
    """Tables of Markdown as lists of rows, the head first."""
    tables, rows = [], []
    for line in text.splitlines() + [""]:
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if set("".join(cells)) - set("-: "):
                rows.append(cells)
        elif rows:
            tables.append(rows)
            rows = []
    return tables


def latency_section(table):
    peers = [(index, name) for index, name in enumerate(table[0]) if index > 3 and name not in ("", "ours is")]
    rows = [LATENCY_COLUMNS + [name for _, name in peers]]
    for row in table[1:]:
        values = [row[1], row[2]] + [row[index] for index, _ in peers]
        parts = [value.split(" ", 1) if " " in value else [value, ""] for value in values]
        unit = next((part[1] for part in parts if part[1]), "")
        rows.append([row[0], parts[0][0], unit, "more" if unit == "%" else "less"] + [part[0] for part in parts[1:]])
    return rows


def rate_section(table):
    names = []
    for name in table[0]:
        names.append(f"of C++ ({names[-1]})" if name == "of C++" and name in names else name)
    return [names[:-1]] + [[cell.removesuffix(" %") for cell in row[:-1]] for row in table[1:]]


def spelling_goals(text):
    goals = []
    for column, count, whole, largest, where, above in re.findall(
            r"(?m)^(Clotho.*?): (\d+) factors, geometric mean ([\d.]+), largest ([\d.]+) \((.+?)\), (\d+) above 2.5$", text):
        suffix = column.removeprefix("Clotho")
        goals.append([f"spellings{suffix}, geometric mean of the factors", "1.3", whole, "met" if float(whole) <= 1.3 else "missed"])
        goals.append([f"spellings{suffix}, above 2.5 times the fastest", "0", f"{above} of {count}, largest {largest} ({where})",
                      "met" if above == "0" else "missed"])
    return goals


def keep(text):
    """Adds what clotho-bench has printed to the file of this machine and day."""
    machine = text.splitlines()[0].split(";")[0]
    short = re.sub(r"(, (Linux|Darwin) .*)|\((R|TM)\)", "", machine)
    today = datetime.date.today().isoformat()
    commit = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty", "--exclude=*"], capture_output=True, text=True, check=False)
    file = Measured(DATA / f"{today}-{re.sub(r'[^a-z0-9]+', '-', short.lower()).strip('-')}.tsv")
    file.head = {"machine": short, "driver": commit.stdout.strip() or "unknown", "date": today, "conditions": machine[len(short) + 2:]}
    for table in printed_tables(text):
        if table[0][0] == "what (medians)":
            file.sections["latency"] = latency_section(table)
        elif table[0][:2] == ["kernel", "family"]:
            file.sections["kernels"] = [row[:-1] for row in table]
        elif table[0][-2:] == ["replayed/program", "results"]:
            file.sections["captured launches, replayed"] = table
        elif table[0][-1] == "reports":
            about = f"{machine}; commit {file.head['driver']}; {today}"
            CHECKED_COST.write_text(f"{LICENSE}# {about}\n" + "".join("\t".join(row[:-1]) + "\n" for row in table), encoding="utf-8")
            PAGE.write_text(page(), encoding="utf-8")
        elif table[0][:2] == ["work", "unit"]:
            file.sections["rates"] = rate_section(table)
    if goals := spelling_goals(text):
        old = [row for row in file.sections.get("goals", [])[1:] if not row[0].startswith("spellings")]
        file.sections["goals"] = [GOAL_COLUMNS] + old + goals
    if not file.sections:
        return
    file.verify()
    file.write()
    print(f"\n{file.path.relative_to(ROOT)} has these figures; bench/RESULTS.md is made anew")
    PAGE.write_text(page(), encoding="utf-8")


def run(command):
    """Runs clotho-bench, shows what it prints, and keeps that if it was a whole run."""
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    words = [word for word in command[1:] if word.startswith("--")]
    restricted = any(word.split("=")[0] not in KEPT or word.startswith(("--kernels=", "--spellings=", "--replays=", "--checked=")) for word in words)
    if process.returncode == 0 and not restricted:
        keep("".join(lines))
    return process.returncode


def main():
    if sys.argv[1:2] == ["--run"]:
        return run(sys.argv[2:])
    if sys.argv[1:] == ["--check"]:
        if PAGE.read_text(encoding="utf-8") == page():
            return 0
        print("bench/RESULTS.md is not what scripts/results.py makes of bench/results: run it")
        return 1
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
