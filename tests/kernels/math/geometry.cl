// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void geometry(global const float4* a, global const float4* b, global float* out) {
  const int i = get_global_id(0);
  out[i * 8] = dot(a[i], b[i]);
  out[i * 8 + 1] = length(a[i].xyz);
  out[i * 8 + 2] = distance(a[i], b[i]);
  const float3 n = normalize(a[i].xyz), c = cross(a[i].xyz, b[i].xyz);
  out[i * 8 + 3] = n.y;
  out[i * 8 + 4] = c.x;
  out[i * 8 + 5] = c.z;
  out[i * 8 + 6] = fast_length(b[i].xy);
  out[i * 8 + 7] = dot(a[i].x, b[i].y);
}
