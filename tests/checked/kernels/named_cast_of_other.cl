// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// options: -cl-std=CL2.0
// says: null pointer
// args: float[64] float[64]
kernel void faulty(global const float* in, global float* out) {
  int i = get_global_id(0);
  local float tile[16];
  tile[i % 16] = in[i];
  float* any = i == 7 ? (float*)out : (float*)tile;
  out[i] = to_local(any)[i % 16]; // FAULT
}

kernel void fixed(global const float* in, global float* out) {
  int i = get_global_id(0);
  local float tile[16];
  tile[i % 16] = in[i];
  float* any = (float*)tile;
  out[i] = to_local(any)[i % 16];
}
