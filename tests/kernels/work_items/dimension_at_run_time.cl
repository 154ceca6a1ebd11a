// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dimension is data: it cannot be folded away.
kernel void byDimension(global const uint* dimension, global uint* out) {
  const uint d = dimension[get_global_id(0)];
  out[get_global_id(0)] = get_global_id(d) + 100 * get_global_size(d) + 10000 * get_num_groups(d);
}
