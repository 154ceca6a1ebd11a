// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// One array for each coordinate.
kernel void accelerate(global const double* x, global const double* y, global const double* z,
                       global const double* mass, global double* ax, global double* ay, global double* az, int n,
                       double softening) {
  int i = get_global_id(0);
  double px = x[i], py = y[i], pz = z[i];
  double sx = 0, sy = 0, sz = 0;
  for (int j = 0; j < n; j++) {
    double dx = x[j] - px, dy = y[j] - py, dz = z[j] - pz;
    double d = dx * dx + dy * dy + dz * dz + softening;
    double f = mass[j] / (d * sqrt(d));
    sx += dx * f;
    sy += dy * f;
    sz += dz * f;
  }
  ax[i] = sx;
  ay[i] = sy;
  az[i] = sz;
}
