// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile %s --cpu sapphirerapids --emit asm -o - | %check --check-prefix=HALF
// RUN: %compile %s --cpu icelake-server --emit asm -o - | %check --check-prefix=FLOAT
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
kernel void sum(global const half* a, global const half* b, global half* out) {
  const size_t i = get_global_id(0);
  out[i] = mad(a[i], b[i], out[i]);
}
