#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws docs/speed.svg from the table of kernels of one file in bench/results: for each family of kernels, how many times
as fast as plain C++ Clotho is, and PoCL. usage: chart.py [--check]; --check compares with the file, and README's line of
speed with the table, and changes nothing."""
import math
import pathlib
import sys

from results import DATA, Measured, records

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHART = ROOT / "docs" / "speed.svg"
# The run that the README shows.
RUN = DATA / "2026-11-23-epyc-zen5.tsv"
WIDTH, LEFT, RIGHT, TOP, ROW, BOTTOM = 720, 170, 60, 64, 19, 40
# The axis is logarithmic: twice as fast and half as fast are equally far from the line of C++.
LEAST, MOST = 1 / 32, 32
# Families as bench/ names them, in words for readers who do not know it.
NAMES = {"bodies": "n-body", "collective": "reductions, scans", "divergence": "divergent branches", "half": "half precision",
         "hash": "hashes", "math": "math functions", "matrix": "matrices", "picture": "image processing",
         "private": "private arrays", "random": "random numbers", "signal": "FFT", "small integer": "small integers",
         "sort": "sorting", "stencil": "stencils"}
STYLE = """
    text { font: 12px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328; }
    .panel { fill: #ffffff; stroke: #d1d9e0; }
    .title { font-size: 14px; font-weight: 600; }
    .all { font-weight: 600; }
    .faint { fill: #59636e; }
    .grid { stroke: #e4e8ec; }
    .one { stroke: #59636e; stroke-dasharray: 4 3; }
    .span { stroke: #c3ccd5; stroke-width: 3; }
    .clotho { fill: #0b7a75; }
    .pocl { fill: #ffffff; stroke: #b35900; stroke-width: 2; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .panel { fill: #0d1117; stroke: #3d444d; }
      .faint { fill: #9198a1; }
      .grid { stroke: #21262d; }
      .one { stroke: #9198a1; }
      .span { stroke: #3d444d; }
      .clotho { fill: #3ecfc6; }
      .pocl { fill: #0d1117; stroke: #f0883e; }
    }
"""


def rows():
    """(family, C++/Clotho, PoCL/Clotho) of each kernel."""
    return [(row["family"], float(row["C++/Clotho"]), float(row["PoCL/Clotho"])) for row in records(Measured(RUN).sections["kernels"])]


def mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


def lines(kernels):
    """(name, Clotho, PoCL) as times as fast as C++: the mean of all kernels, then of each family, fastest first."""
    families = dict.fromkeys(family for family, _, _ in kernels)
    summary = [(f"{NAMES.get(family, family)} ({sum(k[0] == family for k in kernels)})",
                mean(k[1] for k in kernels if k[0] == family),
                mean(k[1] / k[2] for k in kernels if k[0] == family)) for family in families]
    summary.sort(key=lambda line: -line[1])
    return [(f"all {len(kernels)} kernels", mean(k[1] for k in kernels), mean(k[1] / k[2] for k in kernels))] + summary


def place(ratio):
    span = WIDTH - LEFT - RIGHT
    return LEFT + span * math.log(min(max(ratio, LEAST), MOST) / LEAST) / math.log(MOST / LEAST)


def draw(kernels):
    table = lines(kernels)
    bottom = TOP + ROW * len(table)
    height = bottom + BOTTOM
    whole = table[0]
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img">',
           "  <!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception; made by scripts/chart.py -->",
           f"  <title>Speed of kernels: Clotho {whole[1]:.2f} times plain C++, PoCL {whole[2]:.2f} times</title>",
           f"  <style>{STYLE}  </style>",
           f'  <rect class="panel" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="6"/>',
           '  <text class="title" x="16" y="25">Speed of kernels: times as fast as C++ with OpenMP</text>',
           '  <circle class="clotho" cx="22" cy="42" r="5"/><text x="32" y="46">Clotho</text>',
           '  <circle class="pocl" cx="92" cy="42" r="4.5"/><text x="102" y="46">PoCL 3.1</text>',
           f'  <text class="faint" x="{WIDTH - 16}" y="46" text-anchor="end">logarithmic; right of the dashed line: faster than C++</text>']
    for power in range(-4, 5, 2):
        x = f"{place(2.0 ** power):.1f}"
        label = f"{2 ** power}×" if power >= 0 else f"1/{2 ** -power}×"
        out.append(f'  <line class="{"one" if power == 0 else "grid"}" x1="{x}" y1="{TOP - 6}" x2="{x}" y2="{bottom}"/>')
        out.append(f'  <text class="faint" x="{x}" y="{bottom + 18}" text-anchor="middle">{label}</text>')
    for index, (name, clotho, pocl) in enumerate(table):
        y = TOP + ROW * index + ROW / 2
        style = ' class="all"' if index == 0 else ""
        out.append(f'  <text{style} x="{LEFT - 14}" y="{y + 4:.1f}" text-anchor="end">{name}</text>')
        out.append(f'  <line class="span" x1="{place(pocl):.1f}" y1="{y:.1f}" x2="{place(clotho):.1f}" y2="{y:.1f}"/>')
        out.append(f'  <circle class="pocl" cx="{place(pocl):.1f}" cy="{y:.1f}" r="4.5"/>')
        out.append(f'  <circle class="clotho" cx="{place(clotho):.1f}" cy="{y:.1f}" r="5"/>')
        out.append(f'  <text{style} x="{WIDTH - 16}" y="{y + 4:.1f}" text-anchor="end">{clotho:.{1 if clotho >= 10 else 2}f}×</text>')
    out.append("</svg>")
    return "\n".join(out) + "\n"


def expected_line(kernels):
    """What README's line of speed must contain."""
    return [f"{mean(k[1] for k in kernels):.1f} times as fast as plain C++", f"{mean(k[2] for k in kernels):.0f} times as fast as PoCL",
            f"{len(kernels)} kernels"]


def main():
    kernels = rows()
    chart = draw(kernels)
    if sys.argv[1:] != ["--check"]:
        CHART.write_text(chart, encoding="utf-8")
        return 0
    problems = []
    if not CHART.is_file() or CHART.read_text(encoding="utf-8") != chart:
        problems.append("docs/speed.svg is not what scripts/chart.py makes of bench/results: run it")
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    # The first screen: what stands before the first heading after the title.
    screen = readme.split(" ## ", 1)[0]
    problems += [f"README.md's first screen does not say: {text}" for text in expected_line(kernels) if text not in screen]
    if "](docs/speed.svg)" not in screen:
        problems.append("README.md's first screen does not show docs/speed.svg")
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
