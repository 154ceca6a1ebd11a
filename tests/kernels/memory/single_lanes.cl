// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds behind which one lane of a vector is left, at each width. What is beside the stored element stays as it was.
// The barrier has the loop over sub-groups written out, so that the masks are constants.
#define KERNEL(NAME, FROM, TO, CONDITION)                                                                              \
  __attribute__((reqd_work_group_size(64, 1, 1))) kernel void NAME(global const FROM* in, global TO* out) {            \
    const int l = get_local_id(0), g = get_global_id(0);                                                               \
    local FROM before[64];                                                                                             \
    before[l] = in[g];                                                                                                 \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    if (CONDITION) out[g] = (TO)before[l ^ 1];                                                                         \
  }
#define KERNELS(NAME, FROM, TO)                                                                                        \
  KERNEL(NAME##_first, FROM, TO, l < 1)                                                                                \
  KERNEL(NAME##_after_4, FROM, TO, l < 5)                                                                              \
  KERNEL(NAME##_after_8, FROM, TO, l < 9)                                                                              \
  KERNEL(NAME##_after_16, FROM, TO, l < 17)                                                                            \
  KERNEL(NAME##_after_32, FROM, TO, l < 33)                                                                            \
  KERNEL(NAME##_inside, FROM, TO, l == 35)                                                                             \
  KERNEL(NAME##_last, FROM, TO, l > 62)

KERNELS(bytes, int, uchar)
KERNELS(shorts, int, short)
KERNELS(ints, long, int)
KERNELS(bytes_of_longs, long, uchar)
KERNELS(bytes_of_shorts, short, uchar)
KERNELS(floats, double, float)
