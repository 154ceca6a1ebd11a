// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.hpp"

#include <vector>

namespace {

/// All pairs, with one array for each coordinate: what vectors like best.
template <class T> void accelerate(const T* x, const T* y, const T* z, const T* mass, int n, T softening, auto store) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    T sx = 0, sy = 0, sz = 0;
#pragma omp simd reduction(+ : sx, sy, sz)
    for (int j = 0; j < n; ++j) {
      T dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
      T d = dx * dx + dy * dy + dz * dz + softening;
      T f = mass[j] / (d * squareRoot(d));
      sx += dx * f;
      sy += dy * f;
      sz += dz * f;
    }
    store(i, sx, sy, sz);
  }
}

void accelerateQuadruples(const Host& host) {
  float* out = host.get<float>(0);
  const float* bodies = host.get<float>(1);
  int n = host.size(0);
  std::vector<float> x(n), y(n), z(n), mass(n);
  for (int i = 0; i < n; ++i)
    x[i] = bodies[4 * i], y[i] = bodies[4 * i + 1], z[i] = bodies[4 * i + 2], mass[i] = bodies[4 * i + 3];
  accelerate(x.data(), y.data(), z.data(), mass.data(), n, 0.01F, [=](int i, float ax, float ay, float az) {
    out[4 * i] = ax, out[4 * i + 1] = ay, out[4 * i + 2] = az, out[4 * i + 3] = 0;
  });
}

} // namespace

extern "C" void nbody(const Host& host) { accelerateQuadruples(host); }
extern "C" void nbody_local(const Host& host) { accelerateQuadruples(host); }

extern "C" void nbody_double(const Host& host) {
  double *ax = host.get<double>(4), *ay = host.get<double>(5), *az = host.get<double>(6);
  accelerate(host.get<double>(0), host.get<double>(1), host.get<double>(2), host.get<double>(3), host.size(0), 0.01,
             [=](int i, double x, double y, double z) { ax[i] = x, ay[i] = y, az[i] = z; });
}
