// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Squares of these components overflow, underflow or are denormal; lengths and directions are none of that (OpenCL C 3.0, section 6.15.5).
kernel void far_lengths(global const float* scales, global float* out) {
  const int i = get_global_id(0);
  const float3 x = (float3)(2, -1, 2) * scales[i];
  out[i * 6] = length(x);
  out[i * 6 + 1] = distance(x, (float3)(0));
  out[i * 6 + 2] = length((float4)(0, x));
  const float3 unit = normalize(x);
  out[i * 6 + 3] = unit.x;
  out[i * 6 + 4] = unit.y;
  out[i * 6 + 5] = normalize((float2)(0, scales[i])).y;
}

kernel void infinite(global float* out) {
  const float3 axis = normalize((float3)(1, -INFINITY, 3)), none = normalize((float3)(0, -0.0f, 0));
  const float2 diagonal = normalize((float2)(INFINITY, -INFINITY));
  out[0] = length((float3)(1, -INFINITY, 3));
  out[1] = axis.x;
  out[2] = axis.y;
  out[3] = diagonal.x;
  out[4] = diagonal.y;
  out[5] = 1 / none.x;
  out[6] = 1 / none.y;
  out[7] = distance((float2)(1, NAN), (float2)(1, 1));
}
