// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void strided(global const int4* in, global int4* out, local int4* tile) {
  const int n = get_local_size(0), g = get_group_id(0);
  event_t e = async_work_group_strided_copy(tile, in + g * n * 2, n, 2, 0);
  e = async_work_group_strided_copy(tile + n, in + g * n * 2 + 1, n, 2, e);
  wait_group_events(1, &e);
  const int l = get_local_id(0);
  out[get_global_id(0)] = tile[l] * 10 + tile[2 * n - 1 - l];
  prefetch(in, 4);
}
