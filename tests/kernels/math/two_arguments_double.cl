// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any function of two arguments: -DF=name -DT=type -DU=type of the second.
kernel void apply(global const T* a, global const U* b, global T* out) {
  const int i = get_global_id(0);
  out[i] = F(a[i], b[i]);
}
