#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Debian's darktable develops a picture, every step an image, and then without OpenCL. It builds all of its 35 programs
# first. usage: darktable.sh <picture> <scratch folder>
set -eu
picture=$1
mkdir -p "$2"
cd "$2"
rm -rf config ours.png theirs.png
mkdir config
# It leaves CPUs out unless its settings name them; the key has the device's name in it.
export CLOTHO_DEVICE_NAME=Clotho HOME=$PWD
echo 'cldevice_v4_clotho=0 1000 0 16 16 128 0 0 0.000000 0.000' > config/darktablerc
python3 - > steps.xmp <<'PYTHON'
import struct
steps = [("sharpen", 1, (2, 1, 0.5)), ("velvia", 2, (40, 1)), ("vibrance", 2, (40,)),
         ("splittoning", 1, (0.6, 0.5, 0.1, 0.5, 0.5, 33))]
print(f'''<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:darktable="http://darktable.sf.net/" darktable:xmp_version="4"
 darktable:raw_params="0" darktable:auto_presets_applied="1" darktable:history_end="{len(steps)}">
<darktable:history><rdf:Seq>''')
for number, (name, version, values) in enumerate(steps):
    parameters = struct.pack(f"<{len(values)}f", *values).hex()
    print(f'<rdf:li darktable:num="{number}" darktable:operation="{name}" darktable:enabled="1" '
          f'darktable:modversion="{version}" darktable:params="{parameters}" darktable:multi_priority="0"/>')
print("</rdf:Seq></darktable:history></rdf:Description></rdf:RDF></x:xmpmeta>")
PYTHON
develop() { # <result> <TRUE or FALSE>
  darktable-cli "$picture" steps.xmp "$1" --core --configdir "$PWD/config" --cachedir "$PWD/cache" \
    --library :memory: --conf "opencl=$2" -d opencl -d perf > "$1.log" 2>&1
  ffmpeg -v error -y -i "$1" -f rawvideo -pix_fmt rgb24 "$1.raw"
}
develop ours.png TRUE
develop theirs.png FALSE
for step in sharpen velvia vibrance split-toning; do
  grep "processed .$step. on GPU" ours.png.log
  grep -q "processed .$step. on CPU" theirs.png.log
done
python3 - <<'PYTHON'
ours, theirs = open("ours.png.raw", "rb").read(), open("theirs.png.raw", "rb").read()
assert len(ours) == len(theirs) > 100000
# Its own two versions differ where sharpened edges meet the threshold.
off = sum(abs(a - b) > 2 for a, b in zip(ours, theirs)) / len(ours)
print(f"{100 * off:.2f} % of the bytes differ by more than 2")
assert off < 0.02
PYTHON
