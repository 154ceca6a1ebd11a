// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %report %s --options "-cl-std=CL3.0" | %check
// RUN: %report %s --options "-cl-std=CL3.0 -clotho-width=1" | FileCheck --check-prefix=ONE %s
// The report says how large sub-groups are, whose choice that is, and what became of each function.

// CHECK: kernel plain: 16 work-items at once
// CHECK-NEXT: sub-group size: 16, the device's default
// CHECK-DAG: sub-group reduce fadd, line [[@LINE+7]]: reduction of the vector{{$}}
// CHECK-DAG: sub-group shuffle, line [[@LINE+7]]: permutation{{$}}
// CHECK-DAG: sub-group scan_inclusive add, line [[@LINE+9]]: shuffles, a step for each doubling, live lanes only
// ONE: kernel plain: 1 work-item at once, because that width was asked for
// ONE-NEXT: sub-group size: 1, each work-item is one
kernel void plain(global float* a, global int* b) {
  size_t i = get_global_id(0);
  a[i] = sub_group_reduce_add(a[i]);
  a[i] += sub_group_shuffle(a[i], b[i]);
  if (b[i] > 0)
    b[i] =
        sub_group_scan_inclusive_add(b[i]);
}

// Doubles, too, run in sub-groups of 16.
// CHECK: kernel doubles: 16 work-items at once
kernel void doubles(global double* a) { a[get_global_id(0)] = sub_group_reduce_max(a[get_global_id(0)]); }

// CHECK: kernel eight: 8 work-items at once
// CHECK-NEXT: sub-group size: 8, as the kernel requires
// ONE: kernel eight: 8 work-items at once
__attribute__((intel_reqd_sub_group_size(8))) kernel void eight(global float* a) {
  a[get_global_id(0)] = sub_group_reduce_max(a[get_global_id(0)]);
}
