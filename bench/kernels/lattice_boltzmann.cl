// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// D2Q9: each cell pulls what streams to it, reflects it in walls, and relaxes it.
constant int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
constant int ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
constant int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
constant float weight[9] = {4.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};

kernel void relax(global float* to, global const float* from, global const uchar* wall, int width, int height,
                 float omega) {
  int x = get_global_id(0), y = get_global_id(1);
  int cells = width * height, cell = y * width + x;
  float f[9];
  for (int i = 0; i < 9; i++) {
    int sx = (x - ex[i] + width) % width;
    int sy = (y - ey[i] + height) % height;
    f[i] = from[i * cells + sy * width + sx];
  }
  if (wall[cell]) {
    for (int i = 0; i < 9; i++)
      to[i * cells + cell] = f[opposite[i]];
    return;
  }
  float rho = 0.0f, ux = 0.0f, uy = 0.0f;
  for (int i = 0; i < 9; i++) {
    rho += f[i];
    ux += ex[i] * f[i];
    uy += ey[i] * f[i];
  }
  ux /= rho;
  uy /= rho;
  float square = 1.5f * (ux * ux + uy * uy);
  for (int i = 0; i < 9; i++) {
    float eu = 3.0f * (ex[i] * ux + ey[i] * uy);
    float equilibrium = weight[i] * rho * (1.0f + eu + 0.5f * eu * eu - square);
    to[i * cells + cell] = f[i] + omega * (equilibrium - f[i]);
  }
}
