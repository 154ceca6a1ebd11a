// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
typedef union { float f; uint u; uchar b[4]; } Word;
kernel void punning(global const float* in, global uint* out) {
  const int i = get_global_id(0);
  Word w;
  w.f = in[i];
  out[3 * i] = w.u;
  out[3 * i + 1] = w.b[3];
  w.b[0] = 0;
  out[3 * i + 2] = as_uint(w.f);
}
