// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.hpp"

#include <array>
#include <bit>

namespace {

constexpr std::uint32_t kSha[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

} // namespace

extern "C" void sha256(const Host& host) {
  constexpr std::array<std::uint32_t, 8> kStart = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const std::uint32_t* messages = host.get<std::uint32_t>(0);
  std::uint32_t* digests = host.get<std::uint32_t>(1);
  int n = host.size(0);
#pragma omp parallel for
  for (int item = 0; item < n; ++item) {
    std::uint32_t w[64];
    for (int i = 0; i < 16; ++i)
      w[i] = messages[item * 16 + i];
    for (int i = 16; i < 64; ++i) {
      std::uint32_t x = w[i - 15], y = w[i - 2];
      w[i] = w[i - 16] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3U)) + w[i - 7] +
             (std::rotr(y, 17) ^ std::rotr(y, 19) ^ (y >> 10U));
    }
    auto [a, b, c, d, e, f, g, h] = kStart;
    for (int i = 0; i < 64; ++i) {
      std::uint32_t t1 =
          h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + kSha[i] + w[i];
      std::uint32_t t2 = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    const std::uint32_t ends[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; ++i)
      digests[item * 8 + i] = ends[i] + kStart[i];
  }
}

extern "C" void xxhash(const Host& host) {
  constexpr std::uint32_t kP1 = 0x9E3779B1U, kP2 = 0x85EBCA77U, kP3 = 0xC2B2AE3DU, kSeed = 2024;
  const std::uint32_t* __restrict records = host.get<std::uint32_t>(0);
  std::uint32_t* __restrict hashes = host.get<std::uint32_t>(1);
  int n = host.size(0);
#pragma omp parallel for simd
  for (int item = 0; item < n; ++item) {
    const std::uint32_t* record = records + item * 16;
    std::uint32_t a = kSeed + kP1 + kP2, b = kSeed + kP2, c = kSeed, d = kSeed - kP1;
    for (int i = 0; i < 16; i += 4) {
      a = std::rotl(a + record[i] * kP2, 13) * kP1;
      b = std::rotl(b + record[i + 1] * kP2, 13) * kP1;
      c = std::rotl(c + record[i + 2] * kP2, 13) * kP1;
      d = std::rotl(d + record[i + 3] * kP2, 13) * kP1;
    }
    std::uint32_t h = std::rotl(a, 1) + std::rotl(b, 7) + std::rotl(c, 12) + std::rotl(d, 18) + 64;
    h = (h ^ (h >> 15U)) * kP2;
    h = (h ^ (h >> 13U)) * kP3;
    hashes[item] = h ^ (h >> 16U);
  }
}

extern "C" void crc32(const Host& host) {
  const std::uint8_t* data = host.get<std::uint8_t>(0);
  const std::uint32_t* table = host.get<std::uint32_t>(1);
  std::uint32_t* sums = host.get<std::uint32_t>(2);
  int packets = host.size(0), size = host.size(1);
#pragma omp parallel for
  for (int packet = 0; packet < packets; ++packet) {
    std::uint32_t crc = 0xFFFFFFFFU;
    for (int i = 0; i < size; ++i)
      crc = table[(crc ^ data[packet * size + i]) & 0xFFU] ^ (crc >> 8U);
    sums[packet] = ~crc;
  }
}

extern "C" void hamming(const Host& host) {
  const std::uint64_t* __restrict queries = host.get<std::uint64_t>(0);
  const std::uint64_t* __restrict set = host.get<std::uint64_t>(1);
  std::uint32_t* __restrict result = host.get<std::uint32_t>(2);
  int n = host.size(0), count = host.size(1);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    std::uint64_t low = queries[2 * i], high = queries[2 * i + 1];
    std::uint32_t best = 0xFFFFFFFFU;
#pragma omp simd reduction(min : best)
    for (int k = 0; k < count; ++k) {
      auto bits = static_cast<std::uint32_t>(std::popcount(low ^ set[2 * k]) + std::popcount(high ^ set[2 * k + 1]));
      std::uint32_t distance = bits << 16U | static_cast<std::uint32_t>(k);
      best = distance < best ? distance : best;
    }
    result[i] = best;
  }
}
