// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix whose sides are no multiple of anything; the range is rounded up.
kernel void transpose(global const float* in, global float* out, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h)
    return;
  out[x * h + y] = in[y * w + x];
}
