// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile --cpu znver3 --emit lowered %s | FileCheck %s
// Lanes whose places are known distances apart, constant or not, are stored as scalars beside one address where the
// processor has no scatters: LLVM would compute addresses in vectors and take them apart again.

// CHECK-LABEL: void @second.cl(
// CHECK-NOT: masked.scatter
// CHECK-LABEL: void @second.predicated.cl(
kernel void second(global const float* in, global float* out) {
  size_t i = get_global_id(0);
  out[2 * i] = in[i];
}

// CHECK-LABEL: void @far.cl(
// CHECK-NOT: masked.scatter
// CHECK-LABEL: void @far.predicated.cl(
kernel void far(global const float* in, global float* out, ulong n) {
  size_t i = get_global_id(0);
  out[n * i] = in[i];
}
