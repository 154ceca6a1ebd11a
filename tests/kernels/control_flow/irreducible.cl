// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop with two entries.
kernel void enter(global const int* in, global int* out) {
  const int i = get_global_id(0);
  int n = in[i], sum = 0;
  if (n & 1) goto middle;
top:
  sum += 100;
  if (n <= 0) goto end;
middle:
  sum += n;
  n -= 2;
  if (n > -3) goto top;
end:
  out[i] = sum;
}

// Two such loops in one that is counted, where neighbours go different ways, beside the same with one entry.
kernel void counted(global int* same) {
  const int i = get_global_id(0);
  int x = i, y = i;
  for (int round = 0; round < 8; ++round) {
    int n = 0;
    if (x & 1) goto middle;
  top:
    x = x * 3 + 1;
  middle:
    x ^= (x >> 3) + round;
    if (++n > 5) goto end;
    if (x & 4) goto top;
    if (x & 2) goto middle;
  end:
    x += round;
  }
  for (int round = 0; round < 8; ++round) {
    bool isTop = !(y & 1);
    for (int n = 0; n < 6; ++n) {
      if (isTop) y = y * 3 + 1;
      y ^= (y >> 3) + round;
      if (!(y & 6)) break;
      isTop = y & 4;
    }
    y += round;
  }
  same[i] = x == y;
}

// A branch whose targets are both entries of the loop, beside the same with one entry.
kernel void between(global int* same) {
  const int i = get_global_id(0);
  int x = i, n = 0, y = i, m = 0;
  if (i & 1) goto second;
first:
  x = x * 3 + 1;
second:
  x ^= x >> 2;
  if (++n > 5) goto end;
  if (x & 4) goto first;
  goto second;
end:
  for (bool isFirst = !(i & 1); m <= 5; ++m) {
    if (isFirst) y = y * 3 + 1;
    y ^= y >> 2;
    isFirst = y & 4;
  }
  same[i] = x == y && n == m;
}
