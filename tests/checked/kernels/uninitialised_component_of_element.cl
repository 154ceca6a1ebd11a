// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: int[256]=i int[256]
kernel void faulty(global const int* in, global int* out) {
  int i = get_global_id(0);
  int4 t[2];
  for (int k = 0; k < 2; ++k) {
    t[k].x = in[i + k];
    t[k].y = in[i];
    t[k].zw = t[k].xy;
  }
  t[0].zw = t[1].yx;
  int4 u[2];
  u[in[0] & 1].xyz = t[0].xyz;
  u[0].xyz = u[0].zyx;
  out[i] = t[0].z + t[1].w
    + u[0].w; // FAULT
}

kernel void fixed(global const int* in, global int* out) {
  int i = get_global_id(0);
  int4 t[2];
  for (int k = 0; k < 2; ++k) {
    t[k].x = in[i + k];
    t[k].y = in[i];
    t[k].zw = t[k].xy;
  }
  t[0].zw = t[1].yx;
  int4 u[2];
  u[in[0] & 1].xyz = t[0].xyz;
  u[0].xyz = u[0].zyx;
  out[i] = t[0].z + t[1].w
    + u[0].z;
}
