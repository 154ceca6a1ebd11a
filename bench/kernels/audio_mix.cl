// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two channels of 16 bits with a gain each, saturated.
kernel void mix_channels(global short* out, global const short* a, global const short* b, int gain_a, int gain_b) {
  size_t i = get_global_id(0);
  out[i] = convert_short_sat((a[i] * gain_a + b[i] * gain_b) >> 8);
}
