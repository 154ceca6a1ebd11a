// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void reduce(global const int* in, global int* out, local int* part) {
  const uint l = get_local_id(0);
  part[l] = in[get_global_id(0)];
  for (uint half_ = get_local_size(0) / 2; half_ > 0; half_ /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < half_) part[l] += part[l + half_];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = part[0];
}
