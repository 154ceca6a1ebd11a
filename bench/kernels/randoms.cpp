// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.hpp"

extern "C" void philox(const Host& host) {
  std::uint32_t* __restrict out = host.get<std::uint32_t>(0);
  int n = host.size(0);
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i) {
    std::uint32_t x = static_cast<std::uint32_t>(i), y = 0, z = 0, w = 0, key0 = 0xDEADBEEFU, key1 = 0x12345678U;
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
      std::uint64_t p = std::uint64_t{0xD2511F53U} * x, q = std::uint64_t{0xCD9E8D57U} * z;
      std::uint32_t nx = static_cast<std::uint32_t>(q >> 32U) ^ y ^ key0;
      std::uint32_t nz = static_cast<std::uint32_t>(p >> 32U) ^ w ^ key1;
      y = static_cast<std::uint32_t>(q), w = static_cast<std::uint32_t>(p);
      x = nx, z = nz;
      key0 += 0x9E3779B9U;
      key1 += 0xBB67AE85U;
    }
    out[4 * i] = x, out[4 * i + 1] = y, out[4 * i + 2] = z, out[4 * i + 3] = w;
  }
}

extern "C" void xorshift(const Host& host) {
  constexpr int kBlock = 32; // independent states side by side
  const std::uint64_t* __restrict seeds = host.get<std::uint64_t>(0);
  std::uint32_t* __restrict counts = host.get<std::uint32_t>(1);
  int n = host.size(0), points = host.size(1);
#pragma omp parallel for
  for (int first = 0; first < n; first += kBlock) {
    std::uint64_t states[kBlock], inside[kBlock] = {};
    for (int k = 0; k < kBlock; ++k)
      states[k] = seeds[first + k];
    for (int p = 0; p < points; ++p)
#pragma omp simd
      for (int k = 0; k < kBlock; ++k) {
        std::uint64_t state = states[k];
        state ^= state << 13U;
        state ^= state >> 7U;
        state ^= state << 17U;
        states[k] = state;
        std::uint64_t x = state >> 48U, y = (state >> 16U) & 0xFFFFU;
        inside[k] += x * x + y * y < (std::uint64_t{1} << 32U) ? 1 : 0;
      }
    for (int k = 0; k < kBlock; ++k)
      counts[first + k] = static_cast<std::uint32_t>(inside[k]);
  }
}
