// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-items that write different elements of one vector: each writes its own, and no more.
kernel void any_element(global float4* p) {
  size_t i = get_global_id(0);
  p[i / 4][i % 4] = i;
}

kernel void swizzles(global int4* p) {
  size_t i = get_global_id(0);
  if (i % 2)
    p[i / 2].xz = (int2)(i, i + 1);
  else
    p[i / 2].wy = (int2)(i, i + 1);
}

kernel void bytes(global uchar16* p) {
  size_t i = get_global_id(0);
  switch (i % 4) {
  case 0: p[i / 4].s3 += 1; break;
  case 1: p[i / 4].s4567 = (uchar4)(i); break;
  case 2: p[i / 4].odd.hi = (uchar4)(i); break;
  default: p[i / 4].s0 = i;
  }
}

kernel void in_local_memory(global uint* out) {
  local uint4 rows[16];
  size_t l = get_local_id(0);
  rows[l / 4][l % 4] = get_global_id(0) + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = rows[(l ^ 5) / 4][(l ^ 5) % 4];
}
