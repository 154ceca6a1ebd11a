// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any function of one argument: -DF=name -DT=type.
kernel void apply(global const T* in, global T* out) {
  const int i = get_global_id(0);
  out[i] = F(in[i]);
}
