#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Shows the built driver at work; usage: demo.sh <build folder>. PICTURE=file takes a picture of your own (PNG or JPEG).
set -eu
cd "$(dirname "$0")/.."
build=${1:?build folder}
picture=${PICTURE:-examples/image/landscape.png}
export OCL_ICD_VENDORS="$PWD/$build/clotho.icd"

printf '\n== clinfo -l\n'
clinfo -l

printf '\n== an image through five kernels, and the same in plain C++\n'
"$build/bin/clotho-engrave" "$picture" "$build/engraved.png"

printf '\n== three pictures by images and samplers, and the same in plain C++\n'
"$build/bin/clotho-pictures" "$picture" "$build"

printf '\n== clpeak, as Debian built it: arithmetic and latency\n'
clpeak --compute-sp --compute-dp --compute-integer --kernel-latency

printf '\nAny OpenCL program runs this way:  OCL_ICD_VENDORS=%s your-program\n' "$build/clotho.icd"
