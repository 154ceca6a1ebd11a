// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=8 local=8
// args: uchar[512]=i int[64]
struct eight {
  int numbers[8];
};

kernel void faulty(global const uchar* bytes, global struct eight* out) {
  int i = get_global_id(0);
  out[i] = *(global const struct eight*)(bytes + 33 * i); // FAULT
}

kernel void fixed(global const uchar* bytes, global struct eight* out) {
  int i = get_global_id(0);
  out[i] = *(global const struct eight*)(bytes + 36 * i);
}
