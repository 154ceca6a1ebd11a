// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of short vectors that most sub-groups load as a whole, and others element by element at the edges.
kernel void filter(global const float* in, global float* out, int w, int r) {
  int x = 4 * get_global_id(0), y = get_global_id(1);
  float4 sum = 0;
  for (int i = -r; i <= r; i++) {
    global const float* row = in + y * w;
    int first = x + i;
    float4 p = first >= 0 && first + 3 < w
                   ? vload4(0, row + first)
                   : (float4)(row[clamp(first, 0, w - 1)], row[clamp(first + 1, 0, w - 1)],
                              row[clamp(first + 2, 0, w - 1)], row[clamp(first + 3, 0, w - 1)]);
    sum += p * (i + r + 1);
  }
  vstore4(sum, 0, out + y * w + x);
}

// Only some lanes come to the loop.
kernel void some(global const int* in, global int* out, int n, int most) {
  int x = 2 * get_global_id(0);
  int2 sum = in[x];
  if (in[x] > 0)
    for (int i = 0; i < most; i += 3) {
      if (x + i + 1 < n)
        sum += vload2(0, in + x + i) * (i + 1);
      else
        sum.y -= i;
    }
  vstore2(sum, 0, out + x);
}

// Behind a barrier, and where the block is the branch's other way.
kernel void behind_barrier(global const int* in, global int* out, local int* tile, int n) {
  int l = get_local_id(0), g = get_global_id(0), size = get_local_size(0);
  vstore4(vload4(g, in), l, tile);
  barrier(CLK_LOCAL_MEM_FENCE);
  int4 sum = 0;
  for (int i = 0; i < n; i++) {
    if (l + i >= size)
      sum -= i;
    else
      sum += vload4(l + i, tile);
  }
  vstore4(sum, g, out);
}
