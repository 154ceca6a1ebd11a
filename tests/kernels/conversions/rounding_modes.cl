// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void convert(global const float* in, global int* out, global const int* ints, global float* floats, global const double* wide, global float* narrow) {
  const int i = get_global_id(0);
  out[i * 6] = convert_int_rte(in[i]);
  out[i * 6 + 1] = convert_int_rtz(in[i]);
  out[i * 6 + 2] = convert_int_rtp(in[i]);
  out[i * 6 + 3] = convert_int_rtn(in[i]);
  out[i * 6 + 4] = convert_uchar_sat_rte(in[i]);
  out[i * 6 + 5] = convert_int_sat_rtn(in[i] * 1e8f);
  floats[i * 2] = convert_float(ints[i]);
  floats[i * 2 + 1] = convert_float_rte(ints[i]);
  narrow[i] = convert_float(wide[i]);
}
