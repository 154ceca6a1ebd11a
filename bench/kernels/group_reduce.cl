// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each group sums its share into one element of `sums`; a second launch with one work-group sums those.
#ifdef SUB_GROUPS
#define SUM(x) sub_group_reduce_add(x)
#define GROUP (get_group_id(0) * get_num_sub_groups() + get_sub_group_id())
#define IS_FIRST (get_sub_group_local_id() == 0)
#else
#define SUM(x) work_group_reduce_add(x)
#define GROUP get_group_id(0)
#define IS_FIRST (get_local_id(0) == 0)
#endif

kernel void sum_groups(global const float* in, global float* sums, uint each) {
  // Four of each work-item's elements at a time; a work-group's share lies together.
  const size_t size = get_local_size(0);
  global const float* share = in + get_group_id(0) * size * each + get_local_id(0);
  float a = 0.0f, b = 0.0f, c = 0.0f, d = 0.0f;
  for (uint i = 0; i < each; i += 4) {
    a += share[i * size];
    b += share[(i + 1) * size];
    c += share[(i + 2) * size];
    d += share[(i + 3) * size];
  }
  const float sum = SUM((a + b) + (c + d));
  if (IS_FIRST) sums[GROUP] = sum;
}

kernel void sum_sums(global const float* sums, global float* out, uint count) {
  float sum = 0.0f;
  for (uint i = get_local_id(0); i < count; i += get_local_size(0)) sum += sums[i];
  sum = work_group_reduce_add(sum);
  if (get_local_id(0) == 0) *out = sum;
}
