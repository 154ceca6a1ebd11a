// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats as bits of bfloat16, and back: scalars and vectors.
kernel void toBits(global ushort* out, global const float* in) {
  const int i = get_global_id(0);
  out[i] = intel_convert_bfloat16_as_ushort(in[i]);
}
kernel void toBits4(global ushort* out, global const float* in) {
  const int i = get_global_id(0);
  vstore4(intel_convert_bfloat164_as_ushort4(vload4(i, in)), i, out);
}
// NaNs of either sign, the largest floats, ties, denormal floats, infinities.
kernel void bitsToBits(global ushort* out, global const uint* in) {
  const int i = get_global_id(0);
  out[i] = intel_convert_bfloat16_as_ushort(as_float(in[i]));
}
kernel void bitsToBits16(global ushort* out, global const uint* in) {
  const int i = get_global_id(0);
  vstore16(intel_convert_bfloat1616_as_ushort16(as_float16(vload16(i, in))), i, out);
}
kernel void back(global float* out, global const ushort* in) {
  const int i = get_global_id(0);
  out[i] = intel_convert_as_bfloat16_float(in[i]);
}
kernel void back16(global float* out, global const ushort* in) {
  const int i = get_global_id(0);
  vstore16(intel_convert_as_bfloat1616_float16(vload16(i, in)), i, out);
}
