// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that call each other and share functions.
int twice(int v) { return 2 * v; }
kernel void first(global int* out) { out[get_global_id(0)] = twice(get_global_id(0)); }
kernel void second(global int* out) {
  first(out);
  out[get_global_id(0)] += 1;
}
kernel void third(global int* out, int by) {
  second(out);
  out[get_global_id(0)] *= twice(by);
}
