// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: int[192]=i int[64]
struct item {
  int a, b, c;
};
kernel void faulty(global struct item* items, global int* out) {
  int i = get_global_id(0);
  out[i] = items[i + 1].c; // FAULT
}

kernel void fixed(global struct item* items, global int* out) {
  int i = get_global_id(0);
  out[i] = items[i].c;
}
