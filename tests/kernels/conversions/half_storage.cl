// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// half as a storage format: no cl_khr_fp16 needed.
kernel void halves(global const half* in, global float* out, global half* stored, global const float* reals, global float4* vectors) {
  const int i = get_global_id(0);
  out[i] = vload_half(i, in);
  vstore_half(reals[i], i, stored);
  if (i < 16) {
    vectors[i] = vload_half4(i, in);
    vstore_half4_rte((float4)(reals[4 * i], reals[4 * i + 1], reals[4 * i + 2], reals[4 * i + 3]), i, stored + 64);
    vstore_half_rtz(reals[i], i, stored + 128);
  }
}
