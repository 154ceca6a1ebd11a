// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile %s --emit=asm --cpu x86-64-v4 | %check
// RUN: %compile %s --emit=asm --cpu x86-64-v3 | FileCheck --check-prefix=AVX2 %s
// Lanes' rows of a register or more are transposed in squares: four steps for 16 elements, in blocks of 16 bytes first,
// each an instruction for each register; and not by choosing elements from wherever they are.
// CHECK-LABEL: sums.cl:
// CHECK-NOT: vpermt2
// CHECK-COUNT-32: vunpck
// CHECK-NOT: vpermt2
// CHECK: vshuff64x2
// CHECK-NOT: vunpck
// CHECK-NOT: vpermt2
// CHECK: sums.{{predicated|exact}}.cl:
// AVX2-LABEL: sums.cl:
// AVX2-COUNT-32: vunpck
// AVX2-NOT: vunpck
// AVX2: sums.{{predicated|exact}}.cl:
kernel void sums(global const float* rows, global float* out, int columns) {
  const int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < columns; k++) sum += rows[i * columns + k];
  out[i] = sum;
}
