// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// options: -cl-std=CL2.0
// says: read of 4 bytes, just behind argument 1 'out' \(256 bytes\)
// args: pipe:int:64 int[64]
kernel void faulty(write_only pipe int queue, global int* out) {
  int i = get_global_id(0);
  write_pipe(queue, out + i + 1); // FAULT
}

kernel void fixed(write_only pipe int queue, global int* out) {
  int i = get_global_id(0);
  write_pipe(queue, out + i);
}
