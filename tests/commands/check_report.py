#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the page and the remarks of `clotho report`: that each line of a source has the fate that its code has, and that LLVM's
opt-viewer takes the remarks where it is installed.

usage: check_report.py CLOTHO FOLDER      (FOLDER is this test's own)
"""

import glob
import os
import re
import subprocess
import sys

import yaml

CLOTHO, FOLDER = sys.argv[1:]
SOURCE = """kernel void fates(global const float* a, global const int* index, global float* out, int stride) {
  int i = get_global_id(0);
  out[i] = a[i];
  out[i + 1000] = a[i * stride];
  if (index[i] > 0 && a[i] < 3)
    out[index[i]] = 1;
}
kernel void barriers(global int* a) { if (a[get_global_id(0)] < 3) a[0] = 1; }
"""
os.makedirs(FOLDER, exist_ok=True)
kernel, page, remarks = (f"{FOLDER}/{name}" for name in ("fates.cl", "fates.html", "fates.yaml"))
with open(kernel, "w", encoding="utf-8") as file:
    file.write(SOURCE)
# One processor's instructions, so that the page is the same everywhere.
text = subprocess.run([CLOTHO, "report", "--cpu", "x86-64-v3", "--html", page, "--remarks", remarks, kernel], check=True,
                      capture_output=True, text=True).stdout
problems = []


def expect(condition, what):
    if not condition:
        problems.append(what)


expect("kernel fates: " in text, "the text is printed, too")
with open(page, encoding="utf-8") as file:
    html = file.read()
rows = dict(re.findall(r'<td class="number">(\d+)</td><td class="source ([a-z]*)">', html))
expect(rows.get("3") == "vector", f"line 3 is a vector's, not {rows.get('3')}")
expect(rows.get("4") in ("gather", "strided"), f"line 4 is a gather or strided, not {rows.get('4')}")
expect(rows.get("6") in ("gather", "lane"), f"line 6 is a scatter, not {rows.get('6')}")
expect(rows.get("2") == "", "line 2 has no memory access")
expect("Make the index grow by one" in html, "there is advice")
expect(re.search(r"<summary>\d+ instructions</summary>", html), "there are instructions")
expect("global const float* a" in html and "index[i] &gt; 0" in html, "the source is escaped and whole")
expect(not re.search(r"(src|href)=", html), "the page needs no other file")

with open(remarks, encoding="utf-8") as file:
    documents = re.split(r"^--- ", file.read(), flags=re.M)[1:]
kinds = set()
for document in documents:
    tag, body = document.split("\n", 1)
    found = yaml.safe_load(body.replace("\n...\n", "\n"))
    kinds.add((tag, found["Name"], found["DebugLoc"]["Line"]))
    expect(found["Function"] in ("fates", "barriers"), f"a remark of {found['Function']}")
expect(("!Passed", "Vectorised", 1) in kinds, f"the kernel is vectorised: {kinds}")
expect(any(tag == "!Missed" and line == 4 for tag, _, line in kinds), f"line 4 is missed: {kinds}")

viewers = glob.glob("/usr/lib/llvm-22/share/opt-viewer/opt-viewer.py")
if viewers:
    shown = subprocess.run([sys.executable, viewers[0], "--output-dir", FOLDER + "/viewer", "--source-dir", "/", remarks],
                           capture_output=True, text=True, check=False)
    expect(shown.returncode == 0 and os.path.exists(FOLDER + "/viewer/index.html"), f"opt-viewer: {shown.stderr}")

if problems:
    sys.exit("\n".join(problems))
