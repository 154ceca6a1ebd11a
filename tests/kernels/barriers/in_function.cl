// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The barrier is in a function that is called twice, once in a loop.
int exchange(local int* shared, int value, int distance) {
  const int l = get_local_id(0), n = get_local_size(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  shared[l] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  return shared[(l + distance) % n];
}
kernel void functions(global int* out, local int* shared) {
  int value = get_global_id(0);
  value = exchange(shared, value, 1);
  for (int k = 0; k < 3; ++k) value = exchange(shared, value + 10, k);
  out[get_global_id(0)] = value;
}
