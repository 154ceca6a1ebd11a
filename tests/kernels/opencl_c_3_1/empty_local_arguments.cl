// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clSetKernelArg may give a local pointer no memory, which the kernel then does not use.
kernel void between(local char* first, global int* out, local int* tile, local double* last, int uses) {
  const int l = get_local_id(0), n = get_local_size(0);
  if (uses & 1) first[l] = l + 1;
  if (uses & 2) tile[l] = l * 3;
  if (uses & 4) last[l] = l * 0.5;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int k = n - 1 - l;
  out[get_global_id(0)] = (uses & 1 ? first[k] : 0) + (uses & 2 ? tile[k] : 0) * 100 + (uses & 4 ? (int)(last[k] * 2) : 0) * 100000;
}

kernel void reduce(global const int* a, global int* out, local int* sums) {
  const int l = get_local_id(0), n = get_local_size(0);
  int sum = a[get_global_id(0)];
  if (n > 1) {
    sums[l] = sum;
    for (int step = n / 2; step > 0; step /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (l < step) sums[l] += sums[l + step];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = sums[0];
  }
  out[get_global_id(0)] = sum;
}
