// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void stencil7(global float* out, global const float* in, int nx, int ny, int nz, float c0, float c1) {
  int x = get_global_id(0) + 1, y = get_global_id(1) + 1, z = get_global_id(2) + 1;
  if (x >= nx - 1 || y >= ny - 1 || z >= nz - 1)
    return;
  int i = (z * ny + y) * nx + x;
  out[i] = c1 * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny]) - c0 * in[i];
}
