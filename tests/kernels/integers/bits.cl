// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void bits(global const T* in, global T* out) {
  const int i = get_global_id(0);
  out[i * 3] = clz(in[i]);
  out[i * 3 + 1] = popcount(in[i]);
  out[i * 3 + 2] = rotate(in[i], (T)(i * 5));
}
