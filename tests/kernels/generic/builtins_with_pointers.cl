// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fract, modf, frexp, sincos and remquo through generic pointers.
kernel void pointers(global const float* in, global float* out, local float* room) {
  const int i = get_global_id(0), l = get_local_id(0);
  float whole, cosine;
  int power, quotient;
  out[i * 8] = fract(in[i], &out[i * 8 + 1]);
  out[i * 8 + 2] = modf(in[i], &whole) + 100 * whole;
  out[i * 8 + 3] = frexp(in[i], &power) + 10 * power;
  out[i * 8 + 4] = sincos(in[i], &room[l]);
  out[i * 8 + 5] = room[l];
  out[i * 8 + 6] = remquo(in[i], 3.0f, &quotient);
  out[i * 8 + 7] = (quotient & 127) * sign((float)quotient);
}
