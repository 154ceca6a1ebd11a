// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first work-item would overflow in what a guard keeps from it, and the others do not.
kernel void widened(global const int* guard, global long* out, int most, int one, long limit) {
  const int x = get_local_id(0);
  if (guard[x])
    out[x] = (long)((most - x) + one);
  else
    out[x] = 0;
}

kernel void compared(global const int* guard, global long* out, int most, int one, long limit) {
  const int x = get_global_id(0);
  if (guard[x])
    out[x] = (long)((most - x) + one) < limit ? 1 : 2;
  else
    out[x] = 0;
}
