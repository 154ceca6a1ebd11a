#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The tests of the API through a real ICD loader, in every way that it knows of finding drivers, and through a layer.
#
# usage: loaders.sh API_TESTS DRIVER LAYER SCRATCH_FOLDER [khronos=LOADER]
# LOADER: the Khronos loader's libOpenCL.so.1 (or its folder), which is not in Debian: empty, and the test is skipped.
# Without the argument it is the loader that the system has.
set -eu
tests=$1 driver=$2 layer=$3 scratch=$4
if [ $# -gt 4 ]; then
  loader=${5#khronos=}
  if [ -z "$loader" ]; then
    echo "skipped: no Khronos loader; CLOTHO_KHRONOS_LOADER, of CMake or of the environment at configuration, names one"
    exit 77
  fi
  [ -d "$loader" ] || loader=$(dirname "$loader")
  export LD_LIBRARY_PATH=$loader
fi
library=$(ldd "$tests" | sed -n 's/.*libOpenCL\.so\.1 => \([^ ]*\).*/\1/p')
echo "the loader is $library"
[ $# -le 4 ] || [ "$(dirname "$library")" -ef "$loader" ]
knows() { grep -qF "$1" "$library"; }

rm -rf "$scratch"
mkdir -p "$scratch/vendors"
echo "$driver" >"$scratch/vendors/clotho.icd"
echo /nowhere/libnothing.so >"$scratch/vendors/broken.icd"
echo libm.so.6 >"$scratch/vendors/not-a-driver.icd"
for neighbour in /etc/OpenCL/vendors/pocl.icd; do
  [ ! -e "$neighbour" ] || cp "$neighbour" "$scratch/vendors"
done
unset OCL_ICD_VENDORS OCL_ICD_FILENAMES OPENCL_VENDOR_PATH OPENCL_LAYERS
ways=0
# platforms VARIABLE=VALUE...: the driver is found, is itself, and runs kernels
platforms() {
  echo "--- $*"
  env "$@" "$tests" --gtest_brief=1 --gtest_filter='PlatformTest.*:LaunchTest.*'
  ways=$((ways + 1))
}

# Of the two, ocl-icd alone takes a file there.
if knows OCL_ICD_PLATFORM_SORT; then platforms OCL_ICD_VENDORS="$scratch/vendors/clotho.icd"; fi
if knows OCL_ICD_VENDORS; then platforms OCL_ICD_VENDORS="$scratch/vendors"; fi
if knows OPENCL_VENDOR_PATH; then platforms OPENCL_VENDOR_PATH="$scratch/vendors"; fi
if knows OCL_ICD_FILENAMES; then
  mkdir "$scratch/none"
  platforms OCL_ICD_FILENAMES="/nowhere/libnothing.so:$driver" OCL_ICD_VENDORS="$scratch/none"
fi
[ "$ways" -ge 2 ]

# Everything, with neighbours and through a layer.
if knows OPENCL_LAYERS; then
  export OPENCL_LAYERS=$layer COUNTING_LAYER_FILE=$scratch/counts
fi
echo "--- all, with a layer: ${OPENCL_LAYERS-none}"
OCL_ICD_VENDORS=$scratch/vendors CLOTHO_COMPUTE_UNITS=4 "$tests" --gtest_brief=1
if knows OPENCL_LAYERS; then
  called=$(awk '$2 > 0' "$scratch/counts" | wc -l)
  echo "the layer saw calls of $called functions"
  [ "$called" -ge 100 ]
fi
