// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Saturating arithmetic on vectors of 16 bits: the envelope of a signal, eight samples a work-item.
kernel void envelope(global short8* out, global const short8* in, int items) {
  int i = get_global_id(0);
  short8 peak = (short8)(0);
  for (int k = -2; k <= 2; k++) {
    short8 v = in[clamp(i + k, 0, items - 1)];
    short8 magnitude = sub_sat(max(v, (short8)(0)), min(v, (short8)(0)));
    peak = max(peak, magnitude - (magnitude >> (short8)(3)) * (short8)(abs(k)));
  }
  out[i] = add_sat(peak, (short8)(3));
}
