// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile %s --emit=asm --cpu x86-64-v4 | %check
// A comparison is a comparison, not a subtraction from a copy.

// CHECK-LABEL: step.cl:
// CHECK-NOT: {{sub[lq]	}}
// CHECK: {{cmp[lq]	}}
// CHECK-NOT: {{sub[lq]	}}
// CHECK: retq
kernel void step(global float* out, local float* rows, int n) {
  int lid = get_local_id(0);
  rows[lid] = out[lid];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (n > 12) out[lid] = rows[lid ^ 1] * 2.0f;
}
