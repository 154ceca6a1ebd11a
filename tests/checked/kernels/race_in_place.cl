// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: race
// launch: global=64 local=16
// args: float[65]=i
kernel void faulty(global float* data) {
  int i = get_global_id(0);
  float next = data[i + 1]; // ALSO
  data[i] = 0.5f * (data[i] + next); // FAULT
}

kernel void fixed(global float* data) {
  int i = get_global_id(0);
  float next = data[i];
  data[i] = 0.5f * (data[i] + next);
}
