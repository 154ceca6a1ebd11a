// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile %s --cpu znver4 --options "-cl-std=CL3.0 -clotho-width=64" --emit=asm | %check
// Instruction selection of LLVM 22 would not end: some lanes of a mask are known to be zero, and the mask is counted.

// CHECK-LABEL: counted.cl:
// CHECK: vpaddd
// CHECK: retq
kernel void counted(global const uint* in, global uint* out) {
  const size_t i = get_global_id(0);
  const uint lane = get_sub_group_local_id();
  const uint a = in[i] + sub_group_ballot_bit_count(sub_group_ballot((36 < (lane >> 1)) & 1));
  uint found = (a + 1) >> 1;
  if (((found ^ lane) & (lane >> (lane & 31))) & 1) found += sub_group_clustered_reduce_add((uint)((a & 25) < (found ^ lane)), 4);
  out[i] = found;
}

// CHECK-LABEL: counted_with_byte.cl:
// CHECK: retq
kernel void counted_with_byte(global const uint* in, global const uchar* bytes, global uint* out) {
  const size_t i = get_global_id(0);
  const uint lane = get_sub_group_local_id();
  const uint a = in[i], found = ((a + 1) >> 1) ^ lane;
  const uint take = ((found & (lane >> (lane & 31))) & 1) && (a & 25) < found;
  out[i] = take + bytes[i];
}
