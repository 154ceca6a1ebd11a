// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %report %s --cpu znver3 --options "-DV=uint8" | FileCheck --check-prefixes=CHECK,FOUR %s
// RUN: %report %s --cpu x86-64-v3 --options "-DV=uint8" | FileCheck --check-prefixes=CHECK,FOUR %s
// RUN: %report %s --cpu znver5 --options "-DV=uint16" | FileCheck --check-prefixes=CHECK,EIGHT %s
// RUN: %report %s --cpu sapphirerapids --options "-DV=uint16" | FileCheck --check-prefixes=CHECK,FOUR %s
// A work-item whose own vectors fill the processor's: how many run at once depends on how much of it can go on at the
// same time, of so many instructions that no processor looks ahead to the next work-item.

#define REPEAT8(s, k) s(k) s(k + 1) s(k + 2) s(k + 3) s(k + 4) s(k + 5) s(k + 6) s(k + 7)
#define REPEAT64(s) \
  REPEAT8(s, 0) REPEAT8(s, 8) REPEAT8(s, 16) REPEAT8(s, 24) REPEAT8(s, 32) REPEAT8(s, 40) REPEAT8(s, 48) REPEAT8(s, 56)

// Each step waits for the one before, as in a hash.
// FOUR: kernel waits: 4 work-items at once
// EIGHT: kernel waits: 8 work-items at once
#define STEP(k) a = b + rotate(a + (d ^ (b & (c ^ d))) + (uint)(key + k * 77), (V)(7 + k % 13)), t = d, d = c, c = b, b = a, a = t;
kernel void waits(global const V* words, global const uint* keys, global V* out, int n) {
  const uint key = keys[get_global_id(0)];
  V sum = 0;
  for (int i = 0; i < n; ++i) {
    V a = words[i], b = 1, c = 2, d = 3, t;
    REPEAT64(STEP)
    sum ^= b;
  }
  out[get_global_id(0)] = sum;
}

// Eight of them beside each other do not.
// CHECK: kernel busy: 1 work-item at once, because its own vectors are enough for the processor
#define SIDE(j) x[j] = rotate(x[j] * 5u + key, (V)7) ^ y[j], y[j] += x[j];
#define SIDES SIDE(0) SIDE(1) SIDE(2) SIDE(3) SIDE(4) SIDE(5) SIDE(6) SIDE(7)
kernel void busy(global const V* words, global const uint* keys, global V* out, int n) {
  const uint key = keys[get_global_id(0)];
  V x[8], y[8], sum = 0;
  for (int j = 0; j < 8; ++j) x[j] = words[j], y[j] = j;
  for (int i = 0; i < n; ++i) {
    SIDES SIDES SIDES SIDES SIDES SIDES SIDES SIDES
  }
  for (int j = 0; j < 8; ++j) sum ^= x[j];
  out[get_global_id(0)] = sum;
}
