// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Negations and magnitudes of narrow integers wrap around: those of the least number are that number.
kernel void narrow(global const int* in, global int* chars, global int* high, global int* shorts, global int* shifted,
                   global int* magnitudes, global int* vectors) {
  const size_t i = get_global_id(0);
  const char c = (char)in[i];
  const short s = (short)in[i];
  chars[i] = (char)-c;
  high[i] = mul_hi((char)127, (char)-c);
  shorts[i] = (short)-s;
  shifted[i] = (short)-s >> 3;
  magnitudes[i] = as_short(abs(s)) >> 2;
  vectors[i] = (-(short2)(s, c)).x / 3;
}

kernel void wide(global const int* in, global long* ints, global long* magnitudes) {
  const size_t i = get_global_id(0);
  const uint u = (uint)in[i] << 16;
  ints[i] = as_int(0u - u);
  magnitudes[i] = as_int(abs(as_int(u))) >> 3;
}
