// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void jump(global const int* in, global int* out) {
  const int i = get_global_id(0);
  int v = in[i], steps = 0;
again:
  ++steps;
  if (v <= 1) goto done;
  if (v & 1) goto odd;
  v /= 2;
  goto again;
odd:
  v = 3 * v + 1;
  if (steps < 1000) goto again;
done:
  out[i] = steps * 10 + v;
}
