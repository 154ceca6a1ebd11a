// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cl_intel_subgroups, with _char, _short and _long.
kernel void blocks(global const uint* a, global uint* out, global const ushort* b, global ushort* shorts) {
  const size_t base = get_group_id(0) * get_local_size(0) + get_sub_group_id() * get_max_sub_group_size();
  const uint lane = get_sub_group_local_id();
  const uint2 two = intel_sub_group_block_read2(a + 2 * base);
  intel_sub_group_block_write2(out + 2 * base, two.yx);
  intel_sub_group_block_write_us(shorts + base, (ushort)(intel_sub_group_block_read_us(b + base) + lane));
}

kernel void shuffles(global const int* a, global int* out, global int* xored, global int* up) {
  const size_t i = get_global_id(0);
  const uint size = get_max_sub_group_size();
  out[i] = intel_sub_group_shuffle_down(a[i], a[i] + 1000, 1);
  xored[i] = intel_sub_group_shuffle_xor((int2)(a[i], -a[i]), size > 1 ? 1 : 0).y;
  up[i] = intel_sub_group_shuffle_up(a[i] + 1000, a[i], 1);
}

#define REQUIRED(n)                                                                                                    \
  __attribute__((intel_reqd_sub_group_size(n))) kernel void of##n(global uint* out, global ulong* sums) {              \
    const size_t i = get_global_id(0);                                                                                 \
    out[i] = get_max_sub_group_size() * 1000 + get_sub_group_local_id();                                               \
    sums[i] = sub_group_reduce_add((ulong)i);                                                                          \
  }
REQUIRED(8)
REQUIRED(16)
REQUIRED(32)
