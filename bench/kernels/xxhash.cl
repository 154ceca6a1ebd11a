// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// XXH32 of a record of 64 bytes for each work-item.
#define P1 0x9E3779B1u
#define P2 0x85EBCA77u
#define P3 0xC2B2AE3Du

kernel void xxhash(global const uint4* records, global uint* hashes, uint seed) {
  size_t item = get_global_id(0);
  uint4 v = (uint4)(seed + P1 + P2, seed + P2, seed, seed - P1);
  for (int i = 0; i < 4; i++)
    v = rotate(v + records[item * 4 + i] * P2, (uint4)(13)) * P1;
  uint4 turned = rotate(v, (uint4)(1, 7, 12, 18));
  uint h = turned.x + turned.y + turned.z + turned.w + 64;
  h = (h ^ (h >> 15)) * P2;
  h = (h ^ (h >> 13)) * P3;
  hashes[item] = h ^ (h >> 16);
}
