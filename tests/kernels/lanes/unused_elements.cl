// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector elements that the kernel does not read do not harm those beside them, in whichever order lanes keep them.
kernel void spread(global const long* in, global ulong* out, local long* own) {
  const uint i = get_global_id(0), lid = get_local_id(0);
  ushort2 v = convert_ushort2(convert_int2((long2)((in + 12)[(long)i - 12])));
  own[lid] = as_long(convert_uchar8(v.s10001010));
  barrier(CLK_LOCAL_MEM_FENCE);
  ulong bytes = own[lid];
  barrier(CLK_LOCAL_MEM_FENCE);
  ulong2 wide = convert_ulong2(v);
  out[i] = bytes + wide.s0 + wide.s1;
}
