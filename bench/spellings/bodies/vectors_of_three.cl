// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of three, dot, and a division by a root.
kernel void accelerate(global const float4* bodies, global float4* result, int n, float softening) {
  const float3 me = bodies[get_global_id(0)].xyz;
  float3 sum = 0;
  for (int j = 0; j < n; ++j) {
    const float3 r = bodies[j].xyz - me;
    const float distance = dot(r, r) + softening;
    sum += bodies[j].w / (distance * sqrt(distance)) * r;
  }
  result[get_global_id(0)] = (float4)(sum, 0);
}
