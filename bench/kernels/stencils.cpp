// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

extern "C" void convolution(const Host& host) {
  constexpr int kRadius = 2, kSide = 2 * kRadius + 1;
  float* __restrict out = host.get<float>(0);
  const float* __restrict in = host.get<float>(1);
  const float* __restrict filter = host.get<float>(2);
  int width = host.size(0), height = host.size(1);
  auto border = [&](int x, int y) {
    float sum = 0;
    for (int dy = 0; dy < kSide; ++dy)
      for (int dx = 0; dx < kSide; ++dx)
        sum += in[std::clamp(y + dy - kRadius, 0, height - 1) * width + std::clamp(x + dx - kRadius, 0, width - 1)] *
               filter[dy * kSide + dx];
    out[y * width + x] = sum;
  };
#pragma omp parallel for
  for (int y = 0; y < height; ++y) {
    if (y < kRadius || y >= height - kRadius) {
      for (int x = 0; x < width; ++x)
        border(x, y);
      continue;
    }
    for (int x = 0; x < kRadius; ++x)
      border(x, y), border(width - 1 - x, y);
#pragma omp simd
    for (int x = kRadius; x < width - kRadius; ++x) {
      float sum = 0;
      for (int dy = 0; dy < kSide; ++dy)
        for (int dx = 0; dx < kSide; ++dx)
          sum += in[(y + dy - kRadius) * width + x + dx - kRadius] * filter[dy * kSide + dx];
      out[y * width + x] = sum;
    }
  }
}

extern "C" void jacobi(const Host& host) {
  float* __restrict out = host.get<float>(0);
  const float* __restrict in = host.get<float>(1);
  int width = host.size(0), height = host.size(1);
#pragma omp parallel for
  for (int y = 0; y < height; ++y) {
    int row = y * width;
    if (y == 0 || y == height - 1) {
      std::copy_n(in + row, width, out + row);
      continue;
    }
    out[row] = in[row];
    out[row + width - 1] = in[row + width - 1];
#pragma omp simd
    for (int i = row + 1; i < row + width - 1; ++i)
      out[i] = 0.2F * (in[i] + in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
  }
}

extern "C" void stencil7(const Host& host) {
  constexpr float kCentre = 6, kNeighbour = 1;
  float* __restrict out = host.get<float>(0);
  const float* __restrict in = host.get<float>(1);
  int nx = host.size(0), ny = host.size(1), nz = host.size(2);
#pragma omp parallel for collapse(2)
  for (int z = 1; z < nz - 1; ++z)
    for (int y = 1; y < ny - 1; ++y) {
      int row = (z * ny + y) * nx;
#pragma omp simd
      for (int i = row + 1; i < row + nx - 1; ++i)
        out[i] = kNeighbour * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny]) -
                 kCentre * in[i];
    }
}

extern "C" void stencil27(const Host& host) {
  float* __restrict out = host.get<float>(0);
  const float* __restrict in = host.get<float>(1);
  const float* __restrict weights = host.get<float>(2);
  int nx = host.size(0), ny = host.size(1), nz = host.size(2);
#pragma omp parallel for collapse(2)
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y) {
      int row = (z * ny + y) * nx;
      if (z == 0 || y == 0 || z == nz - 1 || y == ny - 1) {
        std::copy_n(in + row, nx, out + row);
        continue;
      }
      out[row] = in[row];
      out[row + nx - 1] = in[row + nx - 1];
#pragma omp simd
      for (int i = row + 1; i < row + nx - 1; ++i) {
        float sum = 0;
        for (int dz = -1; dz <= 1; ++dz)
          for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
              sum += weights[std::abs(dx) + std::abs(dy) + std::abs(dz)] * in[i + (dz * ny + dy) * nx + dx];
        out[i] = sum;
      }
    }
}

extern "C" void bilateral(const Host& host) {
  constexpr int kRadius = 3;
  constexpr float kNear = 0.08F, kLike = 12;
  float* __restrict out = host.get<float>(0);
  const float* __restrict in = host.get<float>(1);
  int width = host.size(0), height = host.size(1);
#pragma omp parallel for
  for (int y = 0; y < height; ++y)
#pragma omp simd
    for (int x = 0; x < width; ++x) {
      float centre = in[y * width + x], sum = 0, weights = 0;
      for (int sy = std::max(0, y - kRadius); sy <= std::min(height - 1, y + kRadius); ++sy)
        for (int dx = -kRadius; dx <= kRadius; ++dx) {
          int sx = x + dx;
          bool inside = sx >= 0 && sx < width;
          float value = in[sy * width + std::clamp(sx, 0, width - 1)], difference = value - centre;
          int dy = sy - y;
          float weight = std::exp(-static_cast<float>(dx * dx + dy * dy) * kNear - difference * difference * kLike);
          weight = inside ? weight : 0;
          sum += weight * value;
          weights += weight;
        }
      out[y * width + x] = sum / weights;
    }
}

extern "C" void lattice_boltzmann(const Host& host) {
  constexpr float kOmega = 1.2F;
  constexpr int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1},
                opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
  constexpr float weight[9] = {4.0F / 9,  1.0F / 9,  1.0F / 9,  1.0F / 9, 1.0F / 9,
                               1.0F / 36, 1.0F / 36, 1.0F / 36, 1.0F / 36};
  const std::uint8_t* __restrict wall = host.get<std::uint8_t>(2);
  int width = host.size(0), height = host.size(1), cells = width * height;
  auto cellAt = [&](float* __restrict to, const float* __restrict from, int x, int y, int left, int right) {
    const int columns[3] = {left, x, right};
    const int rows[3] = {(y == 0 ? height - 1 : y - 1) * width, y * width, (y == height - 1 ? 0 : y + 1) * width};
    int cell = y * width + x;
    float f[9], rho = 0, ux = 0, uy = 0;
    for (int i = 0; i < 9; ++i)
      f[i] = from[i * cells + rows[1 - ey[i]] + columns[1 - ex[i]]];
    for (int i = 0; i < 9; ++i) {
      rho += f[i];
      ux += static_cast<float>(ex[i]) * f[i];
      uy += static_cast<float>(ey[i]) * f[i];
    }
    ux /= rho;
    uy /= rho;
    float square = 1.5F * (ux * ux + uy * uy);
    bool isWall = wall[cell] != 0;
    for (int i = 0; i < 9; ++i) {
      float eu = 3 * (static_cast<float>(ex[i]) * ux + static_cast<float>(ey[i]) * uy);
      float equilibrium = weight[i] * rho * (1 + eu + 0.5F * eu * eu - square);
      float relaxed = f[i] + kOmega * (equilibrium - f[i]);
      to[i * cells + cell] = isWall ? f[opposite[i]] : relaxed;
    }
  };
  for (int turn = 0; turn < 2; ++turn) {
    float* to = host.get<float>(turn ? 0 : 1);
    const float* from = host.get<float>(turn ? 1 : 0);
#pragma omp parallel for
    for (int y = 0; y < height; ++y) {
      cellAt(to, from, 0, y, width - 1, 1);
#pragma omp simd
      for (int x = 1; x < width - 1; ++x)
        cellAt(to, from, x, y, x - 1, x + 1);
      cellAt(to, from, width - 1, y, width - 2, 0);
    }
  }
}
