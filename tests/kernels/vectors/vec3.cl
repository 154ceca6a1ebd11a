// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A float3 takes the room of a float4 in memory, but vload3 and vstore3 pack.
kernel void vec3(global const float3* in, global float3* out, global float* packed, float3 add) {
  const int i = get_global_id(0);
  const float3 v = in[i] + add;
  out[i] = cross(v, (float3)(1, 0, 0)) + v.zyx;
  vstore3(v, i, packed);
  const float3 back = vload3(i, packed);
  packed[3 * i + 1] = back.y * 2;
}
