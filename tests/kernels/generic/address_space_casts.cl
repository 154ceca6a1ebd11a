// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void casts(global int* data, local int* shared, global int* out) {
  const int i = get_global_id(0), l = get_local_id(0);
  int own = i;
  shared[l] = i;
  int* g = &data[i];
  int* s = &shared[l];
  int* p = &own;
  global int* backG = to_global(g);
  local int* backL = to_local(s);
  private int* backP = to_private(p);
  int result = 0;
  if (backG) result += *backG;
  if (backL) result += 10 * *backL;
  if (backP) result += 100 * *backP;
  if (get_fence(g) & CLK_GLOBAL_MEM_FENCE) result += 10000;
  if (get_fence(s) & CLK_LOCAL_MEM_FENCE) result += 20000;
  out[i] = result;
}
