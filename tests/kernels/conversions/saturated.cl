// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void convert(global const FROM* in, global TO* out) {
  const int i = get_global_id(0);
  out[i] = CONVERT(in[i]);
}
