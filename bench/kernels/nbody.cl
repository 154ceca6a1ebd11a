// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void accelerate(global float4* acceleration, global const float4* bodies, int n, float softening) {
  int i = get_global_id(0);
  float4 me = bodies[i];
  float3 sum = (float3)(0.0f);
  for (int j = 0; j < n; j++) {
    float4 other = bodies[j];
    float3 r = other.xyz - me.xyz;
    float inverse = rsqrt(dot(r, r) + softening);
    sum += r * (other.w * inverse * inverse * inverse);
  }
  acceleration[i] = (float4)(sum, 0.0f);
}
