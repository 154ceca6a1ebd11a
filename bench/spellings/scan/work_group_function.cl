// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The function that OpenCL 2.0 has for it.
kernel void scan(global const uint* in, global uint* out) {
  out[get_global_id(0)] = work_group_scan_exclusive_add(in[get_global_id(0)]);
}
