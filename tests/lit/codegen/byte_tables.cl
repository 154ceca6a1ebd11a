// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile --cpu x86-64-v3 --emit asm %s | %check
// RUN: %report %s --cpu x86-64-v3 | FileCheck --check-prefix=AVX2 %s
// RUN: %report %s --cpu x86-64-v4 | FileCheck --check-prefix=AVX512 %s
// RUN: %report %s --cpu x86-64-v2 | FileCheck --check-prefix=SSE4 %s
// RUN: %report %s --cpu x86-64 | FileCheck --check-prefix=SSE2 %s
// A byte of a small constant table is looked up in registers, so lanes are not bound to what gathers are bound to.

// CHECK-LABEL: letters.cl:
// CHECK-COUNT-4: vpshufb
// AVX2: kernel letters: 32 work-items at once
// AVX2: load, line 21: table in registers
// AVX512: kernel letters: 64 work-items at once
// SSE4: kernel letters: 16 work-items at once
// SSE4: load, line 21: table in registers
// SSE2: load, line 21: gather/scatter
constant uchar table[64] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
kernel void letters(global const uchar* in, global uchar* out) {
  const size_t i = get_global_id(0);
  out[i] = table[in[i] & 63];
}
