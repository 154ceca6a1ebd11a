// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile %s --cpu znver3 --options -clotho-width=1 --emit=asm | %check
// SSE4a's INSERTQ and EXTRQ stand for shuffles of 64 bits, but take 115 ns among AVX instructions.

// CHECK-LABEL: mix
// CHECK-NOT: insertq
// CHECK-NOT: extrq
// CHECK: vpshufb
// CHECK-NOT: insertq
// CHECK-NOT: extrq
kernel void mix(global ushort4* out, global const ushort4* a, global const ushort4* b) {
  size_t i = get_global_id(0);
  out[i] = (ushort4)(a[i].x, b[i].x, b[i].y, a[i].w);
}
