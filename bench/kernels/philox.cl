// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Philox 4x32-10: random numbers from a counter.
kernel void philox(global uint4* out, uint key0, uint key1) {
  uint4 c = (uint4)(get_global_id(0), 0, 0, 0);
  for (int round = 0; round < 10; round++) {
    uint high0 = mul_hi(0xD2511F53u, c.x), low0 = 0xD2511F53u * c.x;
    uint high1 = mul_hi(0xCD9E8D57u, c.z), low1 = 0xCD9E8D57u * c.z;
    c = (uint4)(high1 ^ c.y ^ key0, low1, high0 ^ c.w ^ key1, low0);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  out[get_global_id(0)] = c;
}
