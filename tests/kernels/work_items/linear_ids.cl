// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void linear(global ulong* out) {
  const size_t i = get_global_linear_id();
  out[i * 3] = i;
  out[i * 3 + 1] = get_local_linear_id();
  out[i * 3 + 2] = get_enqueued_local_size(0) + 100 * get_enqueued_local_size(1) + 10000 * get_enqueued_local_size(2);
}
