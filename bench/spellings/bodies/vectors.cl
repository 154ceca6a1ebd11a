// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies as vectors of four, with dot and the fourth component included.
kernel void accelerate(global const float4* bodies, global float4* result, int n, float softening) {
  float4 me = bodies[get_global_id(0)], sum = (float4)(0.0f);
  for (int j = 0; j < n; ++j) {
    float4 other = bodies[j];
    float4 r = other - me;
    r.w = 0.0f;
    float inverse = rsqrt(dot(r, r) + softening);
    sum += r * (other.w * inverse * inverse * inverse);
  }
  result[get_global_id(0)] = sum;
}
