// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Only the low bits of a shuffle mask count.
kernel void one(global const IN* in, global const MASK* mask, global OUT* out) {
  const int i = get_global_id(0);
  out[i] = shuffle(in[i], mask[i]);
}

kernel void two(global const IN* in, global const MASK* mask, global OUT* out) {
  const int i = get_global_id(0);
  out[i] = shuffle2(in[i], in[i + get_global_size(0)], mask[i]);
}
