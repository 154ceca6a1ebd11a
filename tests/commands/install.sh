#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `cmake --install`, which `make install` calls: where each file goes, that an installation into a folder leaves the system
# alone, and that the driver and the tool work from there. usage: install.sh <build folder> <scratch folder> <picture>
set -eu
build=$(cd "$1" && pwd)
picture=$3
fail() { echo "$*" >&2; exit 1; }
rm -rf "$2"
mkdir -p "$2"
cd "$2"

# With DESTDIR first, where no mistake can reach the system. Only an installation into the system registers the driver.
for prefix in /usr /usr/local /usr/local/ /opt/clotho; do
  rm -rf dest
  DESTDIR=$PWD/dest cmake --install "$build" --prefix $prefix >install.log || { cat install.log; exit 1; }
  case $prefix in /usr*) icd=/etc/OpenCL/vendors/clotho.icd ;; *) icd=$prefix/etc/OpenCL/vendors/clotho.icd ;; esac
  [ "$(find dest -name clotho.icd)" = "dest$icd" ] || fail "prefix $prefix: $(find dest -name clotho.icd), not dest$icd"
  library=$(cat "dest$icd")
  [ -f "dest$library" ] || fail "prefix $prefix: $icd names $library, which is not there"
  case $library in "${prefix%/}"/*) ;; *) fail "prefix $prefix: $icd names $library" ;; esac
done
rm -rf dest

before=$(stat -c '%n %Y %s' /etc/OpenCL/vendors/clotho.icd 2>&1 || true)
cmake --install "$build" --prefix "$PWD/prefix" >install.log || { cat install.log; exit 1; }
[ "$before" = "$(stat -c '%n %Y %s' /etc/OpenCL/vendors/clotho.icd 2>&1 || true)" ] || fail "the system's ICD file was written"
grep -q "OCL_ICD_VENDORS=$PWD/prefix/etc/OpenCL/vendors/clotho.icd" install.log || fail "does not say how to use it"
(cd prefix && find . -type f -o -type l | sort)
for file in bin/clotho share/man/man1/clotho.1 share/bash-completion/completions/clotho etc/OpenCL/vendors/clotho.icd; do
  [ -f prefix/$file ] || fail "prefix/$file is missing"
done
# What was installed may be moved: its parts find each other.
mv prefix moved
export CLOTHO_CACHE=0
unset CLOTHO_COMPILER
echo 'kernel void twice(global int* a) { a[get_global_id(0)] *= 2; }' >twice.cl
report=$(moved/bin/clotho report twice.cl)
echo "$report"
grep -q 'kernel twice: [0-9]* work-items at once' <<<"$report" || fail "clotho report does not work from there"
moved/bin/clotho compile -o twice.so twice.cl
file twice.so | grep -q 'ELF .* shared object' || fail "clotho compile makes no shared object"
echo "$PWD"/moved/lib*/clotho/libclotho.so >moved.icd
[ -f "$(cat moved.icd)" ] || echo "$PWD"/moved/lib/*/clotho/libclotho.so >moved.icd
log=$(OCL_ICD_VENDORS=$PWD/moved.icd CLOTHO_LOG=debug "$build/bin/clotho-engrave" "$picture" engraved.png 2>&1) || fail "$log"
grep -q "started $PWD/moved/.*/clotho-compiler" <<<"$log" || fail "another compiler was started: $log"
