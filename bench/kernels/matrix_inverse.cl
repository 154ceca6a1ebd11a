// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define N 4

// Gauss and Jordan's way with pivots, a matrix a work-item.
kernel void invert(global float* out, global const float* in) {
  size_t item = get_global_id(0);
  float a[N][2 * N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = in[item * N * N + i * N + j];
      a[i][N + j] = i == j ? 1.0f : 0.0f;
    }
  for (int column = 0; column < N; column++) {
    int pivot = column;
    for (int i = column + 1; i < N; i++)
      if (fabs(a[i][column]) > fabs(a[pivot][column]))
        pivot = i;
    if (pivot != column)
      for (int j = 0; j < 2 * N; j++) {
        float t = a[column][j];
        a[column][j] = a[pivot][j];
        a[pivot][j] = t;
      }
    float factor = 1.0f / a[column][column];
    for (int j = 0; j < 2 * N; j++)
      a[column][j] *= factor;
    for (int i = 0; i < N; i++)
      if (i != column) {
        float times = a[i][column];
        for (int j = 0; j < 2 * N; j++)
          a[i][j] -= times * a[column][j];
      }
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      out[item * N * N + i * N + j] = a[i][N + j];
}
