// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile %s --cpu x86-64-v3 --options "-clotho-width=1" --emit=asm | %check
// fmax and fmin look for NaN, not at the signs of zeros.

// CHECK-LABEL: extremes.cl:
// CHECK-COUNT-2: {{vmaxss|vminss}}
// CHECK-NOT: {{test|sets|vmovmskps}}
// CHECK: retq
kernel void extremes(global const float* a, global float* b) {
  size_t i = get_global_id(0);
  b[i] = fmin(fmax(b[i], a[2 * i]), a[2 * i + 1]);
}
