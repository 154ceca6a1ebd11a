// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile %s --cpu znver4 --options -clotho-width=4 --emit=asm | %check
// The mask is looked at, to skip the branch, before the gather takes it. LLVM 22 forgets that the gather does.
// CHECK-LABEL: shorts.cl:
// CHECK: vpmovd2m %xmm{{[0-9]+}}, %[[MASK:k[1-7]]]
// CHECK: vpgatherqd {{.*}} {%[[MASK]]}
kernel void shorts(global const short* t, global const int* index, global short* out) {
  const int g = get_global_id(0);
  if (index[g] & 1) out[g * 7 % 208] = t[index[g]];
}
