// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %report %s --cpu x86-64-v4 --options -cl-std=CL3.0 | %check
// `clotho report` has a line for each variant that a kernel has become, and says what it is there for.

// CHECK: kernel guarded: 16 work-items at once
// CHECK: {{^}}  predicated variant: sub-groups with missing lanes or with lanes that part, under masks{{$}}
kernel void guarded(global float* a, ulong n) {
  if (get_global_id(0) < n) a[get_global_id(0)] += 1;
}

// CHECK: kernel blur: 16 work-items at once
// CHECK: {{^}}  exact variant: launches of which the kernel's assumptions do not hold: no buffer has more than {{[0-9]+}} bytes{{$}}
// CHECK-NEXT: {{^}}  remainder variant: work-groups smaller than the size that the kernel requires{{$}}
// CHECK-NEXT: {{^}}  rows variant: several rows at once, which share what they load (unroll-and-jam): {{[0-9]}} rows{{$}}
// CHECK-NEXT: {{^}}  predicated variant: 
__attribute__((reqd_work_group_size(16, 16, 1))) kernel void blur(global float* out, global const float* in, int w,
                                                                  int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x == 0 || y == 0 || x >= w - 1 || y >= h - 1) return;
  float sum = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i)
      sum += in[(y + j) * w + x + i];
  out[y * w + x] = sum / 9;
}

// CHECK: kernel none: 1 work-item at once, because its required work-group size
// CHECK-NEXT: {{^}}  remainder variant:
__attribute__((reqd_work_group_size(1, 8, 1))) kernel void none(global int* a) { a[get_global_id(0)] = 1; }
