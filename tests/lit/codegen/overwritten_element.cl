// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile %s --cpu x86-64-v4 --emit asm -o - | %check
// An element that is overwritten is not computed where each element of a vector has registers of its own. Memory order,
// in which it would be, saves nothing for the comparisons: their results are in as many pieces either way.

// CHECK: clotho_wg_tone_map:
// CHECK-NOT: kunpckwd
kernel void tone_map(global uchar4* out, global const float4* in, float exposure) {
  size_t i = get_global_id(0);
  float4 colour = in[i] * exposure;
  float luminance = 0.2126f * colour.x + 0.7152f * colour.y + 0.0722f * colour.z;
  colour = colour * (1.0f + luminance * 0.1f) / (1.0f + luminance);
  colour = pow(clamp(colour, 0.0f, 1.0f), (float4)(1.0f / 2.2f));
  colour.w = 1.0f;
  out[i] = convert_uchar4_sat(colour * 255.0f + 0.5f);
}
