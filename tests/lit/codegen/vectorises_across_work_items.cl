// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile %s --cpu x86-64-v3 --emit=llvm | %check
// Neighbouring work-items share vectors, also with an int id and behind a test of the range.
// CHECK-LABEL: @saxpy.cl(
// CHECK: call {{.*}}@llvm.fmuladd.v8f32
kernel void saxpy(global const float* x, global float* y, float a, int n) {
  const int i = get_global_id(0);
  if (i < n) y[i] = a * x[i] + y[i];
}

// And between barriers.
// CHECK-LABEL: @shift.cl(
// CHECK: fadd <8 x float>
kernel void shift(global float* x, local float* t) {
  const size_t l = get_local_id(0);
  t[l] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] = t[l + 1] + 1;
}
