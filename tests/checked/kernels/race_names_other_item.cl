// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: race
// launch: global=64 local=16
// args: int[64]=0 int[64]
// says: after a (write|read) by work-item \((5|60), 0, 0\) of another group
// The other kernels have more phases than this one.
kernel void faulty(global int* data, global int* out) {
  int i = get_global_id(0);
  if (i == 5) data[60] = 1; // ALSO
  if (i == 60) out[i] = data[60]; // FAULT
}

kernel void fixed(global int* data, global int* out) {
  int i = get_global_id(0);
  if (i == 60) out[i] = data[60];
}

kernel void loops(global int* data, local int* shared) {
  for (int k = 0; k < 10; ++k) {
    shared[get_local_id(0)] = data[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
