// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void convert(global const float4* in, global int4* out, global uchar4* bytes, global uint* bits) {
  const int i = get_global_id(0);
  out[i] = convert_int4(in[i]);
  bytes[i] = convert_uchar4_sat(in[i]);
  bits[i * 2] = as_uint(in[i].y);
  bits[i * 2 + 1] = as_uint(as_float4(as_int4(in[i]) ^ (int4)(0x80000000)).x) + as_ushort2(in[i].z).y * 0u + as_uchar4(bits[i * 2]).w * 0;
}
