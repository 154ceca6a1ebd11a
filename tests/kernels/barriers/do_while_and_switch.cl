// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A barrier in a do-while loop and in the arms of a switch over a uniform value.
kernel void arms(global int* out, local int* shared, int rounds) {
  const int l = get_local_id(0), n = get_local_size(0);
  int value = l, k = 0;
  do {
    switch (k % 3) {
      case 0:
        shared[l] = value;
        barrier(CLK_LOCAL_MEM_FENCE);
        value = shared[(l + 1) % n];
        break;
      case 1: value += 100; break;
      default:
        barrier(CLK_LOCAL_MEM_FENCE);
        shared[l] = value + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        value = shared[(l + n - 1) % n];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  } while (++k < rounds);
  out[get_global_id(0)] = value;
}
