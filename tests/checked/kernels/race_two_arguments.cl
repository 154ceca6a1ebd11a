// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: race
// launch: global=64 local=16
// args: float[64]=i same:0
// Both arguments are one buffer, to which the kernel writes by the second.
kernel void faulty(global const float* in, global float* out) {
  int i = get_global_id(0);
  float next = in[(i + 1) % 64]; // ALSO
  out[i] = next; // FAULT
}

kernel void fixed(global const float* in, global float* out) {
  int i = get_global_id(0);
  out[i] = 2 * in[i];
}
