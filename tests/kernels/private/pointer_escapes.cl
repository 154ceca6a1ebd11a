// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
void bump(private int* value, int by) { *value += by; }
kernel void escape(global int* out) {
  int own[2] = {get_global_id(0), 5};
  private int* which = (get_global_id(0) & 1) ? &own[0] : &own[1];
  bump(which, 10);
  bump(&own[1], 100);
  out[get_global_id(0)] = own[0] + 1000 * own[1];
}
