// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of work-items that fill no vector; nothing is written beside what the work-items write.
kernel void ids(global const int* in, global int* out) {
  const size_t i =
      (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
  out[i + 16] = in[i] * 3 + (int)(get_local_id(0) + 100 * get_local_id(1) + 10000 * get_local_id(2));
}
