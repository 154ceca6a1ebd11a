// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: int[256]=i int[256]
kernel void faulty(global const int* in, global int* out) {
  int i = get_global_id(0);
  int3 v, w = vload3(i, in);
  v.xy = w.yx;
  int3 chosen = w.x >= 0 ? v : w; // FAULT
  vstore3(chosen, i, out);
}

kernel void fixed(global const int* in, global int* out) {
  int i = get_global_id(0);
  int3 v, w = vload3(i, in);
  v.xyz = w.yxz;
  int3 chosen = w.x >= 0 ? v : w;
  vstore3(chosen, i, out);
}
