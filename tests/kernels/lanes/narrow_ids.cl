// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Global ids themselves pass the largest int, by the launch's offset; converted to int they wrap around.
kernel void ids(global long* out, ulong bound) {
  const size_t g = get_global_id(0);
  const int s = g;
  const uint u = g;
  long r = (long)s * 4;
  if (s < 0) r += 1;
  if ((ulong)u < bound) r += 2;
  out[g - get_global_offset(0)] = r;
}
