// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector comparisons give -1 for true; the ternary operator looks at each lane's sign bit.
kernel void operators(global const int4* a, global const int4* b, global int4* out) {
  const int i = get_global_id(0);
  const int4 x = a[i], y = b[i];
  out[i * 6] = x < y;
  out[i * 6 + 1] = (x & y) | ~x;
  out[i * 6 + 2] = (x > y) ? x : y;
  out[i * 6 + 3] = x * y - x / (abs(y) > 0u ? y : (int4)1);
  out[i * 6 + 4] = !x;
  out[i * 6 + 5] = (x << 3) ^ (x >> 1) + (x && y);
}
