// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile --emit asm --cpu x86-64-v4 %s | %check
// Masked accesses of work-groups behind a buffer are not made: where no page is mapped, they take some thousand ticks though
// they do nothing.

// CHECK-LABEL: by_guard.cl:
// CHECK-NOT: vmovdqu32{{.*}}{%k
// CHECK: kortest
// CHECK-NEXT: j
// CHECK: vmovdqu32{{.*}}{%k{{[1-7]}}} {z}
// CHECK: vmovdqu32{{.*}}{%k{{[1-7]}}}
kernel void by_guard(global const int* in, global int* out, int n) {
  const int i = get_global_id(0);
  if (i < n) out[i] = in[i] * 3 + i;
}
