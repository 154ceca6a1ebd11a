// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void copy(global const short* in, global short* out, constant uchar* table, local short* room) {
  const int i = get_global_id(0);
  vstore2(vload2(i, in), i, out);
  vstore4(vload4(i, in) + (short)1, i, out + 64);
  // From an address that is not aligned to the vector.
  vstore8(vload8(i, in + 1), i, out + 192 + 1);
  private short own[16];
  vstore16(convert_short16(vload16(i & 1, table)), 0, own);
  vstore3(vload3(get_local_id(0), own), get_local_id(0), room);
  for (int k = 0; k < 3; ++k) out[480 + i * 3 + k] = room[get_local_id(0) * 3 + k];
}
