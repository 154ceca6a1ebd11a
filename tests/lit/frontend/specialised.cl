// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command takes SPIR-V by its first bytes, and values of its specialisation constants by their types.
// RUN: %compile %spirv/add.spv --emit=portable | FileCheck --check-prefix=SPIRV %s
// SPIRV: define spir_kernel void @add(
// RUN: %compile %spirv/add.spv --emit=info --spec 1=false --spec 2=0xff --spec 3=-1 --spec 5=18446744073709551615 --spec 6=1e-3
// RUN: not %compile %spirv/add.spv --emit=info --spec 2=256 2>&1 | FileCheck --check-prefix=RANGE %s
// RANGE: --spec 2=256: the constant is of a type that has no such value
// RUN: not %compile %spirv/add.spv --emit=info --spec 1=yes 2>&1 | FileCheck --check-prefix=BOOLEAN %s
// BOOLEAN: --spec 1=yes: the constant is of a type that has no such value
// RUN: not %compile %spirv/add.spv --emit=info --spec 99=1 2>&1 | FileCheck --check-prefix=NUMBER %s
// NUMBER: --spec 99=1: the program has no constant of this number
// RUN: not %compile %s --emit=info --spec 1=1 2>&1 | FileCheck --check-prefix=SOURCE %s
// SOURCE: --spec 1=1: the program is no SPIR-V
// RUN: not %compile %spirv/add.spv --emit=spirv 2>&1 | FileCheck --check-prefix=TWICE %s
// TWICE: is SPIR-V already
kernel void fill(global int* out) { out[get_global_id(0)] = 1; }
