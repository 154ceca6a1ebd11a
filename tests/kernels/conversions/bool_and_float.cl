// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void mixed(global const float* in, global float* out) {
  const int i = get_global_id(0);
  const bool positive = in[i] > 0;
  const char c = in[i];
  out[i * 3] = positive + c;
  out[i * 3 + 1] = (uchar)(uint)fabs(in[i]) + (in[i] != 0 ? 0.5f : 0.25f);
  out[i * 3 + 2] = (float)(ulong)fabs(in[i] * 1e6f);
}
