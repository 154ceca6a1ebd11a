// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void bandwidth(global T* out, global const T* in) {
  size_t i = get_global_id(0);
  out[i] = in[i];
}
