// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: int[64]
struct pair {
  int a, b;
};
kernel void faulty(global int* out) {
  int i = get_global_id(0);
  struct pair p;
  p.a = i;
  out[i] = p.a + p.b; // FAULT
}

kernel void fixed(global int* out) {
  int i = get_global_id(0);
  struct pair p;
  p.a = i;
  out[i] = p.a;
}
