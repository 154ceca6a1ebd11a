#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The example of images and samplers, on a picture and on one that it has written itself; it fails when its pictures differ
# from those of plain C++. usage: pictures.sh <program> <picture> <scratch folder>
set -eu
mkdir -p "$3/first" "$3/second"
"$1" "$2" "$3/first"
for name in turned tunnel; do file "$3/first/$name.png" | grep -q 'PNG image data, 960 x 640'; done
file "$3/first/miniature.png" | grep -q 'PNG image data, 640 x 426'
cmp -s "$3/first/turned.png" "$3/first/tunnel.png" && exit 1
# Another size, and colours that the first one does not have.
"$1" "$3/first/tunnel.png" "$3/second"
if "$1" /nonexistent.png "$3" 2>/dev/null; then exit 1; fi
