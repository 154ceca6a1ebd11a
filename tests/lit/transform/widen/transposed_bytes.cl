// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --cpu znver4 --emit llvm --options -clotho-width=16 %s | %check
// Bytes of sixteen lanes, each of which has a row of its own, are transposed in blocks of 16 bytes, by interleaving, also
// where a register has 64 bytes.

// CHECK-LABEL: @letters
// CHECK: load <32 x i8>
// CHECK-COUNT-64: shufflevector <16 x i8> {{.*}} <i32 0, i32 16, i32 1, i32 17
kernel void letters(global const uchar* in, global int* out) {
  int i = get_global_id(0), count = 0;
  for (int k = i * 256; k < (i + 1) * 256; ++k)
    count += in[k] == 'e';
  out[i] = count;
}
