// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors that stay in memory order from load to store, with what mixes both orders, and lanes that walk along rows of
// their own.
kernel void whole(global const int4* in, global int4* out, int limit) {
  const int g = get_global_id(0);
  int4 sum = in[g];
  for (int k = 1; k < limit; k++)
    sum += max(in[clamp(g + k, 0, (int)get_global_size(0) - 1)], (int4)(k));
  if (g % 3 == 1) sum = sum.wzyx;
  out[g] = sum;
}

kernel void mixed(global const int4* in, global int4* out, int limit) {
  const int g = get_global_id(0);
  int4 v = in[g];
  v *= (int4)(v.y);
  v = v > (int4)(limit) ? v - (int4)(g) : v;
  v.z += v.x;
  out[g] = v;
}

kernel void saturated(global const float4* in, global uchar4* out) {
  const int g = get_global_id(0);
  out[g] = convert_uchar4_sat(in[g] * 3.0f);
}

kernel void signed_saturated(global const float* in, global int* out) {
  const int g = get_global_id(0);
  out[g] = convert_int_sat(in[g]);
}

kernel void walk(global const int* rows, global int* out, int columns) {
  const int g = get_global_id(0);
  int sum = 0;
  for (int i = 0; i < columns; i++)
    sum = sum * 3 + rows[g * columns + i];
  out[g] = sum;
}

kernel void guarded_walk(global const short* rows, global int* out, int columns) {
  const int g = get_global_id(0);
  if (g % 5 == 2) return;
  int sum = 0;
  for (int i = 0; i < columns; i++)
    sum = sum * 3 + rows[g * columns + i];
  out[g] = sum;
}

typedef struct { int a, b, c; } Triple;
kernel void members(global Triple* triples, global int* out) {
  const int g = get_global_id(0);
  global Triple* mine = triples + (g ^ 3);
  const int a = mine->a;
  mine->a = mine->b;
  mine->b = mine->c;
  mine->c = a;
  out[g] = mine->a * 2 + mine->c;
}
