#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Looks at the page of a trace in a headless browser, at the widths of a desktop and of a phone; skipped (77) where no
browser is installed. The screenshots stay in the folder.

usage: check_page.py PROGRAM CLOTHO FOLDER"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM, CLOTHO, FOLDER = sys.argv[1:]
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
if BROWSER is None:
    print("skipped: there is no chromium and no chrome")
    sys.exit(77)
os.makedirs(FOLDER, exist_ok=True)
TRACE, PAGE = os.path.join(FOLDER, "trace.json"), os.path.join(FOLDER, "page.html")

# What the page looks like, as attributes that --dump-dom shows.
PROBE = """<script>
addEventListener('load', () => {
  draw(); // the browser may show no frame
  const canvas = document.querySelector('canvas'), seen = new Set();
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  for (let i = 0; i < pixels.length; i += 4) seen.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
  canvas.focus();
  canvas.dispatchEvent(new KeyboardEvent('keydown', { key: '+' }));
  const report = { width: innerWidth, overflow: document.documentElement.scrollWidth - innerWidth, colours: seen.size,
    rows: document.querySelectorAll('#commands tbody tr').length, queues: document.querySelectorAll('#queues tbody tr').length,
    points: document.querySelectorAll('#roofline circle').length, arrows: drawnArrows, explained: $('arrowtext').textContent.length,
    errors: window.failures || 0 };
  for (const [key, value] of Object.entries(report)) document.body.setAttribute('data-' + key, value);
});
</script>"""
WATCH = "<script>window.failures = 0; addEventListener('error', () => ++window.failures);</script>"


def browse(width, height, *options):
    with tempfile.TemporaryDirectory() as profile:
        command = [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=3000",
                   f"--user-data-dir={profile}", f"--window-size={width},{height}", *options]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=100).stdout


def look(what, commands, queues, points, arrows, keeps_pictures=False):
    """Traces a program, and looks at the page of the trace."""
    environment = dict(os.environ, CLOTHO_TRACE=TRACE, CLOTHO_SPECIALISE="0")
    subprocess.run([PROGRAM, what], env=environment, check=True, capture_output=True)
    subprocess.run([CLOTHO, "trace", TRACE, "--html", PAGE], check=True)
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    probed = os.path.join(FOLDER, "probed.html")
    with open(probed, "w", encoding="utf-8") as file:
        file.write(text.replace("<style>", WATCH + "<style>", 1).replace("</html>", PROBE + "</html>"))
    for name, width, height in (("wide", 1280, 1400), ("narrow", 500, 1800)):
        if keeps_pictures:
            browse(width, height, f"--screenshot={os.path.join(FOLDER, what + '-' + name + '.png')}", "file://" + PAGE)
        seen = dict(re.findall(r' data-(\w+)="(-?\d+)"', browse(width, height, "--dump-dom", "file://" + probed)))
        seen = {key: int(value) for key, value in seen.items()}
        print(what, name, seen)
        assert seen["errors"] == 0 and seen["overflow"] <= 0 and seen["colours"] > 5, seen
        assert seen["rows"] >= commands and seen["queues"] == queues and seen["points"] == points, seen
        assert seen["arrows"] == arrows and (seen["explained"] > 0) == (arrows > 0), seen


look("work", commands=3, queues=1, points=2, arrows=0)
look("everything", commands=6, queues=2, points=1, arrows=5, keeps_pictures=True)
