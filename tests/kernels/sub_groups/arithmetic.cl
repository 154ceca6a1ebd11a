// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
// Reductions and scans of each type. Sums of reals are of small whole numbers, which any order adds exactly.
#define ALL(OP)                                                                                                        \
  kernel void each_##OP(global const T* a, global T* reduced, global T* inclusive, global T* exclusive) {              \
    const size_t i = get_global_id(0);                                                                                 \
    reduced[i] = sub_group_reduce_##OP(a[i]);                                                                          \
    inclusive[i] = sub_group_scan_inclusive_##OP(a[i]);                                                                \
    exclusive[i] = sub_group_scan_exclusive_##OP(a[i]);                                                                \
  }
ALL(add)
ALL(min)
ALL(max)
