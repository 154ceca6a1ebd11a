// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: ushort[32] float[64]
kernel void faulty(global const half* in, global float* out) {
  int i = get_global_id(0);
  out[i] = vload_half(i, in); // FAULT
}

kernel void fixed(global const half* in, global float* out) {
  int i = get_global_id(0);
  out[i] = vload_half(i & 31, in);
}
