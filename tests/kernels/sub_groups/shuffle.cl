// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
// Shuffles by each function, of each type; from lanes that there are.
kernel void shuffles(global const T* a, global const uint* from, global T* any, global T* flipped, global T* up,
                     global T* down, global T* around, global T* inCluster, global T* one) {
  const size_t i = get_global_id(0);
  const uint lane = get_sub_group_local_id(), size = get_sub_group_size();
  any[i] = sub_group_shuffle(a[i], from[i] % size);
  flipped[i] = sub_group_shuffle_xor(a[i], lane / 4 * 4 + 3 < size ? 3 : 0);
  up[i] = sub_group_shuffle_up(a[i], lane > 0 ? 1 : 0);
  down[i] = sub_group_shuffle_down(a[i], lane + 2 < size ? 2 : 0);
  around[i] = sub_group_rotate(a[i], size == get_max_sub_group_size() ? 3 : 0);
  inCluster[i] = sub_group_clustered_rotate(a[i], lane / 2 * 2 + 1 < size ? 1 : 0, 2);
  one[i] = sub_group_broadcast(a[i], (uint)get_group_id(0) % size);
}

kernel void clusters(global const T* a, global T* pairs, global T* fours) {
  const size_t i = get_global_id(0);
  pairs[i] = sub_group_clustered_reduce_add(a[i], 2);
  fours[i] = sub_group_clustered_reduce_max(a[i], 4);
}

// Vectors, and values that lie in order in memory.
kernel void vectors(global const int4* a, global int4* out, global float2* reals) {
  const size_t i = get_global_id(0);
  out[i] = sub_group_broadcast(a[i], 0) + sub_group_non_uniform_broadcast(a[i], get_sub_group_size() - 1);
  reals[i] = sub_group_broadcast(convert_float2(a[i].xy), 0);
}
