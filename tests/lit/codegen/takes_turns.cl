// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile %s --emit=llvm --cpu x86-64-v4 | %check
// RUN: %report %s --cpu x86-64-v4 | FileCheck --check-prefix=WIDTH %s
// RUN: %compile %s --options -g --emit llvm -o - | opt -passes=verify -disable-output 2>&1 | FileCheck --check-prefix=VALID --allow-empty %s
// RUN: %compile %s --options -g --emit asm | FileCheck --check-prefix=LINES %s
// Not where that would lose the lines that a debugger wants.
// LINES: reduce.cl:
// LINES: .loc
// VALID-NOT: invalid debug info
// VALID-NOT: DISubprogram

// A work-group's turn has two vectors for each value, and takes several rounds of the strided loop at once.
// WIDTH: kernel reduce: 32 work-items at once
// CHECK-LABEL: define internal {{.*}} @reduce.cl(
// CHECK-COUNT-8: fadd <32 x float>
// CHECK-LABEL: define {{.*}} void @clotho_wg_reduce(
// CHECK: call {{.*}} @reduce.cl(
kernel void reduce(global const float* in, global float* sums, local float* scratch, int n) {
  int lid = get_local_id(0);
  float sum = 0.0f;
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    sum += in[i];
  scratch[lid] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
    if (lid < half_size)
      scratch[lid] += scratch[lid + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lid == 0)
    sums[get_group_id(0)] = scratch[0];
}
