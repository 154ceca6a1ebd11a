// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exclusive prefix sum in three launches: the sums of large blocks, what is before each, and the elements.
kernel void sum_blocks(global const uint* in, global uint* sums, uint each) {
  const size_t size = get_local_size(0);
  global const uint* block = in + get_group_id(0) * size * each + get_local_id(0);
  uint sum = 0;
  for (uint i = 0; i < each; ++i) sum += block[i * size];
  sum = work_group_reduce_add(sum);
  if (get_local_id(0) == 0) sums[get_group_id(0)] = sum;
}

kernel void scan_sums(global uint* sums) {
  const uint i = get_local_id(0);
  sums[i] = work_group_scan_exclusive_add(sums[i]);
}

kernel void scan_blocks(global const uint* in, global uint* out, global const uint* sums, uint each) {
  const size_t size = get_local_size(0), begin = get_group_id(0) * size * each + get_local_id(0);
  uint before = sums[get_group_id(0)];
  for (uint i = 0; i < each; ++i) {
    const uint value = in[begin + i * size];
    const uint own = work_group_scan_inclusive_add(value);
    out[begin + i * size] = before + own - value;
    before += work_group_broadcast(own, size - 1);
  }
}
