// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: value
// launch: global=64 local=16
// args: float[64]=i uchar4[64]
kernel void faulty(global const float* in, global uchar4* out) {
  int i = get_global_id(0);
  out[i] = convert_uchar4((float4)(in[i] / in[i])); // FAULT
}

kernel void fixed(global const float* in, global uchar4* out) {
  int i = get_global_id(0);
  out[i] = convert_uchar4_sat((float4)(in[i] / in[i]));
}
