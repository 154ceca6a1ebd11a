// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sub-groups of launches with a global offset, which is a part of global ids, but not of group and local ids.
#define LANE (get_sub_group_id() * get_max_sub_group_size() + get_sub_group_local_id())

kernel void line(global const int* in, global int* out) {
  const int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
  out[i] = in[get_global_id(0)] * 2 + LANE * 1000;
}

// Each in a work-group of several rows.
kernel void plane(global const int* in, global int* out, int pitch) {
  const int x = get_group_id(0) * get_local_size(0) + get_local_id(0);
  const int y = get_group_id(1) * get_local_size(1) + get_local_id(1);
  out[y * get_global_size(0) + x] = in[get_global_id(1) * pitch + get_global_id(0)] + LANE * 1000;
}

// Work-items of the launch without an offset would be others.
kernel __attribute__((intel_reqd_sub_group_size(32))) void guarded(global const int* in, global int* out, int n) {
  const int g = get_global_id(0), i = g - (int)get_global_offset(0);
  int sum = 0;
  if (g < n) sum = in[g];
  out[i] = sub_group_reduce_add(sum);
}
