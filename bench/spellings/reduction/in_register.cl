// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-items keep their sum in a variable; steps are chosen by the size of groups, as templates do it.
#define STEP(from)                                                                                                     \
  if (GROUP >= from) {                                                                                                 \
    if (l < from / 2)                                                                                                  \
      data[l] = sum = sum + data[l + from / 2];                                                                        \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
  }

kernel void reduce(global const int* in, global int* sums, local volatile int* data) {
  unsigned l = get_local_id(0), i = get_group_id(0) * (GROUP * 4) + l;
  int sum = in[i];
  sum += in[i + GROUP];
  sum += in[i + 2 * GROUP];
  sum += in[i + 3 * GROUP];
  data[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  STEP(512) STEP(256) STEP(128) STEP(64) STEP(32) STEP(16) STEP(8) STEP(4) STEP(2)
  if (l == 0)
    sums[get_group_id(0)] = data[0];
}
