// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop ends by a break whose condition all items share through local memory.
kernel void search(global const int* in, global int* out, local int* stop) {
  const int l = get_local_id(0), n = get_local_size(0);
  int rounds = 0;
  for (;;) {
    if (l == 0) *stop = in[get_group_id(0)] <= rounds;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (*stop) break;
    ++rounds;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (rounds == 2) continue;
    out[get_global_id(0)] = rounds * 10 + n;
  }
  out[get_global_id(0)] += 1000 * rounds;
}
