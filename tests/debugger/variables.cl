// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int twice(int x) {
  int y = x * 2;
  return y;
}

kernel void k(global const int* in, global int* out, local int* shared) {
  int id = get_global_id(0);
  int value = in[id] + 7;
  float4 v = (float4)(value, 1.5f, 2.5f, 3.5f);
  shared[get_local_id(0)] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  int other = shared[get_local_size(0) - 1 - get_local_id(0)];
  out[id] = twice(value) + other + (int)v.y; // the breakpoint's line
}
