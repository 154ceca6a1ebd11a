// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CRC-32 of a packet for each work-item, a byte at a time by a table.
kernel void crc32(global const uchar* data, global const uint* table, global uint* sums, int size) {
  int packet = get_global_id(0);
  uint crc = 0xFFFFFFFFu;
  for (int i = 0; i < size; i++)
    crc = table[(crc ^ data[packet * size + i]) & 0xFF] ^ (crc >> 8);
  sums[packet] = ~crc;
}
