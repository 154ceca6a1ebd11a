// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hillis and Steele's scan from one half of an array into the other, which change places.
kernel void scan(global const uint* in, global uint* out, local uint* temp) {
  int l = get_local_id(0), n = get_local_size(0);
  int target = 0, source = 1;
  temp[l] = l > 0 ? in[get_global_id(0) - 1] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int offset = 1; offset < n; offset <<= 1) {
    target = 1 - target;
    source = 1 - source;
    if (l >= offset)
      temp[target * n + l] = temp[source * n + l] + temp[source * n + l - offset];
    else
      temp[target * n + l] = temp[source * n + l];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = temp[target * n + l];
}
