// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between two lanes an index passes the largest number of its type. All is computed unsigned, where that is defined.
kernel void signedGuards(global int* out, uint start, int bound) {
  const uint g = get_global_id(0) - get_global_offset(0);
  const int s = as_int(start + g);
  int r = 0;
  if (s < bound) r += 1;
  if (s >= -5) r += 2;
  if (s == INT_MIN) r += 4;
  if (s != INT_MAX) r += 8;
  if (s > as_int(start)) r += 16;
  r += s <= INT_MAX - 3 ? 32 : 64;
  out[g] = r;
}

kernel void unsignedGuards(global int* out, uint start, uint bound) {
  const uint g = get_global_id(0) - get_global_offset(0);
  const uint u = start + g;
  int r = 0;
  if (u < bound) r += 1;
  if (u >= 0xfffffffbu) r += 2;
  if (u == 0) r += 4;
  if (u != 0xffffffffu) r += 8;
  if (u > start) r += 16;
  r += u <= 7 ? 32 : 64;
  out[g] = r;
}

kernel void clamps(global int* out, global uint* unsignedOut, uint start) {
  const uint g = get_global_id(0) - get_global_offset(0);
  const uint u = start + g;
  const int s = as_int(u);
  out[g] = clamp(s, -3, 4) + (max(s, INT_MAX - 5) ^ min(s, INT_MIN + 5));
  unsignedOut[g] = clamp(u, 5u, 0xfffffff0u) + (max(u, 0xfffffffau) ^ min(u, 6u));
}

kernel void chosen(global int* out, uint start) {
  const uint g = get_global_id(0) - get_global_offset(0);
  const int s = as_int(start + g);
  const int a = s < 0 ? 0 : s, b = s > INT_MAX - 4 ? 12 : s;
  out[g] = as_int(as_uint(a) * 3 + as_uint(b));
}

kernel void backwards(global int* out, uint start, int bound) {
  const uint g = get_global_id(0) - get_global_offset(0);
  const int s = as_int(start - g * 3);
  out[g] = (s < bound ? 1 : 0) + (s >= 0 ? 2 : 0) + (s == INT_MAX ? 4 : 0) + (s == bound ? 8 : 0) + (max(s, 0) & 0xf0);
}

kernel void widened(global long* out, uint start, ulong bound) {
  const uint g = get_global_id(0) - get_global_offset(0);
  const uint u = start + g;
  const long l = as_int(u);
  long r = l * 2;
  if ((ulong)u < bound) r += 100;
  if (l < (long)bound - 0x80000000L) r += 10000;
  out[g] = r;
}

kernel void longs(global int* out, ulong start, long bound) {
  const size_t g = get_global_id(0) - get_global_offset(0);
  const ulong u = start + g;
  const long s = as_long(u);
  out[g] = (s < bound ? 1 : 0) + (u > 5 ? 2 : 0) + (s == LONG_MIN ? 4 : 0) + (max(s, LONG_MAX - 4) == s ? 8 : 0) +
           (min(u, 0xfffffffffffffff0UL) == u ? 16 : 0) + (s >= 0 ? 32 : 0);
}

kernel void fewBits(global int* out, uint start, int bound) {
  const uint g = get_global_id(0) - get_global_offset(0);
  const ushort u = start + g;
  const short s = as_short(u);
  const char c = as_char((uchar)u);
  out[g] = (s < bound ? 1 : 0) + (u > 5 ? 2 : 0) + (c < 0 ? 4 : 0) + max(s, (short)-3);
}

// One guard at a time: first and last lane of the sub-group that wraps around agree on it, those between do not.
#define ONE(name, type, value, expression)                                      \
  kernel void name(global int* out, uint start, uint bits) {                    \
    const uint g = get_global_id(0) - get_global_offset(0);                     \
    const type s = value, bound = (type)bits;                                   \
    int r = 5;                                                                  \
    if (expression) r = 9;                                                      \
    out[g] = r;                                                                 \
  }
ONE(below, int, as_int(start + g), s < bound)
ONE(notAbove, int, as_int(start + g), s <= bound)
ONE(unsignedBelow, uint, start + g, s < bound)
ONE(unsignedAbove, uint, start + g, s > bound)
ONE(belowBackwards, int, as_int(start - 3 * g), s < bound)
ONE(unsignedBackwards, uint, start - g, s >= bound)
ONE(equal, int, as_int(start + g), s == bound)

#define VALUE(name, type, value, expression)                                    \
  kernel void name(global type* out, uint start, uint bits) {                   \
    const uint g = get_global_id(0) - get_global_offset(0);                     \
    const type s = value, bound = (type)bits;                                   \
    out[g] = expression;                                                        \
  }
VALUE(least, int, as_int(start + g), min(s, bound))
VALUE(greatest, int, as_int(start + g), max(s, bound))
VALUE(unsignedLeast, uint, start + g, min(s, bound))
VALUE(unsignedGreatest, uint, start + g, max(s, bound))
VALUE(picked, int, as_int(start + g), s < bound ? s : 0)
