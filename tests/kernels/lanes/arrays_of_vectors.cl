// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short vectors of several widths, one after the other, in every second place, and gathered.
kernel void threes(global const float3* in, global float3* out) {
  const size_t g = get_global_id(0);
  const float3 v = in[g];
  out[g] = (float3)(v.z, v.x, v.y) * 2;
}

kernel void packedThrees(global const float* in, global float* out) {
  const size_t g = get_global_id(0);
  const float3 v = vload3(g, in);
  vstore3(v.zyx + 1, g, out);
}

kernel void fours(global const double4* in, global double4* out) {
  const size_t g = get_global_id(0), n = get_global_size(0);
  const double4 v = in[n - 1 - g];
  if (v.x > 0) out[g] = v.wzyx;
}

kernel void sixteens(global const char16* in, global char16* out) {
  const size_t g = get_global_id(0);
  const char16 v = in[g * 5 % get_global_size(0)];
  out[g] = v.sfedcba9876543210 + (char16)1;
}
