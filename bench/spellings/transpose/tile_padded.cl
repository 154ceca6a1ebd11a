// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// By tiles of one dimension in rows of 17, with bounds for sizes that are no multiple.
kernel void transpose(global const float* in, global float* out, int w, int h, local float* block) {
  unsigned x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h)
    block[get_local_id(1) * (16 + 1) + get_local_id(0)] = in[y * w + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * 16 + get_local_id(0);
  y = get_group_id(0) * 16 + get_local_id(1);
  if (x < h && y < w)
    out[y * h + x] = block[get_local_id(0) * (16 + 1) + get_local_id(1)];
}
