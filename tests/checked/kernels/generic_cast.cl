// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// options: -cl-std=CL2.0
// says: just behind argument 0 'in'
// args: float[64] float[64]
kernel void faulty(global const float* in, global float* out) {
  int i = get_global_id(0);
  const float* any = in + 1;
  out[i] = to_global(any)[i]; // FAULT
}

kernel void fixed(global const float* in, global float* out) {
  int i = get_global_id(0);
  const float* any = in;
  out[i] = to_global(any)[i];
}
