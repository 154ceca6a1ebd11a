// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Components in one array of floats.
kernel void accelerate(global const float* p, global float* result, int n, float softening) {
  int i = get_global_id(0) * 4;
  float a[3] = {0, 0, 0};
  for (int j = 0; j < n; j++) {
    float d[3], square = softening;
    for (int k = 0; k < 3; k++) {
      d[k] = p[4 * j + k] - p[i + k];
      square += d[k] * d[k];
    }
    float inverse = rsqrt(square);
    for (int k = 0; k < 3; k++)
      a[k] += p[4 * j + 3] * inverse * inverse * inverse * d[k];
  }
  for (int k = 0; k < 3; k++)
    result[i + k] = a[k];
  result[i + 3] = 0;
}
