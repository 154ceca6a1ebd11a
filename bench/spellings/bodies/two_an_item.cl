// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two bodies a work-item.
kernel void accelerate(global const float4* bodies, global float4* result, int n, float softening) {
  int i = get_global_id(0), k = i + get_global_size(0);
  float4 a = bodies[i], b = bodies[k], sumA = (float4)(0), sumB = (float4)(0);
  for (int j = 0; j < n; j++) {
    float4 other = bodies[j], ra = other - a, rb = other - b;
    float ia = rsqrt(ra.x * ra.x + ra.y * ra.y + ra.z * ra.z + softening);
    float ib = rsqrt(rb.x * rb.x + rb.y * rb.y + rb.z * rb.z + softening);
    ia = ia * ia * ia * other.w;
    ib = ib * ib * ib * other.w;
    sumA.x += ia * ra.x;
    sumA.y += ia * ra.y;
    sumA.z += ia * ra.z;
    sumB.x += ib * rb.x;
    sumB.y += ib * rb.y;
    sumB.z += ib * rb.z;
  }
  result[i] = sumA;
  result[k] = sumB;
}
