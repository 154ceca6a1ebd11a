// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: not %compile %s --cpu native -o - 2>&1 | FileCheck --check-prefix=NATIVE %s
// RUN: not %compile %s --cpu pentium4 -o - 2>&1 | FileCheck --check-prefix=OLD %s
// RUN: %compile %s --cpu nehalem --emit asm -o - | %check
// A CPU that there is no code for is an error like others, not the end of the process.

// NATIVE: there is no code generator for the CPU 'native'
// OLD: there is no code generator for the CPU 'pentium4'
// CHECK: clotho_wg_nothing:
kernel void nothing() {}
