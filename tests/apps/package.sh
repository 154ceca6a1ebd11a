#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The Debian package: it registers the driver, names what it needs, and driver and tool work from where it is unpacked.
# usage: package.sh <build folder> <scratch folder> <picture>
set -eu
fail() { echo "$*" >&2; exit 1; }
trap 'echo "$0:$LINENO: this check failed: $BASH_COMMAND" >&2' ERR
build=$(cd "$1" && pwd)
picture=$3
rm -rf "$2"
mkdir -p "$2"
cd "$2"
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$PWD/made" >cpack.log 2>&1 || { cat cpack.log; exit 1; }
package=$(echo made/*.deb)
dpkg-deb -I "$package"
dpkg-deb -c "$package"
[ "$(dpkg-deb -f "$package" Package)" = clotho-opencl-icd ]
# dpkg-shlibdeps has left libllvm22 out at times (cmake/PackageLibraries.cmake).
depends=$(dpkg-deb -f "$package" Depends)
for needed in libllvm22 libclang-cpp22 libxxhash0 libzstd1; do
  grep -q "$needed" <<<"$depends" || fail "the package does not depend on $needed but on: $depends"
done
if dpkg-deb -c "$package" | grep -i ' \./debian'; then fail "the package has files of its making"; fi
dpkg-deb -f "$package" Provides | grep -q opencl-icd
dpkg-deb --ctrl-tarfile "$package" | tar -xO ./conffiles | grep -qx /etc/OpenCL/vendors/clotho.icd
dpkg-deb -x "$package" root
library=$(cat root/etc/OpenCL/vendors/clotho.icd)
[ -f "root$library" ]
for file in bin/clotho share/man/man1/clotho.1 share/bash-completion/completions/clotho; do
  [ -f root/usr/$file ] || fail "the package lacks /usr/$file"
done
echo 'kernel void twice(global int* a) { a[get_global_id(0)] *= 2; }' | root/usr/bin/clotho report - | grep 'kernel twice:'
echo "$PWD/root$library" >unpacked.icd
export OCL_ICD_VENDORS=$PWD/unpacked.icd CLOTHO_CACHE=0
unset CLOTHO_COMPILER
clinfo -l | grep -q 'Platform #0: Clotho'
log=$(CLOTHO_LOG=debug "$build/bin/clotho-engrave" "$picture" engraved.png 2>&1) || { echo "$log"; exit 1; }
echo "$log"
grep -q "started $PWD/root/usr/.*/clotho-compiler" <<<"$log"
