// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An array a component.
kernel void accelerate(global const float* xs, global const float* ys, global const float* zs, global const float* ms,
                       global float4* result, int n, float softening) {
  const int i = get_global_id(0);
  const float x = xs[i], y = ys[i], z = zs[i];
  float sumX = 0, sumY = 0, sumZ = 0;
  for (int j = 0; j < n; ++j) {
    float dx = xs[j] - x, dy = ys[j] - y, dz = zs[j] - z;
    float inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening);
    float factor = ms[j] * (inverse * inverse * inverse);
    sumX += dx * factor;
    sumY += dy * factor;
    sumZ += dz * factor;
  }
  result[i] = (float4)(sumX, sumY, sumZ, 0);
}
