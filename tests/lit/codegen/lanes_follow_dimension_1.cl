// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %report %s --cpu x86-64-v3 | %check
// Lanes follow the dimension along which neighbours are neighbours in memory, and everything else is then done as if the
// kernel had been written so: rows at once, wide sums in registers.

// CHECK: kernel multiply: {{[0-9]+}} work-items at once
// CHECK-NEXT: lanes follow dimension: 1
// CHECK-NEXT: rows at once: {{[0-9]+}}
// CHECK-NEXT: load, line [[@LINE+8]]: uniform
// CHECK-NEXT: load, line [[@LINE+7]]: consecutive
// CHECK-NEXT: store, line [[@LINE+7]]: consecutive
kernel void multiply(global const float* a, global const float* b, global float* c, int n) {
  int i = get_global_id(0), j = get_global_id(1);
  if (i < n && j < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
      sum += a[i * n + k] * b[k * n + j];
    c[i * n + j] = sum;
  }
}

// A row of the group's at a time in local memory, and nothing asks for dimension 0.
// CHECK: kernel tile: 8 work-items at once
// CHECK-NEXT: lanes follow dimension: 1
// CHECK-NOT: gather/scatter
kernel void tile(global float* out, global const float* in, local float* row) {
  const size_t l = get_local_id(1), first = get_group_id(0) * get_global_size(1) + get_group_id(1) * get_local_size(1);
  row[l] = in[first + l];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[first + l] = row[l] + row[0];
}

// Along which dimension the work-items are that have a row each is not known, and the usual one is as good.
// CHECK: kernel rows: {{[0-9]+}} work-items at once
// CHECK-NOT: lanes follow
kernel void rows(global float* out, global const float* in, int n) {
  const size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
  out[i] = in[i * n];
}
