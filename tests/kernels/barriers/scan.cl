// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two barriers in a loop, values that live across both.
kernel void scan(global const uint* in, global uint* out, local uint* sums) {
  const uint l = get_local_id(0), n = get_local_size(0);
  sums[l] = in[get_global_id(0)];
  for (uint step = 1; step < n; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint left = l >= step ? sums[l - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[l] += left;
  }
  out[get_global_id(0)] = sums[l];
}
