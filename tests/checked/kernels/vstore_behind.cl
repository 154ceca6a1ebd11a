// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: uchar[190]
kernel void faulty(global uchar* out) {
  int i = get_global_id(0);
  vstore3((uchar3)(i), i, out); // FAULT
}

kernel void fixed(global uchar* out) {
  int i = get_global_id(0);
  if (i < 63)
    vstore3((uchar3)(i), i, out);
}
