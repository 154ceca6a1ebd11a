// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Down and up are the halves on both sides of a number; the other modes choose between them.
#define CAT2(a, b) a##b
#define CAT(a, b) CAT2(a, b)
#if N == 1
#define STORE(mode) CAT(vstore_half_, mode)
#define PLAIN vstore_half
typedef T V;
#else
#define STORE(mode) CAT(CAT(CAT(vstore_half, N), _), mode)
#define PLAIN CAT(vstore_half, N)
typedef CAT(T, N) V;
#endif

kernel void roundings(global const T* in, global ushort* bits, global int* out) {
  const int i = get_global_id(0);
  const T x = in[i];
  global half* h = (global half*)bits + i * 5 * 16;
  STORE(rtn)((V)(x), 0, h);
  STORE(rtp)((V)(x), 0, h + 16);
  STORE(rtz)((V)(x), 0, h + 32);
  STORE(rte)((V)(x), 0, h + 48);
  PLAIN((V)(x), 0, h + 64);
  global const ushort* b = bits + i * 5 * 16 + N - 1;
  const ushort down = b[0], up = b[16], zero = b[32], nearest = b[48], plain = b[64];
  const double lower = vload_half(N - 1, h), upper = vload_half(N - 1, h + 16), value = x;
  // Beyond the largest half the next one would be 65536.
  const double below = lower == -INFINITY ? -65536.0 : lower, above = upper == INFINITY ? 65536.0 : upper;
  const bool exact = down == up;
  const double toLower = value - below, toUpper = above - value;
  int right = isnan(value) ? isnan(lower) && isnan(upper)
              : exact      ? lower == value || (isinf(value) && isinf(lower))
                           : lower < value && value < upper && abs_diff(down, up) == 1;
  right |= (isnan(value) || zero == (value < 0 ? up : down)) << 1;
  const ushort even = down & 1 ? up : down;
  right |= (isnan(value) || exact || nearest == (toLower < toUpper ? down : toUpper < toLower ? up : even)) << 2;
  right |= (plain == nearest) << 3;
  out[i] = right;
}
