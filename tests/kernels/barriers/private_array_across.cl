// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A private array lives across the barrier; its index is data.
kernel void keep(global const int* in, global int* out, local int* shared) {
  int own[8];
  const int l = get_local_id(0), n = get_local_size(0);
  for (int k = 0; k < 8; ++k) own[k] = in[get_global_id(0)] * k;
  shared[l] = in[get_global_id(0)] & 7;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int pick = shared[(l + 1) % n];
  own[pick] += 100000;
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = 0;
  for (int k = 0; k < 8; ++k) sum += own[k] * (k + 1);
  out[get_global_id(0)] = sum;
}
