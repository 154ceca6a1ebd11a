// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void stencil27(global float* out, global const float* in, constant float* weights, int nx, int ny, int nz) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  int i = (z * ny + y) * nx + x;
  if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1) {
    out[i] = in[i];
    return;
  }
  float sum = 0.0f;
  for (int dz = -1; dz <= 1; dz++)
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++)
        sum += weights[abs(dx) + abs(dy) + abs(dz)] * in[i + (dz * ny + dy) * nx + dx];
  out[i] = sum;
}
