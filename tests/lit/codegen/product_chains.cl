// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %report %s --cpu sapphirerapids | %check --check-prefix=WIDE
// RUN: %report %s --cpu x86-64-v3 | %check --check-prefix=INTEL
// RUN: %report %s --cpu znver3 | %check --check-prefix=ZEN
// Loops of products of integers that wait for each other: sixteen vectors at once where such a product takes ten cycles
// and one begins in each, eight where one of 512 bits begins in two, as many as of floats where it takes as long as
// theirs. So, too, where rounds are few but the operations of all of them more than any processor looks ahead.

// WIDE: kernel generator: 128 work-items at once
// INTEL: kernel generator: 128 work-items at once
// ZEN: kernel generator: 64 work-items at once
kernel void generator(global const uint* in, global uint* out) {
  const size_t i = get_global_id(0);
  uint x = in[i];
  for (int k = 0; k < 1000; k++) x = x * 1664525u + 1013904223u;
  out[i] = x;
}

// There is more to do beside each product.
// WIDE: kernel beside: 128 work-items at once
// INTEL: kernel beside: 64 work-items at once
// ZEN: kernel beside: 32 work-items at once
kernel void beside(global const int* in, global int* out) {
  const size_t i = get_global_id(0);
  int x = in[i], y = i;
  for (int k = 0; k < 1000; k++) {
    x = mad24(y, x, y);
    y = mad24(x, y, x);
  }
  out[i] = x ^ y;
}

// Products are made of a counter, and are not waited for; and another loop has sums of floats.
// INTEL: kernel hashes: 64 work-items at once
// INTEL: kernel floats: 64 work-items at once
kernel void hashes(global uint* out) {
  uint k = get_global_id(0), sum = 0;
  for (int i = 0; i < 1000; i++) {
    sum ^= k * k * k;
    k += 77;
  }
  out[get_global_id(0)] = sum;
}
kernel void floats(global float* out, float factor) {
  uint seed = get_global_id(0);
  for (int i = 0; i < 100; i++) seed = seed * 1664525u + 1013904223u;
  float x = seed;
  for (int i = 0; i < 1000; i++) x = x * factor + 1.0f;
  out[get_global_id(0)] = x;
}

// The product is not waited for.
// WIDE: kernel products: 128 work-items at once
// INTEL: kernel products: 64 work-items at once
// ZEN: kernel products: 64 work-items at once
kernel void products(global uint* out, uint x) {
  const size_t i = get_global_id(0);
  const uint own = i;
  uint sum = 0;
  for (uint k = 0; k < 1000; k++) sum = (sum ^ own * (k ^ x)) + own;
  out[i] = sum;
}

#define MAD(x, y) x = y * x + y; y = x * y + x;
#define MADS(x, y) MAD(x, y) MAD(x, y) MAD(x, y) MAD(x, y) MAD(x, y) MAD(x, y) MAD(x, y) MAD(x, y)
// WIDE: kernel few_rounds: 32 work-items at once
// INTEL: kernel few_rounds: 32 work-items at once
// ZEN: kernel few_rounds: 8 work-items at once
kernel void few_rounds(global int4* out, int a) {
  int4 x = (int4)(a, a + 1, a + 2, a + 3), y = (int4)get_global_id(0);
  for (int k = 0; k < 16; k++) { MADS(x, y) }
  out[get_global_id(0)] = y;
}

// With few operations the processor is at the next work-items soon.
// WIDE: kernel few: 16 work-items at once
// INTEL: kernel few: 8 work-items at once
// ZEN: kernel few: 8 work-items at once
kernel void few(global int* out, int a) {
  int x = a, y = get_global_id(0);
  for (int k = 0; k < 16; k++) { MAD(x, y) }
  out[get_global_id(0)] = y;
}
