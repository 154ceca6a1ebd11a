// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short work-groups of which several run as one, up to the last of each row, which is shorter. The kernel may ask for
// sizes, for these are the true ones; only where a group ends it cannot tell.
kernel void merged(global ulong* out) {
  const size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
  out[y * get_global_size(0) + x] += get_local_size(0) + 100 * get_enqueued_local_size(0) + 10000 * get_num_groups(0);
}
