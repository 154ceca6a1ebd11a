// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sum with the number of a lane need not fit into an int, though the number does: between two lanes it wraps around.
kernel void lane_sums(global long* out, long x) {
  const size_t i = get_global_id(0);
  const long sum = x + get_sub_group_local_id();
  out[2 * i] = (int)sum;
  out[2 * i + 1] = (uint)sum;
}
