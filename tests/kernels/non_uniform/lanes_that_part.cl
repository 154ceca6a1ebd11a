// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow that differs from work-item to work-item, in groups and rows of any length.
kernel void collatz(global const uint* in, global uint* out) {
  const size_t x = get_global_id(0), y = get_global_id(1), i = y * get_global_size(0) + x;
  uint value = in[i], steps = 0;
  while (value != 1 && steps < 200) {
    value = value % 2 == 0 ? value / 2 : 3 * value + 1;
    ++steps;
    if (steps == 10 * get_local_size(0)) break;
  }
  if (get_local_id(0) == get_local_size(0) - 1) steps += 1000;
  if (get_local_id(1) == 0) steps += 10000;
  out[i] = steps + 100000 * get_local_size(1);
}
