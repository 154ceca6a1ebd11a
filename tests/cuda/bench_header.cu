// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "opencl.cuh"

namespace opencl {

kernel void work_group_functions(uint* out) {
  const uint i = get_local_id(0);
  out[4 * i] = work_group_reduce_add(i + 1);
  out[4 * i + 1] = work_group_scan_inclusive_add(i + 1);
  out[4 * i + 2] = work_group_scan_exclusive_add(i + 1);
  out[4 * i + 3] = work_group_broadcast(i + 1, get_local_size(0) - 1);
}

} // namespace opencl
