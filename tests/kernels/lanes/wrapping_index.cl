// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unsigned indices that go below zero in lanes that a guard keeps away.
kernel void guarded(global const int* in, global int* out, uint r) {
  const uint g = get_global_id(0);
  out[g] = g >= r ? in[g - r] : -1;
}

kernel void byWrappedValue(global const int* in, global int* out, uint r) {
  const uint g = get_global_id(0), from = g - r;
  out[g] = -1;
  if (from < get_global_size(0)) out[g] = in[from];
}

kernel void backwards(global const int* in, global int* out, uint r) {
  const uint g = get_global_id(0);
  out[g] = -1;
  if (g <= r) out[g] = in[r - g];
}

kernel void ring(global const int* in, global int* out, uint r) {
  const uint g = get_global_id(0);
  out[g] = in[(g - r) & 127];
}

kernel void byIntIndex(global const int* in, global int* out, uint r) {
  const int g = get_global_id(0), from = g - (int)r;
  out[g] = -1;
  if (from >= 0) out[g] = in[from];
}
