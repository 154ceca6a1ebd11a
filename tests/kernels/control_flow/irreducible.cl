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
