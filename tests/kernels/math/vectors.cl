// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void apply(global const float4* in, global float4* out, global const double2* wide, global double2* wideOut) {
  const int i = get_global_id(0);
  out[i] = sin(in[i]) + sqrt(fabs(in[i])) * exp(-in[i] * in[i]);
  wideOut[i] = log(wide[i] + 1.0) * pow(wide[i], (double2)(0.5, 2.0));
}
