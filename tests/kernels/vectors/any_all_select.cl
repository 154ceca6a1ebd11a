// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// any, all and select of vectors look at the most significant bits, select of scalars at the whole condition.
#define CAT2(a, b) a##b
#define CAT(a, b) CAT2(a, b)
typedef CAT(T, 3) V;

kernel void conditions(global const T* in, global const T* values, global T* out) {
  const int i = get_global_id(0);
  const V x = (V)(in[i], in[i + 1], in[i + 2]), p = (V)(values[i]), q = (V)(values[i + 1]);
  global T* o = out + i * 8;
  o[0] = any(x);
  o[1] = all(x);
  o[2] = any(in[i]);
  o[3] = all(in[i]);
  o[4] = select(p, q, x).y;
  o[5] = select(values[i], values[i + 1], in[i]);
  o[6] = select(p, q, CAT(CAT(as_u, T), 3)(x)).z;
  o[7] = bitselect(p, q, x).x;
}
