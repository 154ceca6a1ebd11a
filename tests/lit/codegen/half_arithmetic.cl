// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile %s --cpu sapphirerapids --emit asm -o - | %check --check-prefix=HALF
// RUN: %compile %s --cpu icelake-server --emit asm -o - | %check --check-prefix=FLOAT
// RUN: %compile %s --cpu sapphirerapids --emit asm --options -cl-fast-relaxed-math -o - | %check --check-prefix=RELAXED
// RUN: %report %s --cpu sapphirerapids | %check --check-prefix=WIDTH
// Where the processor computes with halves nothing becomes float, and a product with a sum is one operation.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// HALF-NOT: vcvtph2ps
// HALF: vfmadd{{.*}}ph
// HALF-NOT: vcvtph2ps
// FLOAT-NOT: ph{{[ 	]}}
// FLOAT: vcvtph2ps
// FLOAT: vmulps
// FLOAT: vcvtps2ph
// FLOAT: vaddps
// RELAXED-NOT: vrcpph
// WIDTH: kernel sum
kernel void sum(global const half* a, global const half* b, global half* out) {
  const size_t i = get_global_id(0);
  out[i] = mad(a[i], b[i], out[i]);
}

// RELAXED: vdivph
// RELAXED-NOT: vrcpph
kernel void quotient(global const half* a, global const half* b, global half* out) {
  const size_t i = get_global_id(0);
  out[i] = a[i] / b[i];
}

// A round's sum waits for the last one's; eight vectors of two chains each.
// WIDTH: kernel chain: 128 work-items at once
kernel void chain(global half2* out, half factor) {
  half2 x = (half2)(factor, factor + 1), y = (half2)get_global_id(0);
  for (int k = 0; k < 64; k++) {
    x = mad(y, x, y);
    y = mad(x, y, x);
  }
  out[get_global_id(0)] = y;
}
