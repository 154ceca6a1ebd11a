// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// A block that is longer than the processor's reorder buffer, and whose vectors fit into the registers, keeps the order of
// its instructions: LLVM's scheduler would load most elements of a tile first, and spill them. The elements of a row
// are one address with different offsets (issue 51).
// RUN: %compile %s --cpu znver4 --kernel product --code-version "local=16x16x1 arg3=512" --emit=asm | %check
#define TERM(k) sum += ta[ly][k] * tb[k][lx];
#define FOUR(k) TERM(k) TERM(k + 1) TERM(k + 2) TERM(k + 3)

// CHECK-LABEL: product.direct.rows.cl:
// CHECK-NOT: zmm{{[0-9]+}}, {{[0-9]+}}(%rsp)
// CHECK: vbroadcastss 60(%[[BASE:r[a-z0-9]+]],%[[ROW:r[a-z0-9]+]],4), %zmm
// CHECK-NOT: zmm{{[0-9]+}}, {{[0-9]+}}(%rsp)
// CHECK-LABEL: .Lfunc_end
kernel void product(global float* c, global const float* a, global const float* b, int n) {
  local float ta[16][16];
  local float tb[16][16];
  int lx = get_local_id(0), ly = get_local_id(1);
  int col = get_global_id(0), row = get_global_id(1);
  float sum = 0.0f;
  for (int t = 0; t < n / 16; t++) {
    ta[ly][lx] = a[row * n + lx + t * 16];
    tb[ly][lx] = b[(t * 16 + ly) * n + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    FOUR(0) FOUR(4) FOUR(8) FOUR(12)
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + col] = sum;
}
