// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void keep(global const float4* in, global double* out, local float4* shared) {
  const int l = get_local_id(0), n = get_local_size(0);
  const float4 own = in[get_global_id(0)];
  const double big = own.x * 3.0;
  const char small = (char)l;
  const bool odd = l & 1;
  shared[l] = own;
  barrier(CLK_LOCAL_MEM_FENCE);
  const float4 next = shared[(l + 1) % n];
  out[get_global_id(0)] = dot(own, next) + big + small + (odd ? 0.5 : 0.0);
}
