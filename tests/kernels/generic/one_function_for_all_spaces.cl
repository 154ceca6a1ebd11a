// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int total(const int* values, int n) {
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += values[k];
  return sum;
}
kernel void spaces(global int* data, local int* shared, global int* out) {
  const int l = get_local_id(0), n = get_local_size(0);
  int own[3] = {l, 10, 20};
  shared[l] = l * 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = total(data, 4) * 10000 + total(shared, n) + total(own, 3);
}
