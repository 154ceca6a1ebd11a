// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps written out by a macro; the running sum stays in a variable.
#define STEP(d)                                                                                                        \
  if (l >= d)                                                                                                          \
    sum += sums[l - d];                                                                                                \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                                        \
  sums[l] = sum;                                                                                                       \
  barrier(CLK_LOCAL_MEM_FENCE);

kernel void scan(global const uint* in, global uint* out) {
  local uint sums[256];
  const int l = get_local_id(0);
  const uint mine = in[get_global_id(0)];
  uint sum = mine;
  sums[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  STEP(1) STEP(2) STEP(4) STEP(8) STEP(16) STEP(32) STEP(64) STEP(128)
  out[get_global_id(0)] = sum - mine;
}
