// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The function that OpenCL 2.0 has for it.
kernel void reduce(global const int* in, global int* sums) {
  size_t i = get_group_id(0) * 1024 + get_local_id(0);
  int sum = work_group_reduce_add(in[i] + in[i + 256] + in[i + 512] + in[i + 768]);
  if (get_local_id(0) == 0)
    sums[get_group_id(0)] = sum;
}
